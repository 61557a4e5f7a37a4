package dev.varve.server.net;

import dev.varve.server.command.CommandExecutor;
import dev.varve.server.resp.RespEncoder;
import io.netty.channel.EventLoop;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;

/**
 * One event loop with what running commands on it needs; all connections that it runs share it.
 *
 * <p>Used on that event loop, except {@link #execute} and {@link #executeAfterSockets}.
 */
final class ServerLoop {

  /** Room to look at bytes from sockets. */
  private static final int SCRATCH_BYTES = 64 * 1024;

  private final ContextInternal context;
  private final CommandExecutor executor;
  private final byte[] scratch = new byte[SCRATCH_BYTES];

  /**
   * @param context of a verticle of its own
   */
  ServerLoop(ContextInternal context, CommandExecutor executor) {
    this.context = context;
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
    return context.nettyEventLoop();
  }

  /** Runs {@code task} on this loop, after what it has to do now. Any thread. */
  void execute(Runnable task) {
    eventLoop().execute(watched(task));
  }

  /**
   * Runs {@code task} on this loop after its next look at its sockets. Any thread.
   *
   * <p>What is executed joins a queue that the loop empties for up to a second before it looks at
   * its sockets; what is scheduled joins it only after that look.
   */
  void executeAfterSockets(Runnable task) {
    eventLoop().schedule(watched(task), 0, TimeUnit.NANOSECONDS);
  }

  private Runnable watched(Runnable task) {
    return () -> {
      ContextInternal before = enter();
      try {
        task.run();
      } finally {
        leave(before);
      }
    };
  }

  /** From here on {@link LoopWatch} counts the time. To be given back to {@link #leave}. */
  ContextInternal enter() {
    return context.beginDispatch();
  }

  /** The task is over. */
  void leave(ContextInternal before) {
    context.endDispatch(before);
  }
}
