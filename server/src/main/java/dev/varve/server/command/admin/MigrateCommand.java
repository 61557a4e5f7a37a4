package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.GuardedKey;
import dev.varve.codec.GuardedKeys;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Wait;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** MIGRATE: its client waits while a {@link Migration} carries its keys to another server. */
public final class MigrateCommand {
  private static final DataException NOT_INSIDE =
      new DataException("ERR MIGRATE inside MULTI or a script is not supported by this server");

  private final Keyspace keyspace;
  private final Consumer<Migration> carrier;

  private MigrateCommand(Keyspace keyspace, Consumer<Migration> carrier) {
    this.keyspace = keyspace;
    this.carrier = carrier;
  }

  /**
   * @param carrier carries it out and ends it; called on the keyspace loop, returns at once
   */
  public static void register(CommandTable table, Keyspace keyspace, Consumer<Migration> carrier) {
    table.add(
        CommandGroup.GENERIC,
        Command.named("migrate")
            .arity(-6)
            .flags(WRITE)
            .at(Command.Place.KEYSPACE_LOOP)
            .keys(3, 3, 1)
            .keys(MigrateArguments::keyPositions)
            .since("2.6.0")
            .summary("Move keys to another server")
            .does(new MigrateCommand(keyspace, carrier)::migrate));
  }

  private void migrate(CommandContext context, Args args) {
    MigrateArguments arguments = MigrateArguments.of(args);
    GuardedKeys guard = new GuardedKeys();
    List<GuardedKey> found = new ArrayList<>(arguments.keys().size());
    for (byte[] key : arguments.keys()) {
      GuardedKey its = guard.find(context.transaction(), context.database(), key);
      if (its != null) {
        found.add(its);
      }
    }
    if (found.isEmpty()) {
      context.reply().status("NOKEY");
      return;
    }
    if (!context.mayWait() || context.isInScript()) {
      throw NOT_INSIDE;
    }
    int database = context.database();
    Wait wait = context.waitFor(Wait.FOREVER, reply -> reply.error(Migration.STOPPED));
    wait.whenParked(
        () -> {
          keyspace.writtenKeys().guard(guard);
          carrier.accept(
              new Migration(keyspace, arguments, database, guard, List.copyOf(found), wait));
        });
  }
}
