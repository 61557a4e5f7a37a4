package dev.varve.server.net;

import dev.varve.server.command.CommandTable;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * What runs the commands of a server: one executor for each thread that does.
 *
 * <p>Any thread; each executor is for its own.
 */
final class CommandExecutors {
  private final CommandTable table;
  private final Keyspace keyspace;
  private final LongSupplier clock;
  private final List<CommandExecutor> all = new CopyOnWriteArrayList<>();
  private volatile boolean isEachTimed = true;
  private volatile LongSupplier replyRoom = () -> Long.MAX_VALUE;

  CommandExecutors(CommandTable table, Keyspace keyspace, LongSupplier clock) {
    this.table = table;
    this.keyspace = keyspace;
    this.clock = clock;
  }

  /** Makes one for an event loop. */
  CommandExecutor forLoop(Role role) {
    return make(role, new RespEncoder());
  }

  /** Makes one for a thread that may block. */
  CommandExecutor forWorker(RespEncoder reply) {
    return make(Role.WORKER, reply);
  }

  private CommandExecutor make(Role role, RespEncoder reply) {
    CommandExecutor executor =
        new CommandExecutor(role, table, keyspace, reply, clock, () -> replyRoom.getAsLong());
    all.add(executor);
    executor.statistics().timesCalls(isEachTimed);
    return executor;
  }

  /** Whether they measure how long each command takes, those to come too. */
  void timesCalls(boolean isEach) {
    isEachTimed = isEach;
    all.forEach(executor -> executor.statistics().timesCalls(isEach));
  }

  /** Names who knows how many bytes are left for what all clients leave unread. Any thread asks. */
  void replyRoom(LongSupplier bytes) {
    replyRoom = bytes;
  }

  /** All there are, whose figures are those of the server. */
  List<CommandExecutor> all() {
    return all;
  }
}
