package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CallStatistics;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.observe.Activity;
import dev.varve.server.command.observe.LatencyEvents;
import dev.varve.server.command.observe.SlowLog;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** MONITOR, SLOWLOG and LATENCY. Any thread. */
public final class ObservationCommands {
  private static final DataException NOT_IN_MULTI =
      new DataException("ERR MONITOR isn't allowed for DENY BLOCKING client");
  private static final DataException COUNT_TOO_SMALL =
      new DataException("ERR count should be greater than or equal to -1");
  private static final long SLOWLOG_DEFAULT_COUNT = 10;

  private final Activity activity;
  private final ServerStatus status;

  private ObservationCommands(Activity activity, ServerStatus status) {
    this.activity = activity;
    this.status = status;
  }

  public static void register(CommandTable table, Activity activity, ServerStatus status) {
    ObservationCommands commands = new ObservationCommands(activity, status);
    table.add(
        CommandGroup.SERVER,
        Command.named("monitor")
            .arity(1)
            .flags(ADMIN, NOSCRIPT, LOADING, STALE)
            .summary("Show every command of every client as it runs")
            .does(commands::monitor),
        Command.named("slowlog")
            .arity(-2)
            .since("2.2.12")
            .helpSince("6.2.0")
            .summary("Look at the commands that took longest")
            .subcommands(
                slow("get", -2, "Give the newest entries, ten unless told").does(commands::slowest),
                slow("len", 2, "Count the entries")
                    .does((context, args) -> context.reply().integer(activity.slowLog().size())),
                slow("reset", 2, "Throw the entries away").does(commands::resetSlowLog)),
        Command.named("latency")
            .arity(-2)
            .since("2.8.13")
            .summary("Look at what took long")
            .subcommands(
                Command.admin("doctor", 2, "2.8.13", "Say in words what took long")
                    .does(commands::doctor),
                Command.admin("graph", 3, "2.8.13", "Draw how long an event took, of late")
                    .does(commands::graph),
                Command.admin(
                        "histogram",
                        -2,
                        "7.0.0",
                        "Give for commands how many calls took up to how many microseconds")
                    .does(commands::histogram),
                Command.admin("history", 3, "2.8.13", "Give when an event took long, and how long")
                    .does(commands::history),
                Command.admin(
                        "latest", 2, "2.8.13", "Give for each event its last and its longest time")
                    .does(commands::latest),
                Command.admin(
                        "reset", -2, "2.8.13", "Forget what took long, of some events or of all")
                    .does(commands::resetLatency)));
  }

  private static Command slow(String name, int arity, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(ADMIN, LOADING, STALE)
        .since("2.2.12")
        .summary(summary);
  }

  private void monitor(CommandContext context, Args args) {
    if (!context.mayWait()) {
      throw NOT_IN_MULTI;
    }
    // As in Redis, a second one is not answered.
    if (activity.monitors().add(context.session())) {
      context.reply().ok();
    }
  }

  private void slowest(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    long count =
        args.count() == 2
            ? SLOWLOG_DEFAULT_COUNT
            : Arguments.integer(args, 2, -1, Long.MAX_VALUE, COUNT_TOO_SMALL);
    List<SlowLog.Entry> entries = activity.slowLog().newest(count < 0 ? Long.MAX_VALUE : count);
    RespEncoder reply = context.reply();
    reply.array(entries.size());
    for (SlowLog.Entry entry : entries) {
      reply.array(6);
      reply.integer(entry.id());
      reply.integer(entry.seconds());
      reply.integer(entry.micros());
      reply.array(entry.parts().size());
      entry.parts().forEach(reply::bulk);
      reply.bulk(entry.address());
      reply.bulk(entry.name());
    }
  }

  private void resetSlowLog(CommandContext context, Args args) {
    activity.slowLog().clear();
    context.reply().ok();
  }

  private void doctor(CommandContext context, Args args) {
    LatencyEvents events = activity.latencyEvents();
    text(
        context,
        LatencyAdvice.of(
            events.all(),
            events.isOn(),
            status.blockedLoops(),
            status.loopsBlockedThemselves(),
            status.longestBlockMillis()));
  }

  private void graph(CommandContext context, Args args) {
    String event = args.text(2);
    for (LatencyEvents.Series series : activity.latencyEvents().all()) {
      if (series.event().equals(event)) {
        text(context, LatencyGraph.of(series));
        return;
      }
    }
    throw DataException.quoting("ERR No samples available for event '", args.get(2), "'");
  }

  private static void text(CommandContext context, String text) {
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }

  private void histogram(CommandContext context, Args args) {
    TreeMap<String, CallStatistics> calls = status.calls();
    Map<String, CallStatistics> wanted = new TreeMap<>();
    if (args.count() == 2) {
      wanted.putAll(calls);
    }
    for (int i = 2; i < args.count(); i++) {
      String name = args.text(i).toLowerCase(Locale.ROOT);
      calls.forEach(
          (each, its) -> {
            if (each.equals(name) || each.startsWith(name + '|')) {
              wanted.put(each, its);
            }
          });
    }
    wanted.values().removeIf(its -> its.timed() == 0);
    context.reply().map(wanted.size());
    wanted.forEach((name, its) -> histogram(context.reply(), name, its));
  }

  private static void histogram(RespEncoder reply, String name, CallStatistics its) {
    reply.bulk(name);
    reply.map(2);
    reply.bulk("calls");
    reply.integer(its.timed());
    reply.bulk("histogram_usec");
    List<long[]> steps = new ArrayList<>();
    long before = 0;
    for (long micros = 1; before < its.timed() && micros > 0; micros *= 2) {
      long within = its.within(micros);
      if (within > before) {
        steps.add(new long[] {micros, within});
        before = within;
      }
    }
    reply.map(steps.size());
    for (long[] step : steps) {
      reply.integer(step[0]);
      reply.integer(step[1]);
    }
  }

  private void history(CommandContext context, Args args) {
    List<LatencyEvents.Sample> samples = activity.latencyEvents().of(args.text(2));
    context.reply().array(samples.size());
    for (LatencyEvents.Sample sample : samples) {
      context.reply().array(2);
      context.reply().integer(sample.seconds());
      context.reply().integer(sample.millis());
    }
  }

  private void latest(CommandContext context, Args args) {
    List<LatencyEvents.Series> all = activity.latencyEvents().all();
    context.reply().array(all.size());
    for (LatencyEvents.Series series : all) {
      context.reply().array(4);
      context.reply().bulk(series.event());
      context.reply().integer(series.last().seconds());
      context.reply().integer(series.last().millis());
      context.reply().integer(series.maxMillis());
    }
  }

  private void resetLatency(CommandContext context, Args args) {
    List<String> events = new ArrayList<>();
    for (int i = 2; i < args.count(); i++) {
      events.add(args.text(i));
    }
    context.reply().integer(activity.latencyEvents().clear(events));
  }
}
