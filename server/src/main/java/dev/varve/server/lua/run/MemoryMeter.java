package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.UndoLog;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much memory a script's values take, about.
 *
 * <p>Single-threaded, with its state.
 */
final class MemoryMeter {
  /** The least that may be allocated between two walks, as a share of all. */
  private static final int CREDIT_SHARE_MIN = 16;

  private static final int GROWTH = 4;

  /** A walk over so many bytes, as a power of two, is a step of work. */
  private static final int WALK_STEP_SHIFT = 10;

  /* Allocations are counted down from a credit. What became garbage meanwhile is not known, so when
   * the credit is used up the live values are walked, from the globals and the frames, and the credit
   * is what they leave. A walk costs what it finds, and between two walks as much is allocated as
   * a share of the whole, so the cost per allocated byte is bounded. */
  private final LuaState state;
  private final LuaLimits limits;
  private final ArrayDeque<Object> met = new ArrayDeque<>();
  private long credit;
  private long live;
  private int walk;

  /* What only Java code has, no walk meets: strings and tables in the making. Who makes one says how
   * much it holds, or that all which is counted from here on is held. Nobody has to give that back
   * when it fails: whoever catches the failure goes back to what was held when it began. */
  private static final long NOTHING_MADE = -1;
  private long held;
  private long makingFrom = NOTHING_MADE;
  private long countedBefore;
  private long creditThen;

  /* What it may use before it asks: what each has, and what it has taken of the room of all. */
  private final ScriptRoom room;
  private final Runnable watch;
  private BooleanSupplier mayWait = () -> false;
  private long base;
  private long taken;
  private boolean hasGrown;

  MemoryMeter(LuaState state, LuaLimits limits, ScriptRoom room, Runnable watch) {
    this.state = state;
    this.limits = limits;
    this.room = room;
    this.watch = watch;
    credit(room.ownBytes());
  }

  /** Whether it may wait for what others have taken. It may throw instead, to wait elsewhere. */
  void mayWait(BooleanSupplier decision) {
    mayWait = decision;
  }

  /** The libraries are there: they count as nobody's. */
  void begin() {
    base = walkLive();
    live = base;
    credit(room.ownBytes());
  }

  /** Nothing runs: what is not kept is given back. */
  void ended() {
    if (!hasGrown) {
      return;
    }
    hasGrown = false;
    live = walkLive() + held;
    long kept = Math.max(0, live - base - room.ownBytes() / 2);
    long left = Math.min(taken, kept == 0 ? 0 : kept + Math.max(kept / 4, room.ownBytes()));
    room.give(taken - left);
    taken = left;
    credit(Math.max(0, has() - live));
  }

  /** Something that was kept is garbage: the next end looks for it. */
  void forgotten() {
    hasGrown |= taken > 0;
  }

  /** Nothing of it is used any more. */
  void close() {
    room.give(taken);
    taken = 0;
  }

  private long has() {
    return base + room.ownBytes() + taken;
  }

  private void credit(long now) {
    countedBefore = counted();
    creditThen = now;
    credit = now;
  }

  /** All that was counted since the beginning. */
  private long counted() {
    return countedBefore + creditThen - credit;
  }

  long held() {
    return held;
  }

  void hold(long bytes) {
    charge(bytes);
    held += bytes;
  }

  void letGo(long bytes) {
    held -= bytes;
  }

  /** Back to when so much was held, and nothing in the making. */
  void letGoUpTo(long heldThen) {
    held = heldThen;
    makingFrom = NOTHING_MADE;
  }

  boolean beginMaking() {
    if (makingFrom != NOTHING_MADE) {
      return false;
    }
    makingFrom = counted();
    return true;
  }

  void endMaking(boolean begun) {
    if (begun) {
      makingFrom = NOTHING_MADE;
    }
  }

  LuaLimits limits() {
    return limits;
  }

  long estimateBytes() {
    return live + counted() - countedBefore;
  }

  void charge(long bytes) {
    credit -= bytes;
    if (credit < 0) {
      settle(bytes);
    }
  }

  void chargeString(long length) {
    if (length > limits.stringBytesMax()) {
      throw tooMuch();
    }
    charge(length + LuaString.OVERHEAD_BYTES);
  }

  private LuaError tooMuch() {
    return state.error((Object) LuaString.of("not enough memory"));
  }

  private void settle(long bytes) {
    credit += bytes;
    long max = limits.memoryBytesMax();
    if (bytes > max) {
      throw tooMuch();
    }
    live = walkLive() + held + (makingFrom == NOTHING_MADE ? 0 : counted() - makingFrom);
    if (live + bytes > max) {
      // A little more than all, once, so that not each small thing is a walk.
      credit(Math.max(0, max + max / CREDIT_SHARE_MIN - live));
      // There may be many walks from here on, and between them it is to be asked whether to go on.
      state.tick((int) Math.min(live >> WALK_STEP_SHIFT, Integer.MAX_VALUE));
      throw tooMuch();
    }
    // Who uses up what it has wants more of it, so that walks are rare.
    long some = Math.max(room.ownBytes() / 2, live / CREDIT_SHARE_MIN);
    long wanted = Math.max(live + bytes + some, Math.min(max, GROWTH * has()));
    if (wanted > has()) {
      grow(wanted - has(), live + bytes + some - has(), live + bytes - has());
    }
    credit(Math.max(has() - live, bytes));
    credit -= bytes;
  }

  private void grow(long wanted, long useful, long needed) {
    hasGrown = true;
    long given = room.take(wanted, Math.max(0, useful));
    if (given == 0 && needed > 0) {
      given = room.take(needed, needed);
    }
    if (given == 0 && needed > 0 && mayWait.getAsBoolean()) {
      given = room.await(needed, watch);
    }
    taken += given;
    if (given == 0 && needed > 0) {
      credit(Math.max(0, has() + room.ownBytes() / 2 - live));
      state.tick((int) Math.min(live >> WALK_STEP_SHIFT, Integer.MAX_VALUE));
      throw room.taken() == taken ? tooMuch() : othersHaveIt();
    }
  }

  private LuaError othersHaveIt() {
    return state.error(
        (Object) LuaString.of("not enough memory, as other scripts and libraries have it"));
  }

  private long walkLive() {
    walk++;
    long bytes = 0;
    meet(state.globals());
    meet(state.registry());
    meet(state.stringMetatable());
    for (UndoLog.Change kept : state.undoLog().changes()) {
      bytes += kept.bytes();
      kept.held(this::meet);
    }
    meetFrames(state.top);
    for (Coroutine up = state.running; up != null; up = up.resumer()) {
      meetFrames(up.resumerTop());
    }
    state.threads().begun().forEach(this::meet);
    while (true) {
      Object next = met.poll();
      if (next == null) {
        return bytes;
      }
      bytes += sizeAndChildren(next);
    }
  }

  private void meetFrames(@Nullable Frame from) {
    for (Frame frame = from; frame != null; frame = frame.caller) {
      meet(frame.function);
      meetAll(frame.slots);
      meetAll(frame.varargs);
    }
  }

  private void meetAll(@Nullable Object[] values) {
    for (Object value : values) {
      meet(value);
    }
  }

  private void meet(@Nullable Object value) {
    if (value != null && !(value instanceof Double) && !(value instanceof Boolean)) {
      met.push(value);
    }
  }

  private long codeBytes(CodeMemory code) {
    if (code.mark == walk) {
      return 0;
    }
    code.mark = walk;
    return code.bytes();
  }

  private long sizeAndChildren(Object value) {
    if (value instanceof LuaString text) {
      if (text.mark == walk) {
        return 0;
      }
      text.mark = walk;
      return text.length() + LuaString.OVERHEAD_BYTES;
    }
    if (value instanceof LuaTable table) {
      if (table.mark == walk) {
        return 0;
      }
      table.mark = walk;
      meet(table.metatable());
      for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
        meet(table.keyAt(at));
        meet(table.valueAt(at));
      }
      return table.sizeBytes();
    }
    if (value instanceof LuaClosure closure) {
      if (closure.mark != walk) {
        closure.mark = walk;
        for (Cell cell : closure.upvalues) {
          met.push(cell);
        }
        return LuaClosure.bytes(closure.upvalues.length) + codeBytes(closure.code.memory());
      }
    } else if (value instanceof Cell cell) {
      if (cell.mark != walk) {
        cell.mark = walk;
        meet(cell.value);
        return Cell.BYTES;
      }
    } else if (value instanceof Builtin builtin) {
      if (builtin.mark != walk) {
        builtin.mark = walk;
        meetAll(builtin.held());
        return Builtin.BYTES;
      }
    } else if (value instanceof Coroutine coroutine && coroutine.mark != walk) {
      coroutine.mark = walk;
      meet(coroutine.function());
      meetAll(coroutine.given());
      meetFrames(coroutine.suspendedTop());
      return Coroutine.BYTES;
    }
    return 0;
  }
}
