package dev.varve.server.net;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.TlsParameters;
import dev.varve.server.config.UnixSocketParameters;
import dev.varve.server.net.connection.ConnectionContext;
import dev.varve.server.net.connection.NewClients;
import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.tls.TlsContext;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a server takes connections from: a port for plain ones, one for TLS, a Unix socket, or any
 * of them.
 *
 * <p>Called by threads that may block.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private static final String NO_PORT = "Unable to listen on this port.";

  private final Settings settings;
  private final ConnectionContext connections;
  private final Map<LoopVerticle, ServerLoop> loops;
  private final Executor handshakes;
  private volatile ListeningPort plain;
  private volatile ListeningPort encrypted;
  private volatile @Nullable TlsContext tls;
  private volatile @Nullable UnixSocket unixSocket;

  /**
   * @param loops each with what runs its commands
   * @param handshakes runs what handshakes calculate
   */
  Listeners(
      Settings settings,
      ConnectionContext connections,
      Map<LoopVerticle, ServerLoop> loops,
      Executor handshakes) {
    this.settings = settings;
    this.connections = connections;
    this.loops = new LinkedHashMap<>(loops);
    this.handshakes = handshakes;
    this.plain = ListeningPort.none(settings);
    this.encrypted = ListeningPort.none(settings);
  }

  /** The port that it listens on, 0 if that is the one for TLS alone. Any thread. */
  int port() {
    return plain.number();
  }

  /** The port for TLS, 0 if there is none. Any thread. */
  int tlsPort() {
    return encrypted.number();
  }

  /** The file of the Unix socket, or null if there is none. Any thread. */
  @Nullable String unixSocket() {
    UnixSocket its = unixSocket;
    return its == null ? null : its.path();
  }

  /** Nobody listens any more: what there is of it goes. */
  void remove() {
    UnixSocket its = unixSocket;
    if (its != null) {
      its.remove();
    }
  }

  /**
   * Begins to listen, on any free port if the configuration names none at all.
   *
   * @throws IOException saying where and why it cannot
   */
  synchronized void start() throws IOException {
    requireTwo(settings);
    int wanted = settings.integer(Parameters.PORT);
    int tlsWanted = settings.integer(TlsParameters.PORT);
    if (tlsWanted > 0) {
      tls = context(settings);
    }
    encrypted = open(tlsWanted, this::connectedByTls);
    unixSocket = UnixSocket.open(settings, loops, this::connectedByFile);
    boolean isOnlyOne = tlsWanted == 0 && unixSocket == null;
    plain = open(wanted == 0 && isOnlyOne ? ListeningPort.ANY : wanted, this::connected);
  }

  private ListeningPort open(int wanted, BiConsumer<Channel, ServerLoop> onConnection)
      throws IOException {
    return wanted == 0
        ? ListeningPort.none(settings)
        : ListeningPort.open(settings, loops, wanted, onConnection);
  }

  private void connected(Channel channel, ServerLoop loop) {
    NewClients.decide(channel, loop, connections);
  }

  private void connectedByTls(Channel channel, ServerLoop loop) {
    TlsContext its = tls;
    if (its == null) {
      throw new IllegalStateException("a port for TLS without what it is spoken with");
    }
    try {
      its.addTo(channel, handshakes);
    } catch (OutOfMemoryError noMemory) {
      channel.close();
      LOG.error("a client was not let in: {}", noMemory.toString());
      return;
    }
    NewClients.decide(channel, loop, connections);
  }

  private void connectedByFile(Channel channel, ServerLoop loop) {
    NewClients.decide(channel, loop, connections, UnixSocketParameters.path(settings));
  }

  private static TlsContext context(Settings settings) throws IOException {
    try {
      return TlsContext.read(settings);
    } catch (ConfigException wrong) {
      throw new IOException(wrong.what(), wrong);
    }
  }

  /**
   * Fails as {@link #start} would, so that nothing is done for a server that cannot listen.
   *
   * @throws IOException saying where and why it cannot
   */
  static void require(Settings settings) throws IOException {
    int wanted = settings.integer(Parameters.PORT);
    requireTwo(settings);
    if (wanted > 0) {
      ListeningPort.require(settings, wanted);
    }
    UnixSocket.require(settings);
    int tlsWanted = settings.integer(TlsParameters.PORT);
    if (tlsWanted > 0) {
      ListeningPort.require(settings, tlsWanted);
      context(settings);
    }
  }

  /** Vert.x would take connections of both by turns. */
  private static void requireTwo(Settings settings) throws IOException {
    int port = settings.integer(Parameters.PORT);
    if (port > 0 && port == settings.integer(TlsParameters.PORT)) {
      throw new IOException("cannot listen on " + port + ": it is both port and tls-port");
    }
  }

  // At run time ----------------------------------------------------------------------------------

  /**
   * Goes on listening on other ports, or with other certificates; connections stay, with what they
   * began with.
   *
   * @throws Settings.ParameterException with Redis's text when it cannot: then all is as it was
   */
  synchronized void change(Settings wanted, Collection<Parameter> named)
      throws Settings.ParameterException {
    int number = number(wanted, named, Parameters.PORT, plain);
    int tlsNumber = number(wanted, named, TlsParameters.PORT, encrypted);
    boolean moves = number != plain.number();
    boolean tlsMoves = tlsNumber != encrypted.number();
    Optional<Parameter> file = named.stream().filter(TlsParameters::isOfContext).findFirst();
    boolean isReread = tlsNumber > 0 && (tlsMoves || file.isPresent());
    if (!moves && !tlsMoves && !isReread) {
      return;
    }
    Parameter asked = moves ? Parameters.PORT : file.orElse(TlsParameters.PORT);
    if (Context.isOnEventLoopThread()) {
      // Of MULTI: all else of CONFIG SET is a worker's, which may wait.
      throw new Settings.ParameterException(asked, NO_PORT + " It is asked for inside of MULTI.");
    }
    if (number == 0 && tlsNumber == 0 && unixSocket == null) {
      throw new Settings.ParameterException(asked, NO_PORT + " It is 0, and there is no other.");
    }
    // The new ones are opened before the old ones are closed.
    if (moves && isOneOf(number, encrypted.number(), tlsNumber)) {
      throw new Settings.ParameterException(Parameters.PORT, NO_PORT + " It is tls-port.");
    }
    if (tlsMoves && isOneOf(tlsNumber, plain.number(), number)) {
      throw new Settings.ParameterException(TlsParameters.PORT, NO_PORT + " It is port.");
    }
    TlsContext before = tls;
    TlsContext read = isReread ? reread(wanted, file.orElse(TlsParameters.PORT)) : before;
    ListeningPort next = moves ? reopen(Parameters.PORT, number, this::connected) : plain;
    ListeningPort tlsNext = encrypted;
    tls = read;
    if (tlsMoves) {
      try {
        tlsNext = reopen(TlsParameters.PORT, tlsNumber, this::connectedByTls);
      } catch (Settings.ParameterException taken) {
        tls = before;
        if (moves) {
          next.close();
        }
        throw taken;
      }
    }
    plain = replaced(plain, next, "port");
    encrypted = replaced(encrypted, tlsNext, "tls-port");
  }

  private static boolean isOneOf(int number, int one, int other) {
    return number > 0 && (number == one || number == other);
  }

  private static int number(
      Settings wanted, Collection<Parameter> named, Parameter parameter, ListeningPort now) {
    return named.contains(parameter) ? wanted.integer(parameter) : now.number();
  }

  private static ListeningPort replaced(ListeningPort before, ListeningPort next, String name) {
    if (before != next) {
      before.close();
      LOG.info("{} is {} from now on", name, next.number());
    }
    return next;
  }

  private static TlsContext reread(Settings wanted, Parameter asked)
      throws Settings.ParameterException {
    try {
      return TlsContext.read(wanted);
    } catch (ConfigException wrong) {
      LOG.warn("{}; TLS stays as it was", wrong.what());
      throw new Settings.ParameterException(
          asked, "Unable to update TLS configuration. Check server logs.");
    }
  }

  private ListeningPort reopen(
      Parameter asked, int wanted, BiConsumer<Channel, ServerLoop> onConnection)
      throws Settings.ParameterException {
    try {
      return open(wanted, onConnection);
    } catch (IOException failure) {
      LOG.warn("{}; {} stays as it was", failure.getMessage(), asked.name());
      throw new Settings.ParameterException(asked, NO_PORT + " Check server logs.");
    }
  }
}
