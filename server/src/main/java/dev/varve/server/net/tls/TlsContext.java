package dev.varve.server.net.tls;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.TlsParameters;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * What TLS is spoken with: who the server is, whom it takes, and which versions it speaks.
 *
 * <p>Immutable, any thread.
 */
public final class TlsContext {
  private static final String NAME = "tls";

  /** Who has not come through his handshake by then is let go: he may have no more to say. */
  private static final long HANDSHAKE_SECONDS = 10;

  /**
   * The JDK's name for whether clients may begin a handshake anew on a connection (TLS 1.2): they
   * would have the server calculate as often as they like.
   */
  private static final String NO_NEW_HANDSHAKES = "jdk.tls.rejectClientInitiatedRenegotiation";

  static {
    // Before the first class of the JDK's that looks at it.
    if (System.getProperty(NO_NEW_HANDSHAKES) == null) {
      System.setProperty(NO_NEW_HANDSHAKES, "true");
    }
  }

  private static final String NO_AUTHORITY_OF_CLIENTS =
      TlsParameters.AUTH_CLIENTS.name()
          + ": clients' certificates are asked for, so tls-ca-cert-file or tls-ca-cert-dir is to"
          + " say who signs them; or set it to no";
  private static final String NO_AUTHORITY_OF_SERVERS =
      ReplicationParameters.TLS.name()
          + ": tls-ca-cert-file or tls-ca-cert-dir is to say who signs the certificate of the other"
          + " server";

  private final SslContext context;
  private final boolean isOwnOrderOfCiphers;

  private TlsContext(SslContext context, boolean isOwnOrderOfCiphers) {
    this.context = context;
    this.isOwnOrderOfCiphers = isOwnOrderOfCiphers;
  }

  /**
   * Reads the files that {@code settings} name. By a thread that may block.
   *
   * @throws ConfigException in one line: which parameter, which file, and what is wrong with it
   */
  public static TlsContext read(Settings settings) throws ConfigException {
    Identity identity = Identity.read(settings);
    SslContextBuilder builder =
        SslContextBuilder.forServer(identity.key(), identity.chain())
            .sslProvider(SslProvider.JDK)
            .protocols(TlsParameters.versions(settings));
    ClientAuth auth = auth(settings);
    if (auth != ClientAuth.NONE) {
      builder.clientAuth(auth).trustManager(authorities(settings, NO_AUTHORITY_OF_CLIENTS));
    }
    try {
      return new TlsContext(
          builder.build(), settings.number(TlsParameters.PREFER_SERVER_CIPHERS) == 1);
    } catch (SSLException failure) {
      throw new ConfigException(
          TlsParameters.CERT_FILE.name() + ": not to be used: " + failure.getMessage());
    }
  }

  /**
   * The same for a connection to another server, whose certificate one of the authorities has to
   * have signed; as in Redis its name is not asked. This server shows its own, if it has one.
   *
   * @throws ConfigException in one line: which parameter, which file, and what is wrong with it
   */
  public static TlsContext readForClient(Settings settings) throws ConfigException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols(TlsParameters.versions(settings))
            .endpointIdentificationAlgorithm(null)
            .trustManager(authorities(settings, NO_AUTHORITY_OF_SERVERS));
    if (!settings.text(TlsParameters.CERT_FILE).isEmpty()) {
      Identity identity = Identity.read(settings);
      builder.keyManager(identity.key(), identity.chain());
    }
    try {
      return new TlsContext(builder.build(), false);
    } catch (SSLException failure) {
      throw new ConfigException("TLS is not to be used: " + failure.getMessage());
    }
  }

  private static ClientAuth auth(Settings settings) {
    return switch (settings.text(TlsParameters.AUTH_CLIENTS)) {
      case "no" -> ClientAuth.NONE;
      case "optional" -> ClientAuth.OPTIONAL;
      default -> ClientAuth.REQUIRE;
    };
  }

  /**
   * @param none what is said where there are none
   */
  private static List<X509Certificate> authorities(Settings settings, String none)
      throws ConfigException {
    String file = settings.text(TlsParameters.CA_CERT_FILE);
    String directory = settings.text(TlsParameters.CA_CERT_DIR);
    List<X509Certificate> found = new ArrayList<>();
    if (!file.isEmpty()) {
      found.addAll(Certificates.in(TlsParameters.CA_CERT_FILE, file));
    }
    if (!directory.isEmpty()) {
      found.addAll(Certificates.inAll(TlsParameters.CA_CERT_DIR, directory));
    }
    if (found.isEmpty()) {
      throw new ConfigException(none);
    }
    return found;
  }

  /**
   * Puts TLS between a socket that has just connected and all who read and write it. On its loop.
   *
   * @param calculations runs what handshakes calculate
   */
  public void addTo(Channel channel, Executor calculations) {
    SslHandler handler = context.newHandler(channel.alloc(), calculations);
    SSLParameters parameters = handler.engine().getSSLParameters();
    parameters.setUseCipherSuitesOrder(isOwnOrderOfCiphers);
    handler.engine().setSSLParameters(parameters);
    handler.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
    channel.pipeline().addFirst(NAME, handler);
  }

  /** Whether TLS is between a socket and those who read it. */
  public static boolean isOn(Channel channel) {
    return channel.pipeline().get(NAME) != null;
  }
}
