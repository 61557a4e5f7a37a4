package dev.varve.server.command.replication;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_MULTI;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.codec.MasterPosition;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicaStatus;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Following another server and being followed, and what is said of it. */
public final class ReplicationCommands {
  private static final DataException FAILOVER_IS_ON =
      new DataException("ERR REPLICAOF not allowed while failing over.");
  private static final DataException JOINING_IN_FAILOVER =
      new DataException("NOMASTERLINK Can't SYNC while failing over");
  private static final DataException IS_MASTER =
      new DataException("ERR PSYNC FAILOVER can't be sent to a master.");
  private static final DataException OTHER_HISTORY =
      new DataException("ERR PSYNC FAILOVER replid must match my replid.");
  private static final DataException NO_MASTER_LINK =
      new DataException("NOMASTERLINK Can't SYNC while not connected with my master");
  private static final DataException REPLIES_PENDING =
      new DataException("ERR SYNC and PSYNC are invalid with pending output");
  private static final DataException BAD_PORT = new DataException("ERR Invalid master port");
  private static final DataException BAD_HOST = new DataException("ERR Invalid master host");
  private static final int PORT_MAX = 65_535;
  private static final long NOTHING_CARRIED_OUT = -1;

  private final Keyspace keyspace;
  private final Following following;
  private final Leading leading;

  private ReplicationCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
    this.following = keyspace.following();
    this.leading = keyspace.leading();
  }

  public static void register(CommandTable table, Keyspace keyspace) {
    ReplicationCommands commands = new ReplicationCommands(keyspace);
    table.add(
        CommandGroup.SERVER,
        Command.admin("replicaof", 3, "5.0.0", "Follow another server; NO ONE: no longer")
            .at(Command.Place.KEYSPACE_LOOP)
            .betweenWrites()
            .does(commands::follow),
        Command.admin("slaveof", 3, "1.0.0", "Old name of REPLICAOF")
            .at(Command.Place.KEYSPACE_LOOP)
            .betweenWrites()
            .does(commands::follow),
        Command.named("role")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST)
            .since("2.8.12")
            .summary("Tell whether another server is followed, and how that goes")
            .does(commands::role),
        Command.named("replconf")
            .arity(-1)
            .flags(ADMIN, NOSCRIPT, LOADING, STALE, ALLOW_BUSY)
            .since("3.0.0")
            .summary("Between servers: who a replica is, and how far")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::configure),
        new FailoverCommand(commands.following, commands.leading).command(),
        Command.admin("sync", 1, "1.0.0", "Become a replica, from all data on")
            .flags(NO_MULTI)
            .at(Command.Place.KEYSPACE_LOOP)
            .betweenWrites()
            .does((context, args) -> commands.join(context, null, 0)),
        Command.admin("psync", -3, "2.8.0", "Become a replica, from some offset of a history on")
            .flags(NO_MULTI)
            .at(Command.Place.KEYSPACE_LOOP)
            .betweenWrites()
            .does(commands::join));
  }

  private void follow(CommandContext context, Args args) {
    if (leading.failover().isOn()) {
      throw FAILOVER_IS_ON;
    }
    Following.Master wanted = master(args);
    if (wanted != null && wanted.equals(following.master())) {
      context.reply().status("OK Already connected to specified master");
      return;
    }
    if (wanted != null || following.isOn()) {
      follow(wanted);
    }
    context.reply().ok();
  }

  private void follow(Following.@Nullable Master wanted) {
    // How far the last master was followed is stored, and is to be forgotten.
    String refusal = keyspace.engine().writeRefusal();
    if (refusal != null) {
      throw new DataException(refusal);
    }
    following.follow(wanted, wanted == null ? null : position(), System.nanoTime());
  }

  /** What the data here is of: another server may know that history, and go on in it. */
  private @Nullable MasterPosition position() {
    return following.isOn() ? following.position() : leading.stream().position();
  }

  private static Following.@Nullable Master master(Args args) {
    if (args.is(1, "NO") && args.is(2, "ONE")) {
      return null;
    }
    int port = (int) Arguments.integer(args, 2, 0, PORT_MAX, BAD_PORT);
    String host = args.text(1);
    if (!host.matches("\\S+")) {
      throw BAD_HOST;
    }
    return new Following.Master(host, port);
  }

  private void role(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    Following.Master master = following.master();
    if (master == null) {
      roleOfMaster(reply);
      return;
    }
    reply.array(5);
    reply.bulk("slave");
    reply.bulk(master.host());
    reply.integer(master.port());
    reply.bulk(following.link().label());
    reply.integer(offset());
  }

  private long offset() {
    return following.replicationId() == null ? NOTHING_CARRIED_OUT : following.offset();
  }

  private void roleOfMaster(RespEncoder reply) {
    reply.array(3);
    reply.bulk("master");
    reply.integer(leading.stream().offset());
    List<ReplicaStatus> replicas = leading.statuses();
    reply.array(replicas.size());
    for (ReplicaStatus replica : replicas) {
      reply.array(3);
      reply.bulk(replica.address());
      reply.bulk(replica.port());
      reply.bulk(replica.offset());
    }
  }

  /** Of the master, which asks how far this server is, and of replicas. */
  private void configure(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    if (!context.session().isMaster()) {
      configureReplica(context, args);
    } else if (args.count() > 1 && args.is(1, "GETACK")) {
      context.session().keepReply();
      long synced = keyspace.syncedOffset(context.session());
      reply.array(synced < 0 ? 3 : 5);
      reply.bulk("REPLCONF");
      reply.bulk("ACK");
      reply.bulk(offset());
      if (synced >= 0) {
        reply.bulk("FACK");
        reply.bulk(synced);
      }
    } else {
      reply.ok();
    }
  }

  private void configureReplica(CommandContext context, Args args) {
    if (args.count() % 2 == 0) {
      throw Arguments.SYNTAX_ERROR;
    }
    Replica replica = context.session().asReplica();
    for (int i = 1; i < args.count(); i += 2) {
      if (args.is(i, "LISTENING-PORT")) {
        replica.port(
            (int) Arguments.integer(args, i + 1, 0, PORT_MAX, DataException.NOT_AN_INTEGER));
      } else if (args.is(i, "IP-ADDRESS")) {
        replica.address(args.text(i + 1));
      } else if (args.is(i, "CAPA")) {
        // As in Redis, what is not known here is no error.
        if (args.is(i + 1, "EOF")) {
          replica.takesEndMarks();
        }
      } else if (args.is(i, "RDB-ONLY")) {
        replica.wantsDumpOnly(Arguments.integer(args, i + 1) == 1);
      } else if (args.is(i, "ACK")) {
        if (context.session().isReplica()) {
          replica.acknowledge(Arguments.integer(args, i + 1), System.nanoTime());
        }
      } else if (args.is(i, "FACK")) {
        if (context.session().isReplica()) {
          replica.synced(Arguments.integer(args, i + 1));
        }
      } else if (!args.is(i, "GETACK") && !args.is(i, "VERSION")) {
        throw DataException.quoting("ERR Unrecognized REPLCONF option: ", args.get(i));
      }
    }
    if (context.session().isReplica()) {
      leading.heard();
    }
    context.reply().ok();
  }

  private void join(CommandContext context, Args args) {
    boolean isKnown = !args.is(1, "?");
    String history = isKnown ? args.text(1) : "";
    long offset = isKnown ? Arguments.integer(args, 2) - 1 : 0;
    if (args.count() > 3 && args.is(3, "FAILOVER")) {
      refuseReplica(context.session());
      takeOverFrom(history);
    }
    join(context, history, offset);
  }

  private static void refuseReplica(Session session) {
    if (session.isReplica()) {
      throw Arguments.SYNTAX_ERROR;
    }
  }

  /** The master that is followed hands over, and will follow. */
  private void takeOverFrom(String history) {
    if (!following.isOn()) {
      throw IS_MASTER;
    }
    if (!history.equals(following.replicationId())) {
      throw OTHER_HISTORY;
    }
    follow(null);
  }

  /**
   * Lets a client follow.
   *
   * @param history the one that it knows; null if it is not to be told of any
   * @param offset up to where
   */
  private void join(CommandContext context, @Nullable String history, long offset) {
    Session session = context.session();
    refuseReplica(session);
    if (leading.failover().isOn() && !leading.mayComeBack(history, offset)) {
      throw JOINING_IN_FAILOVER;
    }
    if (following.isOn() && following.link() != Following.Link.CONNECTED) {
      throw NO_MASTER_LINK;
    }
    // What it follows by would overtake them, and they would then wait for its end.
    if (context.reply().length() > 0 || session.connection().isReplyHeld()) {
      throw REPLIES_PENDING;
    }
    session.follows();
    leading.join(session, history, offset);
  }
}
