package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Following another server, and what is said of it. Nobody can follow this one: who asks for that
 * is refused.
 */
final class ReplicationCommands {
  private static final DataException NO_REPLICAS =
      new DataException("ERR This server can follow another one, but cannot be followed");
  private static final DataException NOT_A_REPLICA_TO_FAIL_OVER =
      new DataException("ERR FAILOVER requires connected replicas.");
  private static final DataException BAD_PORT = new DataException("ERR Invalid master port");
  private static final DataException BAD_HOST = new DataException("ERR Invalid master host");
  private static final int PORT_MAX = 65_535;
  private static final long NOTHING_CARRIED_OUT = -1;

  private final Keyspace keyspace;
  private final Following following;

  private ReplicationCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
    this.following = keyspace.following();
  }

  static void register(CommandTable table, Keyspace keyspace) {
    ReplicationCommands commands = new ReplicationCommands(keyspace);
    table.add(
        CommandGroup.SERVER,
        SingleNodeCommands.admin(
                "replicaof", 3, "5.0.0", "Follow another server; NO ONE: no longer")
            .at(Command.Place.KEYSPACE_LOOP)
            .does(commands::follow),
        SingleNodeCommands.admin("slaveof", 3, "1.0.0", "Old name of REPLICAOF")
            .at(Command.Place.KEYSPACE_LOOP)
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
            .summary("Tell the master how far its writes are carried out (refused to others)")
            .does(commands::configure),
        SingleNodeCommands.refusing(
            SingleNodeCommands.admin(
                "failover", -1, "6.2.0", "Let a replica take over (refused: there is none)"),
            NOT_A_REPLICA_TO_FAIL_OVER),
        SingleNodeCommands.refusing(
            Command.named("restore-asking")
                .arity(-4)
                .flags(WRITE, DENYOOM)
                .keys(1, 1, 1)
                .since("3.0.0")
                .summary("RESTORE between nodes of a cluster (refused: there is none)"),
            SingleNodeCommands.NO_CLUSTER),
        SingleNodeCommands.refusing(
            SingleNodeCommands.admin("sync", 1, "1.0.0", "Become a replica (refused)"),
            NO_REPLICAS),
        SingleNodeCommands.refusing(
            SingleNodeCommands.admin(
                "psync", -3, "2.8.0", "Become a replica, from some offset on (refused)"),
            NO_REPLICAS));
  }

  private void follow(CommandContext context, Args args) {
    Following.Master wanted = master(args);
    if (wanted != null && wanted.equals(following.master())) {
      context.reply().status("OK Already connected to specified master");
      return;
    }
    if (wanted != null || following.isOn()) {
      // How far the last master was followed is stored, and is to be forgotten.
      String refusal = keyspace.engine().writeRefusal();
      if (refusal != null) {
        throw new DataException(refusal);
      }
      following.follow(wanted, System.nanoTime());
    }
    context.reply().ok();
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
      reply.array(3);
      reply.bulk("master");
      reply.integer(0);
      reply.array(0);
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

  /** The master asks how far this server is, by REPLCONF GETACK; it is told by a request. */
  private void configure(CommandContext context, Args args) {
    if (!context.session().isMaster()) {
      throw NO_REPLICAS;
    }
    RespEncoder reply = context.reply();
    if (args.count() > 1 && args.is(1, "GETACK")) {
      context.session().keepReply();
      reply.array(3);
      reply.bulk("REPLCONF");
      reply.bulk("ACK");
      reply.bulk(offset());
    } else {
      reply.ok();
    }
  }
}
