package dev.varve.server.net;

import dev.varve.server.net.tls.TestIdentities;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Sockets of clients that speak TLS, by the JDK, and trust the authority of the tests. */
final class TlsSockets {
  private static final char[] NO_PASSWORD = {};
  private static final int TIMEOUT_MILLIS = 20_000;

  private final SSLContext context;

  private TlsSockets(SSLContext context) {
    this.context = context;
  }

  /** Of clients that have no certificate. */
  static TlsSockets ofAnybody() {
    return of(null);
  }

  /** Of those that have this one. */
  static TlsSockets of(@Nullable String certificate) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      KeyStore trusted = emptyStore();
      trusted.setCertificateEntry("authority", certificate("authority.crt"));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      context.init(certificate == null ? null : keys(certificate), trust.getTrustManagers(), null);
      return new TlsSockets(context);
    } catch (IOException | GeneralSecurityException failure) {
      throw new AssertionError(failure);
    }
  }

  private static KeyManager[] keys(String name) throws IOException, GeneralSecurityException {
    String pem = Files.readString(Path.of(TestIdentities.path(name + ".key")));
    byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    return new KeyManager[] {
      new OneKey(
          KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
          certificate(name + ".crt"))
    };
  }

  /** Shows its certificate to everybody, where the JDK's shows it to those who say they know it. */
  private static final class OneKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";

    private final PrivateKey key;
    private final X509Certificate certificate;

    OneKey(PrivateKey key, X509Certificate certificate) {
      this.key = key;
      this.certificate = certificate;
    }

    @Override
    public String[] getClientAliases(String kind, Principal[] issuers) {
      return new String[] {ALIAS};
    }

    @Override
    public String chooseClientAlias(String[] kinds, Principal[] issuers, Socket socket) {
      return ALIAS;
    }

    @Override
    public String @Nullable [] getServerAliases(String kind, Principal[] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String kind, Principal[] issuers, Socket socket) {
      return null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return new X509Certificate[] {certificate};
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return key;
    }
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, NO_PASSWORD);
    return store;
  }

  private static X509Certificate certificate(String name)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(Path.of(TestIdentities.path(name)))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /** One that is connected to a server on this machine, and has shaken hands. */
  SSLSocket connect(int port, String... versions) throws IOException {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    plain.setSoTimeout(TIMEOUT_MILLIS);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", port, true);
    if (versions.length > 0) {
      socket.setEnabledProtocols(versions);
    }
    socket.startHandshake();
    return socket;
  }
}
