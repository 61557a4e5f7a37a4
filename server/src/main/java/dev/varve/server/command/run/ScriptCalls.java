package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.ScriptHost;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.ScriptReplyReader;
import dev.varve.server.script.ScriptRuns;
import java.util.Set;
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
  /** Beyond so many, arguments are compared with the first so many only. */
  private static final int TOLD_APART_MAX = 32;

  private static final Logger LOG = LoggerFactory.getLogger(ScriptCalls.class);

  private static final String UNKNOWN = "Unknown Redis command called from script";
  private static final String WRONG_NUMBER =
      "Wrong number of args calling Redis command from script";
  private static final String NOT_IN_SCRIPTS = "This Redis command is not allowed from script";
  private static final String WRITES_REFUSED =
      "-ERR Write commands are not allowed from read-only scripts.";

  private final Keyspace keyspace;
  private @Nullable RunContext context;
  private ScriptRuns.@Nullable Run run;
  private boolean readOnly;
  private boolean needsMemory;
  private int resp = 2;

  ScriptCalls(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  /** A script begins to run that has declared {@code flags}, if it has declared any. */
  void begin(RunContext its, ScriptRuns.Run itsRun, boolean onlyReads, Set<ScriptFlag> flags) {
    context = its;
    run = itsRun;
    readOnly = onlyReads;
    needsMemory = !flags.contains(ScriptFlag.ALLOW_OOM);
    resp = 2;
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

  private RunContext context() {
    RunContext its = context;
    if (its == null) {
      throw new IllegalStateException("no script runs");
    }
    return its;
  }

  @Override
  public @Nullable Object call(LuaState state, byte[][] arguments) {
    tellApart(state, arguments);
    Args args = new Args(arguments, arguments.length);
    RunContext context = context();
    Command command = context.executor().find(args);
    String refusal = command == null ? UNKNOWN : refusal(context, command, args);
    if (command == null || refusal != null) {
      return refused(state, context, command, String.valueOf(refusal));
    }
    boolean writes = command.is(CommandFlag.WRITE);
    if (writes && run != null) {
      run.wrote();
    }
    boolean needsData = writes || command.is(CommandFlag.READONLY);
    if (context.executor().isOnWorker() && !needsData) {
      // What other clients are about is the keyspace loop's own.
      return keyspace.longRun().onKeyspaceLoop(() -> runInside(state, context, command, args));
    }
    return runInside(state, context, command, args);
  }

  /** What look-ups count as arguments of their own is arrays of their own. */
  private static void tellApart(LuaState state, byte[][] arguments) {
    for (int i = 1; i < arguments.length; i++) {
      boolean isShared = arguments[i].length == 0;
      for (int j = Math.min(i, TOLD_APART_MAX) - 1; j >= 0 && !isShared; j--) {
        isShared = arguments[i] == arguments[j];
      }
      if (isShared) {
        state.chargeString(arguments[i].length);
        arguments[i] = arguments[i].clone();
      }
    }
  }

  /** Why a command may not be called, or null. */
  private @Nullable String refusal(RunContext context, Command command, Args args) {
    if (!command.allows(args.count())) {
      return WRONG_NUMBER;
    }
    if (command.is(CommandFlag.NOSCRIPT)) {
      return NOT_IN_SCRIPTS;
    }
    String denied =
        context.executor().denials().ofCall(context.session(), command, args, context.isTrial());
    if (denied != null) {
      return denied;
    }
    boolean writes = command.is(CommandFlag.WRITE);
    if (readOnly && (writes || command.is(CommandFlag.MAY_REPLICATE))) {
      return WRITES_REFUSED;
    }
    String writeRefusal = writes ? keyspace.engine().writeRefusal() : null;
    if (writeRefusal != null) {
      return "-" + writeRefusal;
    }
    DataException lack = context.session().isMaster() ? null : lack(command);
    return lack == null ? null : "-" + lack.error();
  }

  /** What the server lacks for a command; a script that has written is let go on. */
  private @Nullable DataException lack(Command command) {
    Shortage shortage = keyspace.shortage();
    if (keyspace.following().refusesWrites() && command.is(CommandFlag.WRITE)) {
      return Following.READ_ONLY;
    }
    if (!(shortage.isOfReplicas() || shortage.isOfMemory()) || (run != null && run.hasWritten())) {
      return null;
    }
    if (shortage.isOfReplicas() && command.is(CommandFlag.WRITE)) {
      return Shortage.NO_REPLICAS;
    }
    boolean isShort = shortage.isOfMemory() && needsMemory && command.is(CommandFlag.DENYOOM);
    return isShort ? Shortage.NO_MEMORY : null;
  }

  private static Object refused(
      LuaState state, RunContext its, @Nullable Command command, String refusal) {
    if (!its.isTrial()) {
      int end = refusal.indexOf(' ');
      String code = refusal.startsWith("-") ? refusal.substring(1, end) : "ERR";
      its.executor().observer().refusedInScript(command, code);
    }
    return RedisLibrary.commandError(state, refusal);
  }

  /** Runs one command in the context of the script's own, and takes its reply back. */
  private @Nullable Object runInside(
      LuaState state, RunContext context, Command command, Args args) {
    RespEncoder reply = context.reply();
    Command outer = context.command();
    boolean wasQueued = !context.mayWait();
    int protocol = reply.protocol();
    int replyMark = reply.mark();
    context.command(command);
    context.queued(true);
    context.inScript(true);
    if (command.is(CommandFlag.WRITE)) {
      context.scriptWrites();
    }
    reply.protocol(resp);
    if (context.hasData()) {
      context.transaction().forgetLastLookups();
    }
    long fromNanos = System.nanoTime();
    try {
      try {
        context.call(command.function(), args);
      } catch (DataException refused) {
        reply.rollback(replyMark);
        reply.error(refused.errorBytes());
      }
      if (!context.isTrial()) {
        remember(context, command, args);
        context
            .executor()
            .observer()
            .ranInScript(context.session(), command, args, fromNanos, replyMark);
      }
      return new ScriptReplyReader(state, reply.array(), replyMark).read();
    } finally {
      reply.rollback(replyMark);
      reply.protocol(protocol);
      context.queued(wasQueued);
      context.inScript(false);
      context.command(outer);
    }
  }

  /** A client that has its reads tracked depends on what it has declared, too, as in Redis. */
  private void remember(RunContext its, Command command, Args args) {
    CommandExecutor executor = its.executor();
    executor.rememberWithin(its.session(), command, args);
    ScriptRuns.Run script = run;
    if (script != null && command.is(CommandFlag.READONLY)) {
      executor.rememberDeclared(its.session(), script.request());
    }
  }

  @Override
  public void log(int level, LuaString message) {
    RunContext its = context;
    if (its != null && !its.logsAnew()) {
      return;
    }
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
    Args args = new Args(arguments, arguments.length);
    Command command = context().executor().find(args);
    return command == null ? null : context().session().rights().denial(command, args) == null;
  }
}
