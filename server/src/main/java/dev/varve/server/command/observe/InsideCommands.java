package dev.varve.server.command.observe;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandStatistics;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What ran inside a transaction or a script that has not come to its end: counted and shown when it
 * has, forgotten when it is to run again.
 *
 * <p>Used by one thread only.
 */
final class InsideCommands {
  /** Those beyond are counted at once, and again if their script runs again. */
  private static final int CALLS_MAX = 1 << 16;

  /** More than these are not kept for the next script. */
  private static final int ROOM_KEPT = 1 << 10;

  private static final int TASKS_MAX = 1 << 12;

  private final CommandStatistics statistics;
  private Command[] commands = new Command[16];

  /** How long each took; the complement of that if it failed. */
  private long[] nanos = new long[16];

  private int calls;
  private final List<Command> refused = new ArrayList<>(0);
  private final List<String> errors = new ArrayList<>(0);
  private final List<Runnable> tasks = new ArrayList<>();

  InsideCommands(CommandStatistics statistics) {
    this.statistics = statistics;
  }

  /** A command ran for {@code itsNanos}. */
  void ran(Command command, long itsNanos, boolean hasFailed) {
    if (calls == CALLS_MAX) {
      statistics.called(command, itsNanos, hasFailed);
      return;
    }
    if (calls == nanos.length) {
      room(2 * calls);
    }
    commands[calls] = command;
    nanos[calls++] = hasFailed ? ~itsNanos : itsNanos;
  }

  /** A command was refused. */
  void refused(Command command) {
    if (refused.size() == TASKS_MAX) {
      statistics.refused(command);
    } else {
      refused.add(command);
    }
  }

  /** There was an error of this code. */
  void failed(String code) {
    if (errors.size() == TASKS_MAX) {
      statistics.countError(code);
    } else {
      errors.add(code);
    }
  }

  /** Something else to be done when the end has come. */
  void atEnd(Runnable task) {
    if (tasks.size() == TASKS_MAX) {
      runTasks();
    }
    tasks.add(task);
  }

  /** What they ran inside has come to its end. */
  void ended() {
    if (calls == 0 && refused.isEmpty() && errors.isEmpty() && tasks.isEmpty()) {
      // As of almost all commands.
      return;
    }
    addTo(statistics);
    runTasks();
    forget();
  }

  /** Counts in {@code sum} what there is so far. */
  void addTo(CommandStatistics sum) {
    for (int i = 0; i < calls; i++) {
      sum.called(commands[i], Math.max(nanos[i], ~nanos[i]), nanos[i] < 0);
    }
    refused.forEach(sum::refused);
    errors.forEach(sum::countError);
  }

  /** What they ran inside is to run again. */
  void forget() {
    calls = 0;
    refused.clear();
    errors.clear();
    if (nanos.length > ROOM_KEPT) {
      room(ROOM_KEPT);
    }
    tasks.clear();
  }

  private void runTasks() {
    tasks.forEach(Runnable::run);
    tasks.clear();
  }

  private void room(int size) {
    commands = Arrays.copyOf(commands, size);
    nanos = Arrays.copyOf(nanos, size);
  }
}
