package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;

/**
 * What a server that is one node can say about clusters and modules: the truth where a client only
 * asks, an error where it wants something done. Any thread.
 */
final class SingleNodeCommands {
  static final DataException NO_CLUSTER =
      new DataException("ERR This instance has cluster support disabled");
  private static final DataException NO_MODULES =
      new DataException("ERR Modules are not supported by this server");

  /** The commands of CLUSTER: name, arity, since, summary. */
  private static final String CLUSTER =
      """
      addslots -3 3.0.0 Give slots to this node (refused)
      addslotsrange -4 7.0.0 Give ranges of slots to this node (refused)
      bumpepoch 2 3.0.0 Move to a later epoch (refused)
      count-failure-reports 3 3.0.0 Count who takes a node for dead (refused)
      countkeysinslot 3 3.0.0 Count the keys of a slot (refused)
      delslots -3 3.0.0 Take slots from this node (refused)
      delslotsrange -4 7.0.0 Take ranges of slots from this node (refused)
      failover -2 3.0.0 Let this replica take over from its master (refused)
      flushslots 2 3.0.0 Take all slots from this node (refused)
      forget 3 3.0.0 Let a node leave the cluster (refused)
      getkeysinslot 4 3.0.0 Give keys of a slot (refused)
      info 2 3.0.0 Tell how the cluster is doing (refused)
      keyslot 3 3.0.0 Tell the slot of a key (refused)
      links 2 7.0.0 List the connections between nodes (refused)
      meet -4 3.0.0 Bring a node into the cluster (refused)
      myid 2 3.0.0 Give this node's id (refused)
      nodes 2 3.0.0 Give a line about each node (refused)
      replicas 3 5.0.0 List the replicas of a master (refused)
      replicate 3 3.0.0 Follow another node as its replica (refused)
      reset -2 3.0.0 Leave the cluster and forget it (refused)
      saveconfig 2 3.0.0 Write down what this node knows of the cluster (refused)
      set-config-epoch 3 3.0.0 Give a new node its first epoch (refused)
      setslot -4 3.0.0 Tell to which node a slot belongs or moves (refused)
      shards 2 7.0.0 Tell which nodes serve which slots together (refused)
      slaves 3 3.0.0 Old name of CLUSTER REPLICAS (refused)
      slots 2 3.0.0 Tell which node serves which slots (refused)
      """;

  private SingleNodeCommands() {}

  static void register(CommandTable table) {
    registerCluster(table);
    table.add(
        CommandGroup.SERVER,
        Command.named("module")
            .arity(-2)
            .since("4.0.0")
            .helpSince("5.0.0")
            .summary("Tell of modules, of which there are none")
            .subcommands(
                admin("list", 2, "4.0.0", "List the modules: none")
                    .does((context, args) -> context.reply().array(0)),
                refusing(
                    admin("load", -3, "4.0.0", "Load a module (refused: there are none)"),
                    NO_MODULES),
                refusing(
                    admin(
                        "loadex",
                        -3,
                        "7.0.0",
                        "Load a module with its parameters (refused: there are none)"),
                    NO_MODULES),
                refusing(
                    admin("unload", 3, "4.0.0", "Throw a module out (refused: there are none)"),
                    NO_MODULES)),
        Command.named("lolwut")
            .arity(-1)
            .flags(READONLY, FAST)
            .since("5.0.0")
            .summary("Draw two layers of sediment, and give the version")
            .does(SingleNodeCommands::art));
  }

  private static void registerCluster(CommandTable table) {
    table.add(
        CommandGroup.CLUSTER,
        refusing(
            Command.named("asking")
                .arity(1)
                .flags(FAST)
                .since("3.0.0")
                .summary("Let the next command reach a slot that moves (refused: no cluster)"),
            NO_CLUSTER),
        refusing(
            Command.named("readonly")
                .arity(1)
                .flags(LOADING, STALE, FAST)
                .since("3.0.0")
                .summary("Let a replica of a cluster answer reads (refused: no cluster)"),
            NO_CLUSTER),
        refusing(
            Command.named("readwrite")
                .arity(1)
                .flags(LOADING, STALE, FAST)
                .since("3.0.0")
                .summary("End READONLY (refused: no cluster)"),
            NO_CLUSTER),
        Command.named("cluster")
            .arity(-2)
            .since("3.0.0")
            .helpSince("5.0.0")
            .summary("Ask about a cluster (refused: there is none)")
            .unsupported()
            .subcommands(clusterCommands()));
  }

  private static Command[] clusterCommands() {
    String[] lines = CLUSTER.split("\n");
    Command[] commands = new Command[lines.length];
    for (int i = 0; i < lines.length; i++) {
      String[] words = lines[i].split(" ", 4);
      commands[i] =
          refusing(
              clusterCommand(words[0])
                  .arity(Integer.parseInt(words[1]))
                  .flags(STALE)
                  .since(words[2])
                  .summary(words[3]),
              NO_CLUSTER);
    }
    return commands;
  }

  private static Command clusterCommand(String name) {
    Command command = Command.named(name);
    return name.equals("reset") ? command.flags(NOSCRIPT) : command;
  }

  /** A command that operators give, and scripts may not. */
  static Command admin(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(ADMIN, NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  /** The command as one that is known, and always ends in {@code why}. */
  static Command refusing(Command command, DataException why) {
    return command
        .unsupported()
        .does(
            (context, args) -> {
              throw why;
            });
  }

  private static void art(CommandContext context, Args args) {
    if (args.count() >= 3 && args.is(1, "VERSION")) {
      Arguments.integer(args, 2);
    }
    String text =
        "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~\n  summer, light and wide\n------------------------\n"
            + "  winter, dark and thin\n= = = = = = = = = = = = =\n\nRedis ver. "
            + ConnectionCommands.REDIS_VERSION
            + '\n';
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }
}
