package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.SKIP_SLOWLOG;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.QueuedCommands;
import dev.varve.server.command.Session;
import dev.varve.server.command.Watch;
import dev.varve.server.command.listen.WatchTable;
import dev.varve.server.resp.Args;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * MULTI, EXEC, DISCARD, WATCH, UNWATCH.
 *
 * <p>A whole EXEC is one transaction of the codec, hence one atomic batch in the log: after a crash
 * all of it is there, or nothing.
 */
public final class TransactionCommands {
  private static final DataException NESTED =
      new DataException("ERR MULTI calls can not be nested");
  private static final DataException EXEC_WITHOUT_MULTI =
      new DataException("ERR EXEC without MULTI");
  private static final DataException DISCARD_WITHOUT_MULTI =
      new DataException("ERR DISCARD without MULTI");
  private static final DataException WATCH_INSIDE_MULTI =
      new DataException("ERR WATCH inside MULTI is not allowed");
  private static final String ABORTED =
      "EXECABORT Transaction discarded because of previous errors.";

  private final WatchTable watches;

  private TransactionCommands(WatchTable watches) {
    this.watches = watches;
  }

  public static void register(CommandTable table, WatchTable watches) {
    TransactionCommands commands = new TransactionCommands(watches);
    table.add(
        CommandGroup.TRANSACTIONS,
        Command.named("multi")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, ALLOW_BUSY)
            .since("1.2.0")
            .summary("Queue what follows until EXEC runs it or DISCARD drops it")
            .runsInsideMulti()
            .does(TransactionCommands::multi),
        Command.named("exec")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, SKIP_SLOWLOG)
            .since("1.2.0")
            .summary("Run what was queued since MULTI, with nothing in between")
            .at(Command.Place.KEYSPACE_LOOP)
            .exec()
            .does(TransactionCommands::exec),
        Command.named("discard")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, ALLOW_BUSY)
            .since("2.0.0")
            .summary("Throw away what was queued since MULTI, and end WATCH")
            .at(Command.Place.KEYSPACE_LOOP)
            .runsInsideMulti()
            .does(TransactionCommands::discard),
        Command.named("watch")
            .arity(-2)
            .flags(NOSCRIPT, LOADING, STALE, FAST, ALLOW_BUSY)
            .keys(1, -1, 1)
            .since("2.2.0")
            .summary("Make the next EXEC do nothing if one of these keys changes before it")
            .at(Command.Place.KEYSPACE_LOOP)
            .runsInsideMulti()
            .does(commands::watch),
        Command.named("unwatch")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, ALLOW_BUSY)
            .since("2.2.0")
            .summary("Watch no key any more")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(TransactionCommands::unwatch));
  }

  private static void multi(CommandContext context, Args args) {
    if (context.session().queue().isOpen()) {
      throw NESTED;
    }
    context.session().queue().begin();
    context.reply().ok();
  }

  private static void exec(CommandContext context, Args args) {
    Session session = context.session();
    List<QueuedCommands.Queued> queue = session.queue().list();
    if (queue == null) {
      throw EXEC_WITHOUT_MULTI;
    }
    Watch watch = session.watch();
    if (session.queue().isBroken()) {
      context.reply().error(ABORTED);
    } else if (watch.isChanged() || WatchTable.hasExpired(watch, context.nowMillis())) {
      context.reply().nullArray();
    } else {
      context.reply().array(queue.size());
      for (QueuedCommands.Queued queued : queue) {
        context.runQueued(queued.command(), queued.args());
      }
    }
    session.endTransaction();
  }

  private static void discard(CommandContext context, Args args) {
    if (!context.session().queue().isOpen()) {
      throw DISCARD_WITHOUT_MULTI;
    }
    context.session().endTransaction();
    context.reply().ok();
  }

  private void watch(CommandContext context, Args args) {
    Session session = context.session();
    if (session.queue().isOpen()) {
      throw WATCH_INSIDE_MULTI;
    }
    int database = context.database();
    @Nullable Meta[] found = new @Nullable Meta[args.count()];
    for (int i = 1; i < args.count(); i++) {
      found[i] = context.transaction().peek(database, args.get(i));
    }
    // What has changed already stays changed: there is no point in watching more.
    if (!context.isTrial() && !session.watch().isChanged()) {
      watches.requireRoom(args);
      // Later, as this takes away what had expired before.
      context.sendLater(
          0, // It is what the request is made of, and comes alone.
          () -> {
            for (int i = 1; i < args.count(); i++) {
              watches.add(session.watch(), database, args.get(i), found[i]);
            }
          });
    }
    context.reply().ok();
  }

  private static void unwatch(CommandContext context, Args args) {
    context.session().watch().end();
    context.reply().ok();
  }
}
