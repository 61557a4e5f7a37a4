package dev.varve.server.command.replication;

import static dev.varve.server.command.CommandFlag.BLOCKING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.lead.Acknowledgements;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** WAIT and WAITAOF: until what a client has written is where it is to be. */
public final class WaitCommands {
  private static final DataException WAIT_ON_REPLICA =
      new DataException(
          "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if"
              + " a replica is configured to be writable (which is not the default) writes to"
              + " replicas are just local and are not propagated.");
  private static final DataException WAITAOF_ON_REPLICA =
      new DataException(
          "ERR WAITAOF cannot be used with replica instances. Please also note that writes to"
              + " replicas are just local and are not propagated.");
  private static final DataException NEITHER_0_NOR_1 =
      new DataException("ERR value is out of range, value must between 0 and 1");

  private final Following following;
  private final Leading leading;

  private WaitCommands(Keyspace keyspace) {
    this.following = keyspace.following();
    this.leading = keyspace.leading();
  }

  public static void register(CommandTable table, Keyspace keyspace) {
    WaitCommands commands = new WaitCommands(keyspace);
    table.add(
        CommandGroup.GENERIC,
        Command.named("wait")
            .arity(3)
            .flags(NOSCRIPT)
            .since("3.0.0")
            .summary("Wait until so many replicas have carried out what was written")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::await),
        Command.named("waitaof")
            .arity(4)
            .flags(BLOCKING)
            .since("7.2.0")
            .summary("Wait until what was written is synced, here and by so many replicas")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::awaitSync));
  }

  private void await(CommandContext context, Args args) {
    if (following.isOn()) {
      throw WAIT_ON_REPLICA;
    }
    long wanted = Arguments.integer(args, 1);
    long timeoutMillis = Arguments.wholeTimeoutMillis(args, 2);
    Acknowledgements acknowledgements = leading.acknowledgements();
    long offset = toldUpTo();
    await(
        context,
        timeoutMillis,
        () -> acknowledgements.countCarriedOut(offset) >= wanted,
        reply -> reply.integer(acknowledgements.countCarriedOut(offset)));
  }

  /** As in Redis, that is also what a client has published, migrated or read of others. */
  private long toldUpTo() {
    return leading.stream().changes();
  }

  private void awaitSync(CommandContext context, Args args) {
    long here = Arguments.integer(args, 1);
    if (here < 0 || here > 1) {
      throw NEITHER_0_NOR_1;
    }
    long wanted = Arguments.positive(args, 2);
    long timeoutMillis = Arguments.wholeTimeoutMillis(args, 3);
    if (following.isOn()) {
      throw WAITAOF_ON_REPLICA;
    }
    Acknowledgements acknowledgements = leading.acknowledgements();
    long commits = context.session().writtenWith();
    long offset = toldUpTo();
    await(
        context,
        timeoutMillis,
        () ->
            (here == 0 || acknowledgements.isSynced(commits))
                && acknowledgements.countSynced(offset) >= wanted,
        reply -> {
          reply.array(2);
          reply.integer(acknowledgements.isSynced(commits) ? 1 : 0);
          reply.integer(acknowledgements.countSynced(offset));
        });
  }

  private void await(
      CommandContext context,
      long timeoutMillis,
      BooleanSupplier isThere,
      Consumer<RespEncoder> reply) {
    if (isThere.getAsBoolean() || !context.mayWait()) {
      reply.accept(context.reply());
      return;
    }
    leading.await(context.waitFor(timeoutMillis, reply), isThere);
  }
}
