package dev.varve.server.command.replication;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.lead.Failover;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicaStatus;
import dev.varve.server.command.run.Following;
import dev.varve.server.resp.Args;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** FAILOVER: a replica takes over, and nothing that was written is lost. */
final class FailoverCommand {
  private static final DataException NOT_POSITIVE =
      new DataException("ERR FAILOVER timeout must be greater than 0");
  private static final DataException IS_REPLICA =
      new DataException("ERR FAILOVER is not valid when server is a replica.");
  private static final DataException NO_REPLICAS =
      new DataException("ERR FAILOVER requires connected replicas.");
  private static final DataException FORCE_ALONE =
      new DataException(
          "ERR FAILOVER with force option requires both a timeout and target HOST and IP.");
  private static final DataException NO_SUCH_REPLICA =
      new DataException("ERR FAILOVER target HOST and PORT is not a replica.");
  private static final DataException NOT_ONLINE =
      new DataException("ERR FAILOVER target replica is not online.");

  private final Following following;
  private final Leading leading;

  FailoverCommand(Following following, Leading leading) {
    this.following = following;
    this.leading = leading;
  }

  Command command() {
    return Command.named("failover")
        .arity(-1)
        .flags(ADMIN, NOSCRIPT, STALE)
        .since("6.2.0")
        .summary("Let a replica take over, once it has all that was written")
        .at(Command.Place.KEYSPACE_LOOP)
        .betweenWrites()
        .does(this::run);
  }

  private void run(CommandContext context, Args args) {
    Failover failover = leading.failover();
    if (args.count() == 2 && args.is(1, "ABORT")) {
      failover.abortByClient();
    } else {
      Failover.Wanted wanted = wanted(args);
      failover.refuseSecond();
      check(wanted);
      failover.begin(wanted, System.nanoTime());
    }
    context.reply().ok();
  }

  private static Failover.Wanted wanted(Args args) {
    Failover.@Nullable Target target = null;
    long timeoutMillis = 0;
    boolean isForced = false;
    int last = args.count() - 1;
    for (int i = 1; i <= last; i++) {
      if (args.is(i, "TIMEOUT") && i + 1 <= last && timeoutMillis == 0) {
        timeoutMillis = Arguments.integer(args, ++i);
        if (timeoutMillis <= 0) {
          throw NOT_POSITIVE;
        }
      } else if (args.is(i, "TO") && i + 2 <= last && target == null) {
        target = new Failover.Target(args.text(i + 1), Arguments.integer(args, i + 2));
        i += 2;
      } else if (args.is(i, "FORCE") && !isForced) {
        isForced = true;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return new Failover.Wanted(target, timeoutMillis, isForced);
  }

  private void check(Failover.Wanted wanted) {
    if (following.isOn()) {
      throw IS_REPLICA;
    }
    List<ReplicaStatus> replicas = leading.statuses();
    if (replicas.isEmpty()) {
      throw NO_REPLICAS;
    }
    Failover.Target target = wanted.target();
    if (wanted.isForced() && (wanted.timeoutMillis() == 0 || target == null)) {
      throw FORCE_ALONE;
    }
    if (target != null) {
      ReplicaStatus meant =
          replicas.stream().filter(target::is).findFirst().orElseThrow(() -> NO_SUCH_REPLICA);
      if (!meant.isOnline()) {
        throw NOT_ONLINE;
      }
    }
  }
}
