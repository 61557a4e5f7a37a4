package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A coroutine: a thread of its own that runs while the one which resumed it waits, and the other
 * way round.
 *
 * <p>Belongs to its interpreter, and runs on its own thread and its resumer's in turn.
 */
public final class Coroutine {
  /** What {@code coroutine.status} says. */
  public enum Status {
    SUSPENDED,
    RUNNING,
    NORMAL,
    DEAD
  }

  /** Thrown in a coroutine that nobody will resume again, to end its thread. */
  private static final class Abandoned extends Error {
    Abandoned() {
      super(null, null, false, false);
    }
  }

  /** About what one takes, without its thread and what is on its stack. */
  public static final int BYTES = 240;

  private final LuaState state;
  private final LuaFunction function;
  private final Semaphore resumed = new Semaphore(0);
  private final Semaphore yielded = new Semaphore(0);
  private Status status = Status.SUSPENDED;
  private LuaThreads.@Nullable Worker worker;
  private LuaState.@Nullable Saved suspendedAt;
  private LuaState.@Nullable Saved resumerAt;

  /** What the other side is given: arguments, results, or what was thrown. */
  private @Nullable Object[] given = Results.NONE;

  private @Nullable Throwable thrown;
  private volatile boolean abandoned;

  /** The last walk that met it. */
  int mark;

  public Coroutine(LuaState state, LuaFunction function) {
    this.state = state;
    this.function = function;
  }

  public Status status() {
    return status;
  }

  /** The one that runs now; null outside of any. */
  public static @Nullable Coroutine running(LuaState state) {
    return state.running;
  }

  @Nullable Coroutine resumer() {
    return resumerAt == null ? null : resumerAt.running();
  }

  @Nullable Frame resumerTop() {
    return resumerAt == null ? null : resumerAt.top();
  }

  /** What it runs, and runs from the start when it has not begun. */
  LuaFunction function() {
    return function;
  }

  /** What was handed over last and may not have been taken yet. */
  @Nullable Object[] given() {
    return given;
  }

  @Nullable Frame suspendedTop() {
    return suspendedAt == null ? null : suspendedAt.top();
  }

  /**
   * Goes on where it yielded, or begins. Returns what it yields or returns; throws {@link LuaError}
   * when it fails, or cannot be resumed.
   */
  public @Nullable Object[] resume(@Nullable Object[] arguments) {
    if (status != Status.SUSPENDED) {
      String shown = status.name().toLowerCase(Locale.ROOT);
      throw state.error((Object) LuaString.of("cannot resume " + shown + " coroutine"));
    }
    LuaThreads.Worker starts = null;
    if (worker == null) {
      starts = state.threads().take(this);
      if (starts == null) {
        throw state.error((Object) LuaString.of("too many coroutines"));
      }
      worker = starts;
    }
    LuaState.Saved before = state.save();
    long held = state.memory.held();
    resumerAt = before;
    if (before.running() != null) {
      before.running().status = Status.NORMAL;
    }
    status = Status.RUNNING;
    given = arguments;
    if (starts != null) {
      state.begin(this);
      starts.submit(this::body);
    } else {
      if (suspendedAt != null) {
        state.restore(suspendedAt);
      }
      resumed.release();
    }
    yielded.acquireUninterruptibly();
    state.restore(before);
    state.memory.letGoUpTo(held);
    resumerAt = null;
    if (before.running() != null) {
      before.running().status = Status.RUNNING;
    }
    if (status == Status.DEAD) {
      return ended();
    }
    return given;
  }

  private @Nullable Object[] ended() {
    if (worker != null) {
      state.threads().give(this, worker);
      worker = null;
    }
    Throwable failure = thrown;
    thrown = null;
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    return given;
  }

  private void body() {
    try {
      given = Results.all(function.call(state, given));
    } catch (Abandoned over) {
      return;
    } catch (StackOverflowError overflow) {
      thrown = new LuaError(LuaString.of("stack overflow"), "=[C]", -1);
    } catch (Throwable failure) {
      thrown = failure;
    }
    status = Status.DEAD;
    yielded.release();
  }

  /** Gives values to the resumer, and returns those of the next resume. */
  public @Nullable Object[] yield(@Nullable Object[] values) {
    given = values;
    status = Status.SUSPENDED;
    suspendedAt = state.save();
    yielded.release();
    resumed.acquireUninterruptibly();
    if (abandoned) {
      throw new Abandoned();
    }
    suspendedAt = null;
    return given;
  }

  /** Yields from a builtin of the running coroutine. Throws where that is not possible. */
  public static @Nullable Object[] yield(LuaState state, @Nullable Object[] values) {
    Coroutine running = state.running;
    if (running == null || state.nativeCalls > 0) {
      throw state.error(
          (Object) LuaString.of("attempt to yield across metamethod/C-call boundary"));
    }
    return running.yield(values);
  }

  /** Ends it where it is suspended; its thread goes with it. */
  void abandon() {
    LuaThreads.Worker mine = worker;
    if (mine != null && status == Status.SUSPENDED) {
      status = Status.DEAD;
      worker = null;
      abandoned = true;
      mine.end();
      resumed.release();
    }
  }
}
