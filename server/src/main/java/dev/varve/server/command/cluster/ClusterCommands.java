package dev.varve.server.command.cluster;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_ASYNC_LOADING;
import static dev.varve.server.command.CommandFlag.STALE;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandFunction;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.cluster.TopologyReplies.Endpoint;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.KeySlot;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.config.ClusterParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntSupplier;

/** CLUSTER, READONLY, READWRITE and ASKING: errors, unless the server is to look like a cluster. */
public final class ClusterCommands {
  private static final DataException NO_CLUSTER =
      new DataException("ERR This instance has cluster support disabled");
  private static final DataException ALL_SLOTS =
      new DataException(
          "ERR One server has all slots here, and keeps them: say REPLICAOF or FAILOVER to change"
              + " which");
  private static final DataException UNKNOWN_SLOT = new DataException("ERR Invalid slot");
  private static final DataException UNKNOWN_SLOT_OR_COUNT =
      new DataException("ERR Invalid slot or number of keys");
  private static final DataException NO_MASTER =
      new DataException("ERR The specified node is not a master");

  private final Following following;
  private final Settings settings;
  private final Topology topology;
  private final SlotWalk slots;

  private ClusterCommands(Settings settings, Keyspace keyspace, IntSupplier port) {
    this.following = keyspace.following();
    this.settings = settings;
    this.topology = new Topology(settings, following, keyspace.leading(), port);
    this.slots = new SlotWalk(keyspace);
  }

  /**
   * @param port where this server listens without TLS, or 0
   */
  public static void register(
      CommandTable table, Settings settings, Keyspace keyspace, IntSupplier port) {
    ClusterCommands commands = new ClusterCommands(settings, keyspace, port);
    table.add(
        CommandGroup.SERVER,
        Command.named("restore-asking")
            .arity(-4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("3.0.0")
            .summary("RESTORE of a key whose slot moves (refused: none does)")
            .unsupported()
            .does(
                (context, args) -> {
                  throw NO_CLUSTER;
                }));
    table.add(
        CommandGroup.CLUSTER,
        Command.named("asking")
            .arity(1)
            .flags(FAST)
            .since("3.0.0")
            .summary("Let the next command reach a slot that moves: none does")
            .does(commands.asked((context, args) -> context.reply().ok())),
        Command.named("readonly")
            .arity(1)
            .flags(LOADING, STALE, FAST)
            .since("3.0.0")
            .summary("Let a server that follows another answer reads of this client")
            .does(commands.asked((context, args) -> readsHere(context, true))),
        Command.named("readwrite")
            .arity(1)
            .flags(LOADING, STALE, FAST)
            .since("3.0.0")
            .summary("End READONLY")
            .does(commands.asked((context, args) -> readsHere(context, false))),
        Command.named("cluster")
            .arity(-2)
            .since("3.0.0")
            .helpSince("5.0.0")
            .summary("Ask about the cluster, which is this server and those that follow it")
            .subcommands(commands.subcommands()));
  }

  private Command[] subcommands() {
    return new Command[] {
      changes("addslots", -3, "3.0.0", "Give slots to this node (refused)"),
      changes("addslotsrange", -4, "7.0.0", "Give ranges of slots to this node (refused)"),
      changes("bumpepoch", 2, "3.0.0", "Move to a later epoch (refused)"),
      toldAdmin("count-failure-reports", 3, "3.0.0", "Count who takes a node for dead")
          .does(asked(this::countReports)),
      told("countkeysinslot", 3, "3.0.0", "Count the keys of a slot")
          .at(Command.Place.WORKER)
          .does(asked(this::countKeys)),
      changes("delslots", -3, "3.0.0", "Take slots from this node (refused)"),
      changes("delslotsrange", -4, "7.0.0", "Take ranges of slots from this node (refused)"),
      changes("failover", -2, "3.0.0", "Let this replica take over from its master (refused)"),
      changes("flushslots", 2, "3.0.0", "Take all slots from this node (refused)"),
      changes("forget", 3, "3.0.0", "Let a node leave the cluster (refused)"),
      told("getkeysinslot", 4, "3.0.0", "Give keys of a slot")
          .at(Command.Place.WORKER)
          .does(asked(this::keys)),
      told("info", 2, "3.0.0", "Tell how the cluster is doing").does(asked(this::info)),
      told("keyslot", 3, "3.0.0", "Tell the slot of a key")
          .does(asked((context, args) -> context.reply().integer(KeySlot.of(args.get(2))))),
      told("links", 2, "7.0.0", "List the connections between nodes: none")
          .does(asked((context, args) -> context.reply().array(0))),
      changes("meet", -4, "3.0.0", "Bring a node into the cluster (refused)"),
      told("myid", 2, "3.0.0", "Give this node's id").does(asked(this::myId)),
      told("nodes", 2, "3.0.0", "Give a line about each node").does(asked(this::nodes)),
      toldAdmin("replicas", 3, "5.0.0", "List the replicas of a master")
          .does(asked(this::replicas)),
      changes("replicate", 3, "3.0.0", "Follow another node as its replica (refused)"),
      refused("reset", -2, "3.0.0", "Leave the cluster and forget it (refused)").flags(NOSCRIPT),
      toldAdmin("saveconfig", 2, "3.0.0", "Write down what this node knows: nothing is to be")
          .flags(NO_ASYNC_LOADING)
          .does(asked((context, args) -> context.reply().ok())),
      changes("set-config-epoch", 3, "3.0.0", "Give a new node its first epoch (refused)"),
      changes("setslot", -4, "3.0.0", "Tell to which node a slot belongs or moves (refused)"),
      told("shards", 2, "7.0.0", "Tell which nodes serve which slots together")
          .does(asked(this::shards)),
      toldAdmin("slaves", 3, "3.0.0", "Old name of CLUSTER REPLICAS").does(asked(this::replicas)),
      told("slots", 2, "3.0.0", "Tell which node serves which slots").does(asked(this::slots)),
    };
  }

  private static Command told(String name, int arity, String since, String summary) {
    return Command.named(name).arity(arity).flags(STALE).since(since).summary(summary);
  }

  private static Command toldAdmin(String name, int arity, String since, String summary) {
    return told(name, arity, since, summary).flags(ADMIN);
  }

  private Command changes(String name, int arity, String since, String summary) {
    return refused(name, arity, since, summary).flags(NO_ASYNC_LOADING);
  }

  private Command refused(String name, int arity, String since, String summary) {
    return toldAdmin(name, arity, since, summary)
        .unsupported()
        .does(
            asked(
                (context, args) -> {
                  throw ALL_SLOTS;
                }));
  }

  /** The function, where the server is to look like a cluster. */
  private CommandFunction asked(CommandFunction function) {
    return (context, args) -> {
      if (!following.isInCluster()) {
        throw NO_CLUSTER;
      }
      function.run(context, args);
    };
  }

  private static void readsHere(CommandContext context, boolean yes) {
    context.session().readsHere(yes);
    context.reply().ok();
  }

  // Nodes ----------------------------------------------------------------------------------------

  private List<ClusterNode> all(CommandContext context) {
    return topology.seenBy(context.session());
  }

  private Endpoint endpoint() {
    return Endpoint.named(settings.text(ClusterParameters.PREFERRED_ENDPOINT));
  }

  private void slots(CommandContext context, Args args) {
    TopologyReplies.slots(context.reply(), all(context), endpoint());
  }

  private void shards(CommandContext context, Args args) {
    TopologyReplies.shards(context.reply(), all(context), endpoint());
  }

  private void nodes(CommandContext context, Args args) {
    text(context, TopologyReplies.lines(all(context), context.wallTime().toEpochMilli()));
  }

  private void info(CommandContext context, Args args) {
    text(context, TopologyReplies.info(all(context)));
  }

  private static void text(CommandContext context, String text) {
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }

  private void myId(CommandContext context, Args args) {
    context.reply().bulk(topology.myself(context.session()).id());
  }

  private void replicas(CommandContext context, Args args) {
    List<ClusterNode> nodes = all(context);
    if (!named(nodes, args).isMaster()) {
      throw NO_MASTER;
    }
    List<ClusterNode> replicas = nodes.subList(1, nodes.size());
    context.reply().array(replicas.size());
    for (ClusterNode replica : replicas) {
      long nowMillis = context.wallTime().toEpochMilli();
      context.reply().bulk(TopologyReplies.line(replica, nodes, nowMillis));
    }
  }

  private void countReports(CommandContext context, Args args) {
    named(all(context), args);
    context.reply().integer(0);
  }

  private static ClusterNode named(List<ClusterNode> nodes, Args args) {
    String id = args.text(2);
    return nodes.stream()
        .filter(node -> node.id().equals(id))
        .findFirst()
        .orElseThrow(() -> DataException.quoting("ERR Unknown node ", args.get(2)));
  }

  // Keys -----------------------------------------------------------------------------------------

  private void countKeys(CommandContext context, Args args) {
    long slot = Arguments.integer(args, 2);
    if (slot < 0 || slot >= KeySlot.COUNT) {
      throw UNKNOWN_SLOT;
    }
    long[] count = {0};
    slots.walk(context, (int) slot, Long.MAX_VALUE, key -> count[0]++);
    context.reply().integer(count[0]);
  }

  private void keys(CommandContext context, Args args) {
    long slot = Arguments.integer(args, 2);
    long countMax = Arguments.integer(args, 3);
    if (slot < 0 || slot >= KeySlot.COUNT || countMax < 0) {
      throw UNKNOWN_SLOT_OR_COUNT;
    }
    RespEncoder reply = context.reply();
    int array = reply.open();
    reply.insertArray(array, slots.walk(context, (int) slot, countMax, reply::bulk));
  }
}
