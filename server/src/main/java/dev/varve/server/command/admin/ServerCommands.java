package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_ASYNC_LOADING;
import static dev.varve.server.command.CommandFlag.NO_MULTI;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Wait;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.config.FileProblem;
import dev.varve.server.resp.Args;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** INFO, TIME, SAVE and its like, and SHUTDOWN. */
public final class ServerCommands {
  private static final DataException SAVING =
      new DataException("ERR Background save already in progress");
  private static final String NOT_SHUT_DOWN = "ERR Errors trying to SHUTDOWN. Check logs.";
  private static final DataException NO_SHUTDOWN =
      new DataException("ERR No shutdown in progress.");

  private final InfoReport info;
  private final Persistence persistence;
  private final LongRun longRun;
  private final Leading.Ending ending;
  private final Runnable shutdown;

  private ServerCommands(
      InfoReport info,
      Persistence persistence,
      LongRun longRun,
      Leading.Ending ending,
      Runnable shutdown) {
    this.info = info;
    this.persistence = persistence;
    this.longRun = longRun;
    this.ending = ending;
    this.shutdown = shutdown;
  }

  /**
   * @param shutdown ends the server, soon and on another thread
   */
  public static void register(
      CommandTable table,
      InfoReport info,
      Persistence persistence,
      Keyspace keyspace,
      Runnable shutdown) {
    ServerCommands commands =
        new ServerCommands(
            info, persistence, keyspace.longRun(), keyspace.leading().ending(), shutdown);
    table.add(
        CommandGroup.SERVER,
        Command.named("info")
            .arity(-1)
            .flags(LOADING, STALE)
            .since("1.0.0")
            .summary("Tell how the server is doing: its load, its memory, its tree")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::info),
        Command.named("time")
            .arity(1)
            .flags(LOADING, STALE, FAST)
            .since("2.6.0")
            .summary("Give the server's clock in seconds and microseconds")
            .does(ServerCommands::time),
        Command.named("save")
            .arity(1)
            .flags(ADMIN, NOSCRIPT, NO_ASYNC_LOADING, NO_MULTI)
            .since("1.0.0")
            .summary("Write what is in memory as tables; without it nothing is lost either")
            .at(Command.Place.WORKER)
            .does(commands::save),
        Command.named("bgsave")
            .arity(-1)
            .flags(ADMIN, NOSCRIPT, NO_ASYNC_LOADING)
            .since("1.0.0")
            .summary("SAVE without waiting for its end")
            .does(commands::backgroundSave),
        Command.named("lastsave")
            .arity(1)
            .flags(LOADING, STALE, FAST)
            .since("1.0.0")
            .summary("Give the Unix time in seconds of the last save")
            .does(commands::lastSave),
        Command.named("shutdown")
            .arity(-1)
            .flags(ADMIN, NOSCRIPT, LOADING, STALE, NO_MULTI, ALLOW_BUSY)
            .since("1.0.0")
            .summary("End the server; what is acknowledged is kept")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::shutdown),
        Command.named("bgrewriteaof")
            .arity(1)
            .flags(ADMIN, NOSCRIPT, NO_ASYNC_LOADING)
            .since("1.0.0")
            .summary("Answer as Redis does; compaction is at it all the time")
            .does(
                (context, args) ->
                    context.reply().status("Background append only file rewriting started")));
  }

  private void info(CommandContext context, Args args) {
    String text = info.text(context, args);
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void time(CommandContext context, Args args) {
    Instant now = context.wallTime();
    context.reply().array(2);
    context.reply().bulk(now.getEpochSecond());
    context.reply().bulk(now.getNano() / 1000);
  }

  private void save(CommandContext context, Args args) {
    try {
      if (!persistence.save()) {
        throw SAVING;
      }
    } catch (IOException failure) {
      throw new DataException("ERR cannot save: " + FileProblem.describe(failure));
    }
    context.reply().ok();
  }

  private void backgroundSave(CommandContext context, Args args) {
    if (args.count() > 2 || (args.count() == 2 && !args.is(1, "SCHEDULE"))) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (!persistence.startInBackground()) {
      throw SAVING;
    }
    context.reply().status("Background saving started");
  }

  private void lastSave(CommandContext context, Args args) {
    context.reply().integer(persistence.lastSaveMillis() / 1000);
  }

  private void shutdown(CommandContext context, Args args) {
    boolean aborts = false;
    boolean saves = true;
    boolean isSaveSaid = false;
    boolean waits = true;
    for (int i = 1; i < args.count(); i++) {
      if (args.is(i, "ABORT")) {
        aborts = true;
      } else if (args.is(i, "NOSAVE")) {
        saves = false;
      } else if (args.is(i, "SAVE")) {
        isSaveSaid = true;
      } else if (args.is(i, "NOW")) {
        waits = false;
      } else if (!args.is(i, "FORCE")) {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    if (isSaveSaid && !saves) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (aborts) {
      abortShutdown(context, args);
      return;
    }
    DataException busy = longRun.busy();
    if (saves && busy != null) {
      throw busy;
    }
    if (!waits) {
      ending.skip();
    }
    if (context.mayWait()) {
      // No reply: the client sees its connection close.
      Wait wait = context.waitFor(Wait.FOREVER, reply -> reply.error(NOT_SHUT_DOWN));
      ending.begin(shutdown, wait::timeOut);
    } else {
      ending.begin(shutdown, () -> {});
    }
  }

  private void abortShutdown(CommandContext context, Args args) {
    if (args.count() > 2) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (!ending.abort()) {
      throw NO_SHUTDOWN;
    }
    context.reply().ok();
  }
}
