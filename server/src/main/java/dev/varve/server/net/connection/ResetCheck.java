package dev.varve.server.net.connection;

import io.netty.channel.Channel;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringSocketChannel;

/**
 * Whether a client has reset its connection, where the socket does not tell.
 *
 * <p>With io_uring netty asks for all readiness of a socket once (IORING_POLL_ADD_MULTI), and hears
 * of changes only. Of bytes and a reset that come together it hears once, reads the bytes, and
 * waits for more. Whoever has nothing to send to such a client would keep it for ever.
 *
 * <p>Own loop only.
 */
final class ResetCheck {
  private final Channel channel;

  ResetCheck(Channel channel) {
    this.channel = channel;
  }

  /** Asks the kernel: a socket that was reset has no address at the other end any more. */
  boolean isSeen() {
    return channel instanceof IoUringSocketChannel its
        && its.isOpen()
        && its.fd() instanceof Socket socket
        && socket.remoteAddress() == null;
  }
}
