package dev.varve.server.net.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;
import jdk.net.ExtendedSocketOptions;

/**
 * Probes by which the system notices that a client is gone which has said nothing of it: what
 * {@code tcp-keepalive} asks for. They also keep open what is between, as a firewall that forgets
 * quiet connections.
 *
 * <p>Stateless; on the own loop of each connection.
 */
final class KeepAlive {
  /*
   * SO_KEEPALIVE alone is no use: Linux then sends the first probe after two hours. As in Redis, the
   * first one comes after the time that is set, the others after a third of it, and three without an
   * answer are the end.
   */
  private static final int PROBES = 3;

  /** What Linux takes, see tcp(7). */
  private static final int SECONDS_MAX = 32_767;

  private KeepAlive() {}

  /**
   * Has a connection probed that has been quiet for so long; 0: never. What the system does not
   * have stays as it is there.
   */
  static void set(Channel channel, int quietSeconds) {
    ChannelConfig config = channel.config();
    try {
      config.setOption(ChannelOption.SO_KEEPALIVE, quietSeconds > 0);
      if (quietSeconds == 0) {
        return;
      }
      int seconds = Math.min(quietSeconds, SECONDS_MAX);
      boolean isByRing = channel instanceof IoUringSocketChannel;
      config.setOption(
          isByRing
              ? IoUringChannelOption.TCP_KEEPIDLE
              : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
          seconds);
      config.setOption(
          isByRing
              ? IoUringChannelOption.TCP_KEEPINTVL
              : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
          Math.max(1, seconds / PROBES));
      config.setOption(
          isByRing
              ? IoUringChannelOption.TCP_KEEPCNT
              : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT),
          PROBES);
    } catch (ChannelException gone) {
      // Of a client that has left already nothing can be set; its next read says so.
      return;
    }
  }
}
