package dev.varve.server.net;

import dev.varve.server.config.FileProblem;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.UnixSocketParameters;
import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.ServerLoop;
import io.netty.channel.Channel;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket that is a file: programs of the same machine come by it, those that the file's
 * permissions let in. It is there while the server runs; one that a killed server has left is
 * replaced.
 *
 * <p>Called by threads that may block.
 */
final class UnixSocket {
  private static final Logger LOG = LoggerFactory.getLogger(UnixSocket.class);

  private final Path path;

  private UnixSocket(Path path) {
    this.path = path;
  }

  /**
   * Begins to listen where {@code settings} say; null if they do not.
   *
   * @param onConnection given each connection, on the loop that it is to stay with
   * @throws IOException saying where and why it cannot
   */
  static @Nullable UnixSocket open(
      Settings settings,
      Map<LoopVerticle, ServerLoop> loops,
      BiConsumer<Channel, ServerLoop> onConnection)
      throws IOException {
    Path path = path(settings);
    if (path == null) {
      return null;
    }
    require(settings);
    try {
      Files.deleteIfExists(path);
      NetServerOptions options =
          new NetServerOptions().setAcceptBacklog(settings.integer(Parameters.TCP_BACKLOG));
      SocketAddress address = SocketAddress.domainSocketAddress(path.toString());
      Listener.over(loops).listen(options, server -> server.listen(address), onConnection);
      Set<PosixFilePermission> permissions = UnixSocketParameters.permissions(settings);
      if (permissions != null) {
        Files.setPosixFilePermissions(path, permissions);
      }
    } catch (IOException failure) {
      throw cannotListen(path, FileProblem.what(failure), failure);
    }
    return new UnixSocket(path);
  }

  private static @Nullable Path path(Settings settings) {
    String path = UnixSocketParameters.path(settings);
    return path == null ? null : Path.of(path);
  }

  /** Where it is. */
  String path() {
    return path.toString();
  }

  /**
   * Fails as {@link #open} would, where somebody else's file is in its place.
   *
   * @throws IOException saying what is there
   */
  static void require(Settings settings) throws IOException {
    Path path = path(settings);
    if (path == null || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    BasicFileAttributes there =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!there.isOther()) {
      throw cannotListen(path, "there is a file of that name", null);
    }
    if (isServed(path)) {
      throw cannotListen(path, "another process listens there", null);
    }
  }

  private static boolean isServed(Path path) {
    try (SocketChannel asked = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      return asked.isConnected();
    } catch (IOException refused) {
      // Who made it is gone.
      return false;
    }
  }

  private static IOException cannotListen(Path path, String why, @Nullable IOException failure) {
    return new IOException("cannot listen on " + path + ": " + why, failure);
  }

  /** Takes the file away, once nobody listens any more. */
  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException failure) {
      LOG.warn("{} could not be removed: {}", path, FileProblem.what(failure));
    }
  }
}
