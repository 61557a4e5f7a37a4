package dev.varve.server.command;

import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What one client has queued between MULTI and EXEC.
 *
 * <p>Belongs to whoever has the session.
 */
public final class QueuedCommands {

  /** A command between MULTI and EXEC. */
  public record Queued(Command command, Args args) {}

  /**
   * What has to be as before when the command that runs is run again.
   *
   * @param list the list itself; EXEC does not change it, it only lets go of it
   */
  public record State(@Nullable List<Queued> list, boolean isBroken, boolean isAnyWrite) {}

  /** What MULTI may queue: what it writes then takes several times as much. */
  private static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory() / 8;

  /** What a queued command takes besides its words, about. */
  private static final int COMMAND_HEAP_BYTES = 80;

  /** And what a word takes besides its bytes. */
  private static final int WORD_HEAP_BYTES = 24;

  private @Nullable List<Queued> list;
  private boolean broken;
  private boolean anyWrite;
  private long bytes;
  private long heapBytes;

  QueuedCommands() {}

  /** MULTI. */
  public void begin() {
    list = new ArrayList<>();
    broken = false;
    anyWrite = false;
    bytes = 0;
    heapBytes = 0;
  }

  /** Whether the client is between MULTI and EXEC. */
  public boolean isOpen() {
    return list != null;
  }

  /** What it queued since MULTI, or null outside. */
  public @Nullable List<Queued> list() {
    return list;
  }

  /** Whether {@code what} is so of any of them. */
  public boolean isAny(BiPredicate<Command, Args> what) {
    if (list != null) {
      for (Queued queued : list) {
        if (what.test(queued.command(), queued.args())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Queues a command. As in Redis, no memory is spent on what will not run. */
  public void add(Command command, Args args) {
    if (list != null && !broken) {
      list.add(new Queued(command, args));
      anyWrite |= command.is(CommandFlag.WRITE);
      long its = args.bytes();
      bytes += its;
      heapBytes += its + COMMAND_HEAP_BYTES + (long) WORD_HEAP_BYTES * args.count();
    }
  }

  /** A command was refused: EXEC will refuse all. */
  public void breakUp() {
    broken = list != null;
    if (list != null && isFull()) {
      list.clear();
    }
  }

  public boolean isBroken() {
    return broken;
  }

  /** EXEC or DISCARD. */
  public void end() {
    list = null;
    broken = false;
    anyWrite = false;
  }

  /** Whether a command that was queued writes. */
  public boolean isAnyWrite() {
    return anyWrite;
  }

  /** Whether no more can be queued: memory would run out for all clients. */
  public boolean isFull() {
    return list != null && heapBytes > HEAP_BYTES_MAX;
  }

  /** How many are queued. */
  public int count() {
    return list == null ? 0 : list.size();
  }

  /** Bytes of the words that were queued since the last MULTI. */
  public long bytes() {
    return bytes;
  }

  /** About what is queued takes on the heap. */
  public long heapBytes() {
    return list == null || list.isEmpty() ? 0 : heapBytes;
  }

  State state() {
    return new State(list, broken, anyWrite);
  }

  void state(State before) {
    list = before.list;
    broken = before.isBroken;
    anyWrite = before.isAnyWrite;
  }
}
