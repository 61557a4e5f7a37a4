package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.ScriptEngine;
import dev.varve.server.lua.ScriptFailure;
import dev.varve.server.lua.ScriptHost;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts for one executor: its interpreter, what is compiled, and the commands that a script
 * calls, which run on the executor's transaction.
 *
 * <p>Used by the thread of its executor; while a script is in a coroutine or deep in recursion, by
 * the thread that the interpreter lends itself to, and the executor's waits.
 */
final class ScriptRunner implements ScriptHost {
  private static final Logger LOG = LoggerFactory.getLogger(ScriptRunner.class);

  private static final String CHUNK_NAME = "@user_script";
  private static final String KILLED = "ERR Script killed by user with SCRIPT KILL.";
  private static final String WRITES_REFUSED =
      "-ERR Write commands are not allowed from read-only scripts.";

  /** Compiled scripts that are kept; when there are more, all are compiled again. */
  private static final int COMPILED_MAX = 10_000;

  /** A script that is ready to run. */
  private record Compiled(LuaFunction function, ScriptHeader header) {}

  private final CommandExecutor executor;
  private final ScriptCache cache;
  private final ScriptEngine engine;
  private final Map<String, Compiled> compiled = new HashMap<>();
  private int generation;

  private final List<Runnable> messages = new ArrayList<>();
  private @Nullable CommandContext context;
  private ScriptCache.@Nullable Run run;
  private boolean readOnly;
  private int resp = 2;

  ScriptRunner(CommandExecutor executor) {
    this.executor = executor;
    this.cache = executor.keyspace().scripts();
    this.engine = new ScriptEngine(LuaLimits.standard(), this::watch, this);
  }

  private void watch() {
    if (run != null && run.isKilled()) {
      String where = engine.state().where(1);
      String place = where.isEmpty() ? CHUNK_NAME : "@" + where.substring(0, where.length() - 2);
      throw new ScriptKilledException(place);
    }
  }

  /**
   * Compiles a script and keeps it. Throws Redis's error when it is none.
   *
   * @param digest by which it can be called from now on
   */
  void load(String digest, byte[] source) {
    if (generation != cache.generation() || compiled.size() >= COMPILED_MAX) {
      compiled.clear();
      generation = cache.generation();
    }
    if (!compiled.containsKey(digest)) {
      ScriptHeader header = ScriptHeader.of(source);
      try {
        byte[] body = Arrays.copyOfRange(source, header.begin(), source.length);
        compiled.put(digest, new Compiled(engine.compile(body, CHUNK_NAME), header));
      } catch (SyntaxException problem) {
        throw new DataException(
            "ERR Error compiling script (new function): " + problem.getMessage());
      }
    }
    cache.add(digest, source);
  }

  /** Runs a script that was loaded, and writes its reply. */
  void run(
      CommandContext given, String digest, byte[][] keys, byte[][] arguments, boolean onlyReads) {
    Compiled script = compiled.get(digest);
    if (script == null) {
      throw new IllegalStateException("not loaded: " + digest);
    }
    Session session = given.session();
    int database = session.database();
    int begin = given.reply().mark();
    ScriptCache.Run its = cache.begin();
    run = its;
    context = given;
    readOnly = onlyReads || script.header().noWrites();
    resp = 2;
    messages.clear();
    try {
      Object result = engine.run(script.function(), keys, arguments);
      new ScriptReplyWriter(given.reply(), resp).write(result);
    } catch (LuaError failure) {
      given.reply().rollback(begin);
      given.reply().error(latin(ScriptFailure.text(failure, digest)));
    } catch (ScriptKilledException killed) {
      given.reply().rollback(begin);
      given
          .reply()
          .error(latin(KILLED + " script: " + digest + ", on " + killed.getMessage() + "."));
    } finally {
      session.database(database);
      cache.end(its);
      run = null;
      context = null;
    }
    if (!given.isTrial()) {
      messages.forEach(Runnable::run);
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
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
