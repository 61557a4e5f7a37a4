package dev.varve.server.net;

import dev.varve.server.command.CommandExecutor;
import dev.varve.server.resp.RespEncoder;
import io.netty.channel.EventLoop;

/**
 * One event loop with what running commands on it needs; all connections that it runs share it.
 *
 * <p>Used on that event loop, except {@link #execute}.
 */
final class ServerLoop {

  /** Room to look at bytes from sockets. */
  private static final int SCRATCH_BYTES = 64 * 1024;

  private final EventLoop eventLoop;
  private final CommandExecutor executor;
  private final byte[] scratch = new byte[SCRATCH_BYTES];

  ServerLoop(EventLoop eventLoop, CommandExecutor executor) {
    this.eventLoop = eventLoop;
    this.executor = executor;
  }

  CommandExecutor executor() {
    return executor;
  }

  RespEncoder reply() {
    return executor.reply();
  }

  byte[] scratch() {
    return scratch;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  /** Runs {@code task} on this loop, after what it has to do now. Any thread. */
  void execute(Runnable task) {
    eventLoop.execute(task);
  }
}
