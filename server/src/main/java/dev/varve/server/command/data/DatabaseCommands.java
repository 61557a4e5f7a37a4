package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Keys;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;

/** The commands of the server group that take whole databases. */
public final class DatabaseCommands {
  private static final DataException NOT_A_FIRST = new DataException("ERR invalid first DB index");
  private static final DataException NOT_A_SECOND =
      new DataException("ERR invalid second DB index");

  private final Runnable onNothingFlushed;

  private DatabaseCommands(Runnable onNothingFlushed) {
    this.onNothingFlushed = onNothingFlushed;
  }

  /**
   * @param onNothingFlushed told of a flush that had nothing to delete; keyspace loop
   */
  public static void register(CommandTable table, Runnable onNothingFlushed) {
    DatabaseCommands commands = new DatabaseCommands(onNothingFlushed);
    table.add(
        CommandGroup.SERVER,
        Command.named("dbsize")
            .arity(1)
            .flags(READONLY, FAST)
            .summary("Count the keys of the database; exact, and O(1)")
            // It is the writer's count: there, replies wait until that is published.
            .at(Command.Place.KEYSPACE_LOOP)
            .does(DatabaseCommands::size),
        Command.named("flushdb")
            .arity(-1)
            .flags(WRITE)
            .summary("Delete every key of the database; O(1)")
            .does(commands::flush),
        Command.named("flushall")
            .arity(-1)
            .flags(WRITE)
            .summary("Delete every key of every database; O(1)")
            .does(commands::flushAll),
        Command.named("swapdb")
            .arity(3)
            .flags(WRITE, FAST)
            .since("4.0.0")
            .summary("Let two databases change places; O(1)")
            .does(DatabaseCommands::swap));
  }

  private static void size(CommandContext context, Args args) {
    context.reply().integer(Keys.size(context.transaction(), context.database()));
  }

  private void flush(CommandContext context, Args args) {
    checkFlushOptions(args);
    flushed(context, context.transaction().flush(context.database()));
    context.reply().ok();
  }

  private void flushAll(CommandContext context, Args args) {
    checkFlushOptions(args);
    flushed(context, Keys.flushAll(context.transaction()));
    context.reply().ok();
  }

  /** Where nothing was flushed nothing is applied, but clients that cache are told all the same. */
  private void flushed(CommandContext context, long keys) {
    if (keys == 0 && !context.isTrial()) {
      onNothingFlushed.run();
    }
  }

  /** SYNC and ASYNC are the same here: neither takes any time. */
  private static void checkFlushOptions(Args args) {
    boolean valid =
        args.count() == 1 || (args.count() == 2 && (args.is(1, "SYNC") || args.is(1, "ASYNC")));
    if (!valid) {
      throw Arguments.SYNTAX_ERROR;
    }
  }

  private static void swap(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    long first = Arguments.integer(args, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, NOT_A_FIRST);
    long second = Arguments.integer(args, 2, Integer.MIN_VALUE, Integer.MAX_VALUE, NOT_A_SECOND);
    int count = transaction.databases().count();
    if (first < 0 || first >= count || second < 0 || second >= count) {
      throw GenericCommands.NO_SUCH_DATABASE;
    }
    transaction.swap((int) first, (int) second);
    context.reply().ok();
  }
}
