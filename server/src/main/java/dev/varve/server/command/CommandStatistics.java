package dev.varve.server.command;

import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How many commands ran on one thread, and which errors they gave.
 *
 * <p>Counted by that thread; any thread reads, and may be a moment behind.
 */
public final class CommandStatistics {

  /** Different error codes that are counted; a script can invent any number of them. */
  private static final int CODES_MAX = 128;

  /** Where Redis looks for the end of a code. */
  private static final int CODE_BYTES_MAX = 31;

  private final AtomicLong commands = new AtomicLong();
  private volatile boolean timesCalls = true;
  private final Map<Command, CallStatistics> calls = new ConcurrentHashMap<>();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final Map<String, AtomicLong> errorsByCode = new ConcurrentSkipListMap<>();

  // What stood there at the last reset: only the thread that counts writes what it counts.
  private volatile long commandsBefore;
  private volatile long hitsBefore;
  private volatile long missesBefore;

  /**
   * A request was answered, and its reply begins at {@code replyMark}.
   *
   * @param isErrorCounted whether an error in it was counted before
   */
  public void replied(RespEncoder reply, int replyMark, boolean isErrorCounted) {
    String code = isErrorCounted ? null : errorCode(reply, replyMark);
    if (code != null) {
      countError(code);
    }
  }

  /** A command that reads found keys, and missed others. */
  public void looked(long itsHits, long itsMisses) {
    if (itsHits != 0) {
      hits.lazySet(hits.get() + itsHits);
    }
    if (itsMisses != 0) {
      misses.lazySet(misses.get() + itsMisses);
    }
  }

  /** The code of the error that the reply is that begins at {@code replyMark}; null: it is none. */
  public static @Nullable String errorCode(RespEncoder reply, int replyMark) {
    if (reply.mark() == replyMark || reply.byteAt(replyMark) != '-') {
      return null;
    }
    int end = replyMark + 1;
    int endMax = Math.min(reply.mark(), end + CODE_BYTES_MAX);
    while (end < endMax && reply.byteAt(end) != ' ') {
      end++;
    }
    if (end == endMax) {
      // As in Redis, a script's text without a space has no code.
      return "ERR";
    }
    return new String(
        reply.array(), replyMark + 1, end - replyMark - 1, StandardCharsets.ISO_8859_1);
  }

  /** A command ran for {@code nanos}. */
  public void called(Command command, long nanos, boolean hasFailed) {
    // One thread counts: there is nothing to compare with, and readers may be a moment behind.
    commands.lazySet(commands.get() + 1);
    of(command).ran(nanos, hasFailed, timesCalls);
  }

  /** A command was refused before it ran. */
  public void refused(Command command) {
    of(command).refused();
  }

  /** A command that was counted when it began to wait has failed. */
  public void failedLater(Command command) {
    of(command).failedLater();
  }

  private CallStatistics of(Command command) {
    CallStatistics its = calls.get(command);
    return its == null ? calls.computeIfAbsent(command, first -> new CallStatistics()) : its;
  }

  /** Adds the calls of each command to {@code sum}. */
  public void addCallsTo(Map<String, CallStatistics> sum) {
    calls.forEach(
        (command, its) ->
            sum.computeIfAbsent(command.fullName(), first -> new CallStatistics()).add(its));
  }

  /** Whether the times of commands are counted, from now on. */
  public void timesCalls(boolean yes) {
    timesCalls = yes;
  }

  /** Counts an error of this code. */
  public void countError(String code) {
    AtomicLong count = errorsByCode.get(code);
    if (count == null && errorsByCode.size() < CODES_MAX) {
      count = errorsByCode.computeIfAbsent(code, missing -> new AtomicLong());
    }
    if (count != null) {
      count.incrementAndGet();
    }
  }

  /** Commands that ran, those that transactions and scripts call included. */
  public long commands() {
    return commands.get() - commandsBefore;
  }

  /** Keys that commands which read have found. */
  public long hits() {
    return hits.get() - hitsBefore;
  }

  /** Keys that commands which read have not found. */
  public long misses() {
    return misses.get() - missesBefore;
  }

  /** Adds the error replies by code to {@code sum}. */
  public void addErrorsTo(TreeMap<String, Long> sum) {
    errorsByCode.forEach((code, count) -> sum.merge(code, count.get(), Long::sum));
  }

  /** Starts again from zero, about now. */
  public void reset() {
    commandsBefore = commands.get();
    hitsBefore = hits.get();
    missesBefore = misses.get();
    errorsByCode.clear();
    calls.clear();
  }
}
