package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.MAY_REPLICATE;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.codec.string.HyperLogLogs;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import java.util.function.BooleanSupplier;

/** The commands of the hyperloglog group. */
public final class HyperLogLogCommands {
  private final BooleanSupplier takesWrites;

  private HyperLogLogCommands(BooleanSupplier takesWrites) {
    this.takesWrites = takesWrites;
  }

  /**
   * @param takesWrites whether the disk does, so that a count may be kept in its value
   */
  public static void register(CommandTable table, BooleanSupplier takesWrites) {
    HyperLogLogCommands commands = new HyperLogLogCommands(takesWrites);
    table.add(
        CommandGroup.HYPERLOGLOG,
        Command.named("pfadd")
            .arity(-2)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .since("2.8.9")
            .summary("Count elements in; tell whether the estimate may have changed")
            .does(HyperLogLogCommands::add),
        Command.named("pfcount")
            .arity(-2)
            .flags(READONLY, MAY_REPLICATE)
            .keys(1, -1, 1)
            .since("2.8.9")
            .summary("Estimate how many different elements were counted in")
            // It keeps what it has counted in the value.
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::count),
        Command.named("pfmerge")
            .arity(-2)
            .flags(WRITE, DENYOOM)
            .keys(1, -1, 1)
            .since("2.8.9")
            .summary("Join HyperLogLogs: as if all elements had been counted into one")
            .does(HyperLogLogCommands::merge),
        Command.named("pfdebug")
            .arity(3)
            .flags(WRITE, DENYOOM, ADMIN)
            .keys(2, 2, 1)
            .since("2.8.9")
            .summary("Show the registers of a HyperLogLog, for tests")
            .does(HyperLogLogCommands::debug),
        Command.named("pfselftest")
            .arity(1)
            .flags(ADMIN)
            .since("2.8.9")
            .summary("Answer OK; the build tests HyperLogLogs, not the server")
            .does((context, args) -> context.reply().ok()));
  }

  private static void add(CommandContext context, Args args) {
    boolean isChanged =
        HyperLogLogs.add(
            context.transaction(), context.database(), args.get(1), args.list(2, args.count()));
    context.reply().integer(isChanged ? 1 : 0);
  }

  private void count(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    if (args.count() > 2) {
      context
          .reply()
          .integer(HyperLogLogs.count(transaction, context.database(), args.list(1, args.count())));
      return;
    }
    boolean isNoted = takesWrites.getAsBoolean();
    context
        .reply()
        .integer(HyperLogLogs.count(transaction, context.database(), args.get(1), isNoted));
  }

  private static void merge(CommandContext context, Args args) {
    HyperLogLogs.merge(
        context.transaction(), context.database(), args.get(1), args.list(2, args.count()));
    context.reply().ok();
  }

  private static void debug(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    int database = context.database();
    byte[] key = args.get(2);
    HyperLogLogs.requireOne(transaction, database, key);
    if (args.is(1, "GETREG")) {
      byte[] registers = HyperLogLogs.registers(transaction, database, key);
      context.reply().array(registers.length);
      for (byte register : registers) {
        context.reply().integer(register);
      }
    } else if (args.is(1, "DECODE")) {
      context.reply().bulk(HyperLogLogs.runs(transaction, database, key));
    } else if (args.is(1, "ENCODING")) {
      context.reply().status(HyperLogLogs.isDense(transaction, database, key) ? "dense" : "sparse");
    } else if (args.is(1, "TODENSE")) {
      context.reply().integer(HyperLogLogs.makeDense(transaction, database, key) ? 1 : 0);
    } else {
      throw DataException.quoting("ERR Unknown PFDEBUG subcommand '", args.get(1), "'");
    }
  }
}
