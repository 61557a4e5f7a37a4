package dev.varve.server.command.observe;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandStatistics;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells those who look at commands of each that ran on one thread: statistics, slow log, latency
 * events, monitors.
 *
 * <p>Used by that thread only.
 */
public final class CommandObserver {

  /** How monitors are shown who calls commands in scripts. */
  private static final String SCRIPT = "lua";

  private final Activity activity;
  private final RespEncoder reply;
  private final LongSupplier clock;
  private final CommandStatistics statistics = new CommandStatistics();
  private final InsideCommands inside = new InsideCommands(statistics);

  /** Whether commands come one right after the other. */
  private boolean isInBurst;

  /** When the last command ended, if the next one begins right there. */
  private long endNanos;

  private boolean isEndKnown;

  public CommandObserver(Activity activity, RespEncoder reply, LongSupplier clock) {
    this.activity = activity;
    this.reply = reply;
    this.clock = clock;
  }

  public CommandStatistics statistics() {
    return statistics;
  }

  /** What ran so far inside the transaction or script that runs now, and is not counted yet. */
  public CommandStatistics statisticsInside() {
    CommandStatistics its = new CommandStatistics();
    inside.addTo(its);
    return its;
  }

  /** When the command that is about to run begins: where the one before it ended, if that is so. */
  public long begin() {
    return isEndKnown ? endNanos : System.nanoTime();
  }

  /** From here on commands come one right after the other. */
  public void burstBegins() {
    isInBurst = true;
    isEndKnown = false;
  }

  /** The last of them has run. */
  public void burstEnds() {
    isInBurst = false;
    isEndKnown = false;
  }

  /**
   * A command came to its end.
   *
   * @param fromNanos when it began
   * @param replyMark where its reply does
   */
  public void ran(Session session, Command command, Args args, long fromNanos, int replyMark) {
    long micros = count(command, fromNanos, replyMark);
    activity.slowLog().ran(session, command, args, micros, clock);
    shown(session, command, args);
    if (activity.latencyEvents().isOn()) {
      String event = command.is(CommandFlag.FAST) ? "fast-command" : "command";
      activity.latencyEvents().took(event, micros, clock.getAsLong());
    }
  }

  /** A command makes its client wait; {@link #served} follows if that is not in vain. */
  public void blocked(Session session, Command command, Args args, long fromNanos, int replyMark) {
    count(command, fromNanos, replyMark);
    shown(session, command, args);
  }

  /** A client that waited was served. */
  public void served(Session session, Command command, Args args, long fromNanos, int replyMark) {
    if (hasFailed(replyMark)) {
      statistics.failedLater(command);
    }
    long micros = (System.nanoTime() - fromNanos) / 1000;
    activity.slowLog().ran(session, command, args, micros, clock);
  }

  private void shown(Session session, Command command, Args args) {
    if (!activity.monitors().isEmpty() && isShown(command)) {
      activity
          .monitors()
          .ran(shownAddress(session), session.database(), command, args, nowMicros());
    }
  }

  private static String shownAddress(Session session) {
    String address = session.address();
    // As Redis shows it, without the port that a file does not have.
    return session.isByUnixSocket()
        ? "unix:" + address.substring(0, address.lastIndexOf(':'))
        : address;
  }

  /** A command of a transaction came to its end; it is counted when the transaction has. */
  public void ranQueued(
      Session session,
      Command command,
      Args args,
      long fromNanos,
      int replyMark,
      boolean isErrorCounted) {
    ranInside(shownAddress(session), session, command, args, fromNanos, replyMark, isErrorCounted);
  }

  /** This command calls a script or function. It is shown before what that calls. */
  public void scriptCalled(Session session, Command command, Args args) {
    showLater(shownAddress(session), session, command, args);
  }

  /** A command that a script called came to its end; it is counted when the script has. */
  public void ranInScript(
      Session session, Command command, Args args, long fromNanos, int replyMark) {
    ranInside(SCRIPT, session, command, args, fromNanos, replyMark, false);
  }

  /** A command that a script called, if there is such a one, was refused with an error. */
  public void refusedInScript(@Nullable Command command, String code) {
    if (command != null) {
      inside.refused(command);
    }
    inside.failed(code);
  }

  private void ranInside(
      String from,
      Session session,
      Command command,
      Args args,
      long fromNanos,
      int replyMark,
      boolean isErrorCounted) {
    long nanos = System.nanoTime() - fromNanos;
    inside.ran(command, nanos, hasFailed(replyMark));
    String code = isErrorCounted ? null : CommandStatistics.errorCode(reply, replyMark);
    if (code != null) {
      inside.failed(code);
    }
    long micros = nanos / 1000;
    if (activity.slowLog().isSlow(command, micros)) {
      inside.atEnd(() -> activity.slowLog().ran(session, command, args, micros, clock));
    }
    if (isShown(command)) {
      showLater(from, session, command, args);
    }
  }

  private static boolean isShown(Command command) {
    return !command.is(CommandFlag.SKIP_MONITOR) && !command.is(CommandFlag.ADMIN);
  }

  private void showLater(String from, Session session, Command command, Args args) {
    if (!activity.monitors().isEmpty()) {
      int database = session.database();
      long atMicros = nowMicros();
      inside.atEnd(() -> activity.monitors().ran(from, database, command, args, atMicros));
    }
  }

  /** The command is to run again. */
  public void unwound() {
    inside.forget();
  }

  private long count(Command command, long fromNanos, int replyMark) {
    endNanos = System.nanoTime();
    isEndKnown = isInBurst;
    long nanos = endNanos - fromNanos;
    inside.ended();
    statistics.called(command, nanos, hasFailed(replyMark));
    return nanos / 1000;
  }

  private boolean hasFailed(int replyMark) {
    return reply.mark() > replyMark && reply.byteAt(replyMark) == '-';
  }

  private long nowMicros() {
    return 1000 * clock.getAsLong() + System.nanoTime() / 1000 % 1000;
  }
}
