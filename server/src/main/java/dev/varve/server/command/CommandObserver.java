package dev.varve.server.command;

import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Tells those who look at commands of each that ran on one thread: statistics, slow log, latency
 * events, monitors.
 *
 * <p>Used by that thread only.
 */
final class CommandObserver {

  /** How monitors are shown who calls commands in scripts. */
  private static final String SCRIPT = "lua";

  /**
   * A command that ran inside a transaction or a script, to be shown with that.
   *
   * @param from where it came from
   */
  private record Ran(String from, int database, Command command, Args args, long atMicros) {}

  private final Activity activity;
  private final RespEncoder reply;
  private final LongSupplier clock;
  private final CommandStatistics statistics = new CommandStatistics();
  private final List<Ran> inside = new ArrayList<>();

  CommandObserver(Activity activity, RespEncoder reply, LongSupplier clock) {
    this.activity = activity;
    this.reply = reply;
    this.clock = clock;
  }

  CommandStatistics statistics() {
    return statistics;
  }

  /**
   * A command came to its end.
   *
   * @param fromNanos when it began
   * @param begin where its reply does
   */
  void ran(Session session, Command command, Args args, long fromNanos, int begin) {
    long micros = count(command, fromNanos, begin);
    activity.slowLog().ran(session, command, args, micros, clock);
    shown(session, command, args);
    if (activity.latencyEvents().isOn()) {
      String event = command.is(CommandFlag.FAST) ? "fast-command" : "command";
      activity.latencyEvents().took(event, micros, clock.getAsLong());
    }
  }

  /** A command makes its client wait; {@link #served} follows if that is not in vain. */
  void blocked(Session session, Command command, Args args, long fromNanos, int begin) {
    count(command, fromNanos, begin);
    shown(session, command, args);
  }

  /** A client that waited was served. */
  void served(Session session, Command command, Args args, long fromNanos, int begin) {
    if (reply.mark() > begin && reply.byteAt(begin) == '-') {
      statistics.failedLater(command);
    }
    long micros = (System.nanoTime() - fromNanos) / 1000;
    activity.slowLog().ran(session, command, args, micros, clock);
  }

  private void shown(Session session, Command command, Args args) {
    if (!activity.monitors().isEmpty()) {
      for (Ran each : inside) {
        activity.monitors().ran(each.from, each.database, each.command, each.args, each.atMicros);
      }
      if (isShown(command)) {
        activity.monitors().ran(session.address(), session.database(), command, args, nowMicros());
      }
    }
    inside.clear();
  }

  /** A command of a transaction came to its end; it is shown when the transaction has. */
  void ranQueued(Session session, Command command, Args args, long fromNanos, int begin) {
    activity.slowLog().ran(session, command, args, count(command, fromNanos, begin), clock);
    if (isShown(command)) {
      showLater(session.address(), session, command, args);
    }
  }

  /** This command calls a script or function. It is shown before what that calls. */
  void scriptCalled(Session session, Command command, Args args) {
    showLater(session.address(), session, command, args);
  }

  /** A command that a script called came to its end. */
  void ranInScript(Session session, Command command, Args args, long fromNanos, int begin) {
    activity.slowLog().ran(session, command, args, count(command, fromNanos, begin), clock);
    statistics.countError(reply, begin);
    if (isShown(command)) {
      showLater(SCRIPT, session, command, args);
    }
  }

  private static boolean isShown(Command command) {
    return !command.is(CommandFlag.SKIP_MONITOR) && !command.is(CommandFlag.ADMIN);
  }

  private void showLater(String from, Session session, Command command, Args args) {
    if (!activity.monitors().isEmpty()) {
      inside.add(new Ran(from, session.database(), command, args, nowMicros()));
    }
  }

  /** The transaction is to run again. */
  void unwound() {
    inside.clear();
  }

  private long count(Command command, long fromNanos, int begin) {
    long nanos = System.nanoTime() - fromNanos;
    boolean hasFailed = reply.mark() > begin && reply.byteAt(begin) == '-';
    statistics.called(command, nanos, hasFailed);
    return nanos / 1000;
  }

  private long nowMicros() {
    return 1000 * clock.getAsLong() + System.nanoTime() / 1000 % 1000;
  }
}
