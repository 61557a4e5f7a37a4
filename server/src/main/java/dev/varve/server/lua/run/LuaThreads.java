package dev.varve.server.lua.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that an interpreter lends itself to: those of coroutines, and one with a large stack.
 *
 * <p>Used by the one thread that has the interpreter. Threads end when they had nothing to do for a
 * while, or with {@link #close}.
 */
final class LuaThreads {
  private static final long LARGE_STACK_BYTES = 512L << 20;
  private static final long COROUTINE_STACK_BYTES = 16L << 20;

  /** Java frames that the stacks have room for, at 200 bytes a frame. */
  static final int LARGE_WEIGHT_MAX = 2_500_000;

  static final int COROUTINE_WEIGHT_MAX = 60_000;

  /** Java frames of a builtin that calls back. */
  static final int BUILTIN_WEIGHT = 12;

  private final int coroutinesMax;
  private final ArrayDeque<Worker> idle = new ArrayDeque<>();
  private final List<Coroutine> suspended = new ArrayList<>();
  private int coroutines;
  private @Nullable Worker large;

  LuaThreads(int coroutinesMax) {
    this.coroutinesMax = coroutinesMax;
  }

  /** Runs it to its end on the large stack; what it throws is thrown here. */
  @Nullable Object onLargeStack(Supplier<@Nullable Object> work) {
    Worker worker = large;
    large = null;
    if (worker == null) {
      worker = new Worker("lua-stack", LARGE_STACK_BYTES);
    }
    Semaphore done = new Semaphore(0);
    @Nullable Object[] outcome = new Object[2];
    worker.submit(
        () -> {
          try {
            outcome[0] = work.get();
          } catch (Throwable failure) {
            outcome[1] = failure;
          } finally {
            done.release();
          }
        });
    done.acquireUninterruptibly();
    if (outcome[1] instanceof Error error) {
      worker.end();
      throw error;
    }
    if (large == null) {
      large = worker;
    } else {
      worker.end();
    }
    if (outcome[1] instanceof RuntimeException failure) {
      throw failure;
    }
    return outcome[0];
  }

  /** A thread for a coroutine, or null when there are too many. */
  @Nullable Worker take(Coroutine coroutine) {
    if (coroutines == coroutinesMax) {
      return null;
    }
    Worker worker = idle.poll();
    if (worker == null) {
      // First: the system may have none, and a place that is taken for nobody stays so.
      worker = new Worker("lua-coroutine", COROUTINE_STACK_BYTES);
    }
    coroutines++;
    suspended.add(coroutine);
    return worker;
  }

  /** A coroutine has ended. */
  void give(Coroutine coroutine, Worker worker) {
    coroutines--;
    suspended.remove(coroutine);
    idle.push(worker);
  }

  /** Those that have begun and not ended: whether anybody can reach them or not, they are kept. */
  List<Coroutine> begun() {
    return suspended;
  }

  /** Ends all coroutines that are still suspended, and their threads. */
  void close() {
    for (Coroutine coroutine : List.copyOf(suspended)) {
      coroutine.abandon();
    }
    suspended.clear();
    coroutines = 0;
    Worker ended;
    while ((ended = idle.poll()) != null) {
      ended.end();
    }
    if (large != null) {
      large.end();
      large = null;
    }
  }

  /** One thread, which runs what it is given, one task after the other. */
  static final class Worker implements Runnable {
    private final Semaphore given = new Semaphore(0);
    private volatile @Nullable Runnable task;

    Worker(String name, long stackBytes) {
      Thread thread = new Thread(null, this, name, stackBytes);
      thread.setDaemon(true);
      thread.start();
    }

    void submit(Runnable work) {
      task = work;
      given.release();
    }

    void end() {
      task = null;
      given.release();
    }

    @Override
    public void run() {
      while (true) {
        given.acquireUninterruptibly();
        Runnable work = task;
        if (work == null) {
          return;
        }
        work.run();
      }
    }
  }
}
