package dev.varve.server.command;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.STALE;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * What a server that is one node with one user can say about replicas, clusters, modules and access
 * rules: the truth where a client only asks, an error where it wants something done. Any thread.
 */
final class SingleNodeCommands {
  private static final DataException NO_CLUSTER =
      new DataException("ERR This instance has cluster support disabled");
  private static final DataException NO_REPLICATION =
      new DataException("ERR Replication is not supported by this server");
  private static final DataException NO_MODULES =
      new DataException("ERR Modules are not supported by this server");
  private static final DataException NO_RULES =
      new DataException("ERR ACL rules are not supported by this server");
  private static final DataException NOT_A_REPLICA_TO_FAIL_OVER =
      new DataException("ERR FAILOVER requires connected replicas.");

  private static final DataException NO_MIGRATION =
      new DataException("ERR MIGRATE is not supported by this server");

  /** The commands of CLUSTER: name, arity, since, summary. */
  private static final String CLUSTER =
      """
      addslots -3 3.0.0 Assign new hash slots to receiving node
      addslotsrange -4 7.0.0 Assign new hash slots to receiving node
      bumpepoch 2 3.0.0 Advance the cluster config epoch
      count-failure-reports 3 3.0.0 Return the number of failure reports active for a given node
      countkeysinslot 3 3.0.0 Return the number of local keys in the specified hash slot
      delslots -3 3.0.0 Set hash slots as unbound in receiving node
      delslotsrange -4 7.0.0 Set hash slots as unbound in receiving node
      failover -2 3.0.0 Forces a replica to perform a manual failover of its master.
      flushslots 2 3.0.0 Delete a node's own slots information
      forget 3 3.0.0 Remove a node from the nodes table
      getkeysinslot 4 3.0.0 Return local key names in the specified hash slot
      info 2 3.0.0 Provides info about Redis Cluster node state
      keyslot 3 3.0.0 Returns the hash slot of the specified key
      links 2 7.0.0 Returns a list of all TCP links to and from peer nodes in cluster
      meet -4 3.0.0 Force a node cluster to handshake with another node
      myid 2 3.0.0 Return the node id
      nodes 2 3.0.0 Get Cluster config for the node
      replicas 3 5.0.0 List replica nodes of the specified master node
      replicate 3 3.0.0 Reconfigure a node as a replica of the specified master node
      reset -2 3.0.0 Reset a Redis Cluster node
      saveconfig 2 3.0.0 Forces the node to save cluster state on disk
      set-config-epoch 3 3.0.0 Set the configuration epoch in a new node
      setslot -4 3.0.0 Bind a hash slot to a specific node
      shards 2 7.0.0 Get array of cluster slots to node mappings
      slaves 3 3.0.0 List replica nodes of the specified master node
      slots 2 3.0.0 Get array of Cluster slot to node mappings
      """;

  /** Redis's categories, in its order. */
  private static final List<String> CATEGORIES =
      List.of(
          "keyspace",
          "read",
          "write",
          "set",
          "sortedset",
          "list",
          "hash",
          "string",
          "bitmap",
          "hyperloglog",
          "geo",
          "stream",
          "pubsub",
          "admin",
          "fast",
          "slow",
          "blocking",
          "dangerous",
          "connection",
          "transaction",
          "scripting");

  private SingleNodeCommands() {}

  static void register(CommandTable table) {
    registerReplication(table);
    registerMigration(table);
    registerCluster(table);
    registerRules(table);
    table.add(
        CommandGroup.SERVER,
        Command.named("module")
            .arity(-2)
            .since("4.0.0")
            .helpSince("5.0.0")
            .summary("A container for module commands")
            .subcommands(
                admin("list", 2, "4.0.0", "List all modules loaded by the server")
                    .does((context, args) -> context.reply().array(0)),
                refusing(admin("load", -3, "4.0.0", "Load a module"), NO_MODULES),
                refusing(admin("loadex", -3, "7.0.0", "Load a module with parameters"), NO_MODULES),
                refusing(admin("unload", 3, "4.0.0", "Unload a module"), NO_MODULES)),
        Command.named("lolwut")
            .arity(-1)
            .flags(READONLY, FAST)
            .since("5.0.0")
            .summary("Display some computer art and the Redis version")
            .does(SingleNodeCommands::art));
  }

  private static void registerReplication(CommandTable table) {
    table.add(
        CommandGroup.SERVER,
        admin("replicaof", 3, "5.0.0", "Make the server a replica of another instance")
            .does(SingleNodeCommands::replicaOf),
        admin("slaveof", 3, "1.0.0", "Make the server a replica of another instance")
            .does(SingleNodeCommands::replicaOf),
        Command.named("role")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST)
            .since("2.8.12")
            .summary("Return the role of the instance in the context of replication")
            .does(SingleNodeCommands::role),
        refusing(
            admin("failover", -1, "6.2.0", "Start a coordinated failover"),
            NOT_A_REPLICA_TO_FAIL_OVER),
        refusing(
            Command.named("restore-asking")
                .arity(-4)
                .flags(WRITE, DENYOOM)
                .keys(1, 1, 1)
                .since("3.0.0")
                .summary("An internal command for migrating keys in a cluster"),
            NO_CLUSTER),
        refusing(
            admin("sync", 1, "1.0.0", "Internal command used for replication"), NO_REPLICATION),
        refusing(
            admin("psync", -3, "2.8.0", "Internal command used for replication"), NO_REPLICATION),
        refusing(
            admin("replconf", -1, "3.0.0", "An internal command for configuring the replication"),
            NO_REPLICATION));
  }

  private static void registerMigration(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        refusing(
            Command.named("migrate")
                .arity(-6)
                .flags(WRITE)
                .keys(3, 3, 1)
                .keys(SingleNodeCommands::migratedKeys)
                .since("2.6.0")
                .summary("Atomically transfer a key from a Redis instance to another one."),
            NO_MIGRATION));
  }

  private static void registerCluster(CommandTable table) {
    table.add(
        CommandGroup.CLUSTER,
        refusing(
            Command.named("asking").arity(1).flags(FAST).since("3.0.0").summary("After -ASK"),
            NO_CLUSTER),
        refusing(
            Command.named("readonly")
                .arity(1)
                .flags(LOADING, STALE, FAST)
                .since("3.0.0")
                .summary("Enables read queries for a connection to a cluster replica node"),
            NO_CLUSTER),
        refusing(
            Command.named("readwrite")
                .arity(1)
                .flags(LOADING, STALE, FAST)
                .since("3.0.0")
                .summary("Disables read queries for a connection to a cluster replica node"),
            NO_CLUSTER),
        Command.named("cluster")
            .arity(-2)
            .since("3.0.0")
            .helpSince("5.0.0")
            .summary("A container for cluster commands")
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

  private static void registerRules(CommandTable table) {
    table.add(
        CommandGroup.SERVER,
        Command.named("acl")
            .arity(-2)
            .since("6.0.0")
            .summary("A container for Access List Control commands ")
            .subcommands(
                open("whoami", 2, "6.0.0", "Return the name of the user of the connection")
                    .does((context, args) -> context.reply().bulk("default")),
                admin("users", 2, "6.0.0", "List the username of all the configured ACL rules")
                    .does(
                        (context, args) -> {
                          context.reply().array(1);
                          context.reply().bulk("default");
                        }),
                open("cat", -2, "6.0.0", "List the ACL categories or the commands inside one")
                    .does((context, args) -> categories(context, args, table)),
                refusing(admin("list", 2, "6.0.0", "List the current ACL rules"), NO_RULES),
                refusing(admin("getuser", 3, "6.0.0", "Get the rules for a user"), NO_RULES),
                refusing(admin("setuser", -3, "6.0.0", "Modify or create the rules"), NO_RULES),
                refusing(admin("deluser", -3, "6.0.0", "Remove the specified users"), NO_RULES),
                refusing(admin("dryrun", -4, "7.0.0", "Simulate a command by a user"), NO_RULES),
                refusing(open("genpass", -2, "6.0.0", "Generate a random password"), NO_RULES),
                refusing(admin("load", 2, "6.0.0", "Reload the rules from the file"), NO_RULES),
                refusing(admin("save", 2, "6.0.0", "Save the rules in the file"), NO_RULES),
                refusing(admin("log", -2, "6.0.0", "List latest security events"), NO_RULES)));
  }

  private static Command admin(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(ADMIN, NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  private static Command open(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  private static Command refusing(Command command, DataException why) {
    return command
        .unsupported()
        .does(
            (context, args) -> {
              throw why;
            });
  }

  private static int[] migratedKeys(Args args) {
    return args.count() > 3 && args.get(3).length > 0 ? new int[] {3} : new int[0];
  }

  private static void replicaOf(CommandContext context, Args args) {
    if (!args.is(1, "NO") || !args.is(2, "ONE")) {
      throw NO_REPLICATION;
    }
    context.reply().ok();
  }

  private static void role(CommandContext context, Args args) {
    context.reply().array(3);
    context.reply().bulk("master");
    context.reply().integer(0);
    context.reply().array(0);
  }

  private static void categories(CommandContext context, Args args, CommandTable table) {
    if (args.count() == 2) {
      context.reply().array(CATEGORIES.size());
      CATEGORIES.forEach(context.reply()::bulk);
      return;
    }
    String category = args.text(2).toLowerCase(Locale.ROOT);
    if (args.count() > 3 || !CATEGORIES.contains(category)) {
      throw DataException.quoting("ERR Unknown category '", args.get(2), "'");
    }
    List<String> names = IntrospectionCommands.inCategory(table, category);
    context.reply().array(names.size());
    names.forEach(context.reply()::bulk);
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
