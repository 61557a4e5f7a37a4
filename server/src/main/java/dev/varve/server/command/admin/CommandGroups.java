package dev.varve.server.command.admin;

import dev.varve.server.command.CommandTable;
import dev.varve.server.command.data.BitmapCommands;
import dev.varve.server.command.data.BlockingCommands;
import dev.varve.server.command.data.ConditionalStringCommands;
import dev.varve.server.command.data.DatabaseCommands;
import dev.varve.server.command.data.DumpCommands;
import dev.varve.server.command.data.ExpiryCommands;
import dev.varve.server.command.data.GenericCommands;
import dev.varve.server.command.data.GeoCommands;
import dev.varve.server.command.data.HashCommands;
import dev.varve.server.command.data.HashExpiryCommands;
import dev.varve.server.command.data.HyperLogLogCommands;
import dev.varve.server.command.data.ListCommands;
import dev.varve.server.command.data.ObjectCommands;
import dev.varve.server.command.data.ScanCommands;
import dev.varve.server.command.data.SetAlgebraCommands;
import dev.varve.server.command.data.SetCommands;
import dev.varve.server.command.data.SortCommands;
import dev.varve.server.command.data.SortedSetCommands;
import dev.varve.server.command.data.StreamCommands;
import dev.varve.server.command.data.StringCommands;
import dev.varve.server.command.replication.ReplicationCommands;
import dev.varve.server.command.replication.WaitCommands;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.session.FunctionCommands;
import dev.varve.server.command.session.PubSubCommands;
import dev.varve.server.command.session.ScriptCommands;
import dev.varve.server.command.session.TransactionCommands;

/**
 * The one list of all groups that need the keyspace and no more: each line is a group's
 * registration.
 *
 * <p>Groups that need the server around them (connection, server) are registered by whoever has it.
 */
public final class CommandGroups {
  private CommandGroups() {}

  public static void register(CommandTable table, Keyspace keyspace) {
    GenericCommands.register(table);
    ExpiryCommands.register(table);
    ScanCommands.register(table);
    ObjectCommands.register(table);
    DumpCommands.register(table);
    DatabaseCommands.register(table, keyspace.listeners().tracking()::flushed);
    StringCommands.register(table);
    ConditionalStringCommands.register(table);
    BitmapCommands.register(table);
    HyperLogLogCommands.register(table, keyspace::takesWrites);
    GeoCommands.register(table);
    StreamCommands.register(table);
    HashCommands.register(table);
    HashExpiryCommands.register(table);
    ListCommands.register(table);
    SetCommands.register(table);
    SetAlgebraCommands.register(table);
    SortCommands.register(table);
    TransactionCommands.register(table, keyspace.listeners().watches());
    SortedSetCommands.register(table);
    ScriptCommands.register(table, keyspace.scripts(), keyspace.scriptRuns());
    FunctionCommands.register(table, keyspace);
    PubSubCommands.register(table, keyspace.listeners().pubSub(), keyspace.leading());
    BlockingCommands.register(table);
    ModuleCommands.register(table);
    LolwutCommand.register(table);
    ReplicationCommands.register(table, keyspace);
    WaitCommands.register(table, keyspace);
  }
}
