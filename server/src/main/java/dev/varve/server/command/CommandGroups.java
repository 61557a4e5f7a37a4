package dev.varve.server.command;

/**
 * The one list of all groups that work on data alone: each line is a group's registration.
 *
 * <p>Groups that need the server around them (connection, server) are registered by whoever has it.
 */
public final class CommandGroups {
  private CommandGroups() {}

  public static void register(CommandTable table) {
    GenericCommands.register(table);
    ExpiryCommands.register(table);
    ScanCommands.register(table);
    ObjectCommands.register(table);
    DumpCommands.register(table);
    DatabaseCommands.register(table);
    StringCommands.register(table);
    BitmapCommands.register(table);
    HyperLogLogCommands.register(table);
    GeoCommands.register(table);
    StreamCommands.register(table);
    HashCommands.register(table);
    HashExpiryCommands.register(table);
    ListCommands.register(table);
    SetCommands.register(table);
    SetAlgebraCommands.register(table);
    SortCommands.register(table);
    TransactionCommands.register(table);
    SortedSetCommands.register(table);
    ScriptCommands.register(table);
    FunctionCommands.register(table);
    PubSubCommands.register(table);
    BlockingCommands.register(table);
    SingleNodeCommands.register(table);
  }
}
