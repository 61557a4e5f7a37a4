package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.ScriptHost;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands that the scripts of one executor call: they run on the executor's transaction.
 *
 * <p>Used by the thread of the executor; while a script is in a coroutine or deep in recursion, by
 * the thread that the interpreter lends itself to, and the executor's waits.
 */
final class ScriptCalls implements ScriptHost {
  private static final Logger LOG = LoggerFactory.getLogger(ScriptCalls.class);

  private static final String WRITES_REFUSED =
      "-ERR Write commands are not allowed from read-only scripts.";

  private final CommandExecutor executor;
  private final List<Runnable> messages = new ArrayList<>();
  private @Nullable CommandContext context;
  private ScriptRuns.@Nullable Run run;
  private boolean readOnly;
  private int resp = 2;

  ScriptCalls(CommandExecutor executor) {
    this.executor = executor;
  }

  /** A script begins to run. */
  void begin(CommandContext its, ScriptRuns.Run itsRun, boolean onlyReads) {
    context = its;
    run = itsRun;
    readOnly = onlyReads;
    resp = 2;
    messages.clear();
  }

  /** The script is over. */
  void end() {
    context = null;
    run = null;
  }

  /** The version in which the script wants its reply. */
  int resp() {
    return resp;
  }

  /** Sends what the script has published. */
  void sendMessages() {
    messages.forEach(Runnable::run);
    messages.clear();
  }

  @Override
  public @Nullable Object call(LuaState state, byte[][] arguments) {
    Args args = new Args(arguments, arguments.length);
    Command command = executor.find(args);
    if (command == null) {
      return RedisLibrary.error(state, "Unknown Redis command called from script");
    }
    if (!command.allows(args.count())) {
      return RedisLibrary.error(state, "Wrong number of args calling Redis command from script");
    }
    if (command.is(CommandFlag.NOSCRIPT)) {
      return RedisLibrary.error(state, "This Redis command is not allowed from script");
    }
    boolean writes = command.is(CommandFlag.WRITE);
    if (readOnly && (writes || command.is(CommandFlag.MAY_REPLICATE))) {
      return RedisLibrary.error(state, WRITES_REFUSED);
    }
    if (writes) {
      String refusal = executor.keyspace().engine().writeRefusal();
      if (refusal != null) {
        return RedisLibrary.error(state, "-" + refusal);
      }
      if (run != null) {
        run.wrote();
      }
    }
    return runInside(state, command, args);
  }

  /** Runs one command in the context of the script's own, and takes its reply back. */
  private @Nullable Object runInside(LuaState state, Command command, Args args) {
    CommandContext its = context;
    if (its == null) {
      throw new IllegalStateException("no script runs");
    }
    if (command.name().equals("publish") || command.name().equals("spublish")) {
      return publish(args);
    }
    RespEncoder reply = its.reply();
    Command outer = its.command();
    boolean wasQueued = !its.mayWait();
    int protocol = reply.protocol();
    int begin = reply.mark();
    its.command(command);
    its.queued(true);
    reply.protocol(resp);
    try {
      try {
        command.function().run(its, args);
        if (!its.isTrial()) {
          executor.remember(its.session(), command, args);
        }
      } catch (DataException refused) {
        reply.rollback(begin);
        reply.error(refused.error());
      }
      return new ScriptReplyReader(state, reply.array(), begin).read();
    } finally {
      reply.rollback(begin);
      reply.protocol(protocol);
      its.queued(wasQueued);
      its.command(outer);
    }
  }

  /* What is sent cannot be taken back when a block turns out to be cold and the script runs again:
   * messages leave when it has come to its end. */
  private Object publish(Args args) {
    PubSub pubSub = executor.keyspace().pubSub();
    byte[] channel = args.get(1);
    byte[] text = args.get(2);
    if (args.is(0, "SPUBLISH")) {
      messages.add(() -> pubSub.publish(Subscriptions.Kind.SHARD_CHANNEL, channel, text));
      return (double) pubSub.receivers(Subscriptions.Kind.SHARD_CHANNEL, channel);
    }
    messages.add(() -> pubSub.publish(channel, text));
    return (double) pubSub.receivers(channel);
  }

  @Override
  public void log(int level, LuaString message) {
    String text = message.toString();
    switch (level) {
      case 0, 1 -> LOG.debug("{}", text);
      case 2 -> LOG.info("{}", text);
      default -> LOG.warn("{}", text);
    }
  }

  @Override
  public void setResp(int version) {
    resp = version;
  }

  @Override
  public @Nullable Boolean mayRun(byte[][] arguments) {
    return executor.find(new Args(arguments, arguments.length)) == null ? null : Boolean.TRUE;
  }
}
