package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.store.StepMeter;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.LongRunSignal;
import dev.varve.server.command.Session;
import dev.varve.server.lua.FunctionEngine;
import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.RegisteredFunction;
import dev.varve.server.lua.ScriptEngine;
import dev.varve.server.lua.ScriptFailure;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.run.ScriptRoom;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.resp.Args;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.LoadedLibraries;
import dev.varve.server.script.ScriptCache;
import dev.varve.server.script.ScriptDroppedException;
import dev.varve.server.script.ScriptHeader;
import dev.varve.server.script.ScriptReplyWriter;
import dev.varve.server.script.ScriptRuns;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts and functions for one executor: its interpreters, and what they have compiled.
 *
 * <p>Used by the thread of its executor, or of the one that it is lent to; while a script is in a
 * coroutine or deep in recursion, by the thread that the interpreter lends itself to, and the
 * executor's waits.
 */
public final class ScriptRunner {
  private static final String CHUNK_NAME = "@user_script";
  private static final String KILLED = "ERR Script killed by user with SCRIPT KILL...";
  private static final DataException WRITES_IN_READ_ONLY =
      new DataException("ERR Can not execute a script with write flag using *_ro command.");
  private static final DataException NO_FUNCTION = new DataException("ERR Function not found");

  /** Compiled scripts that are kept; when there are more, all are compiled again. */
  private static final int COMPILED_MAX = 10_000;

  /** Together they take no more than this part of the heap on a loop: each has its own. */
  private static final int COMPILED_HEAP_PART = 32;

  /** And those of all workers no more than this part. */
  private static final int WORKERS_HEAP_PART = 8;

  /** What a compiled script takes for each byte of its text, about. */
  private static final int COMPILED_BYTES_PER_BYTE = 24;

  /**
   * A worker that brings what a function lacks runs it too, but with libraries of its own: what it
   * finds in their variables may be something else, and so may what it brings. After so many runs
   * the function itself waits for the disk, with the lease and the loop's libraries. One in a
   * transaction that cannot be lent is given up after as many again.
   */
  private static final int COLD_RUNS_MAX = 8;

  private static final DataException NEVER_BROUGHT =
      new DataException(
          "ERR Function reads other keys than it did when these were brought from the disk, and"
              + " cannot wait for them beside the other commands of this transaction.");

  /** How far up it is looked for a line where a script was ended in builtins. */
  private static final int LEVELS_MAX = 8;

  /** A script that is ready to run. */
  private record Compiled(LuaFunction function, ScriptHeader header) {}

  private final ScriptCache cache;
  private final ScriptRuns runs;
  private final LongRun longRun;
  private final Shortage shortage;
  private final Following following;
  private final ScriptCalls calls;
  private final ScriptRandom random = new ScriptRandom();
  private final ScriptRoom room;
  private final boolean mayWait;
  private final FunctionEngine functionEngine;
  private final LoadedLibraries libraries;

  /** By digest. The cache holds it, and lets go of it with the scripts. */
  private WeakReference<Map<String, Compiled>> compiled = new WeakReference<>(null);

  /** The script that was loaded last, until it has run: meanwhile all may be forgotten. */
  private @Nullable Compiled loaded;

  private final long compiledSourceBytesMax;
  private long compiledSourceBytes;
  private ScriptEngine engine;
  private int generation;

  private ScriptRuns.@Nullable Run run;
  private boolean mayLeave;
  private boolean isOnWorker;
  private int stepsLeft;

  ScriptRunner(Keyspace keyspace, Role role) {
    int parts = role == Role.WORKER ? WORKERS_HEAP_PART * Role.WORKERS_MAX : COMPILED_HEAP_PART;
    this.compiledSourceBytesMax =
        Runtime.getRuntime().maxMemory() / parts / COMPILED_BYTES_PER_BYTE;
    this.cache = keyspace.scripts();
    this.runs = keyspace.scriptRuns();
    this.longRun = keyspace.longRun();
    this.shortage = keyspace.shortage();
    this.following = keyspace.following();
    this.calls = new ScriptCalls(keyspace);
    this.room = keyspace.scriptRoom();
    this.mayWait = role == Role.WORKER;
    this.engine = newEngine();
    this.functionEngine =
        new FunctionEngine(LuaLimits.standard(), room, this::watch, calls, random);
    functionEngine.state().mayWaitForMemory(this::mayWaitForMemory);
    this.libraries = new LoadedLibraries(functionEngine);
  }

  private ScriptEngine newEngine() {
    ScriptEngine made = new ScriptEngine(LuaLimits.standard(), room, this::watch, calls, random);
    made.state().mayWaitForMemory(this::mayWaitForMemory);
    return made;
  }

  /** On a loop a script does not wait for the memory of others: it goes where it may. */
  private boolean mayWaitForMemory() {
    ScriptRuns.Run current = run;
    if (current == null) {
      return mayWait;
    }
    if (mayLeave && !isOnWorker) {
      throw LongRunSignal.of(current);
    }
    return isOnWorker;
  }

  private void watch() {
    ScriptRuns.Run current = run;
    if (current == null) {
      return;
    }
    if (runs.isStopping()) {
      throw new ScriptDroppedException();
    }
    if (current.isKilled()) {
      throw new ScriptKilledException(
          current.isFunction() ? place(functionEngine.state()) : place(engine.state()));
    }
    if (mayLeave && current.elapsedNanos() > longRun.scriptNanosMax(isOnWorker)) {
      throw LongRunSignal.of(current);
    }
  }

  /** The commands that a script calls may take long, too. */
  private void step() {
    if (--stepsLeft < 0) {
      stepsLeft = RunTime.WRITE_STEPS_PER_LOOK;
      watch();
    }
  }

  /** The line that runs now, or that called what runs. */
  private static String place(LuaState state) {
    for (int level = 1; level <= LEVELS_MAX; level++) {
      String where = state.where(level);
      if (!where.isEmpty()) {
        return "@" + where.substring(0, where.length() - 2);
      }
    }
    return CHUNK_NAME;
  }

  public LoadedLibraries libraries() {
    return libraries;
  }

  /**
   * Compiles a script and keeps that. Throws Redis's error when it is none.
   *
   * @param digest by which it can be called from now on
   */
  public void load(String digest, byte[] source) {
    if (generation != cache.generation()) {
      // As in Redis, what scripts have set in their libraries is forgotten with them.
      engine.state().close();
      engine = newEngine();
      if (functionEngine.state().undoLog().isOn()) {
        engine.state().undoLog().begin();
      }
      forgetCompiled();
      generation = cache.generation();
    }
    Map<String, Compiled> all = compiled();
    loaded = all.get(digest);
    if (loaded == null) {
      if (all.size() >= COMPILED_MAX
          || compiledSourceBytes + source.length > compiledSourceBytesMax) {
        forgetCompiled();
        all = compiled();
      }
      ScriptHeader header = ScriptHeader.of(source);
      try {
        byte[] body = Arrays.copyOfRange(source, header.begin(), source.length);
        Compiled made = new Compiled(engine.compile(body, CHUNK_NAME), header);
        all.put(digest, made);
        loaded = made;
        compiledSourceBytes += source.length;
      } catch (SyntaxException problem) {
        throw DataException.quoting(
            "ERR Error compiling script (new function): ",
            latin(String.valueOf(problem.getMessage())));
      } catch (LuaError failed) {
        throw DataException.quoting(
            "ERR Error compiling script (new function): ", Operations.text(failed.value()).bytes());
      } finally {
        engine.state().ended();
      }
    }
  }

  private Map<String, Compiled> compiled() {
    Map<String, Compiled> all = compiled.get();
    if (all == null) {
      all = new HashMap<>();
      cache.keepUntilClear(all);
      compiled = new WeakReference<>(all);
      compiledSourceBytes = 0;
    }
    return all;
  }

  private void forgetCompiled() {
    Map<String, Compiled> all = compiled.get();
    if (all != null) {
      all.clear();
    }
    compiledSourceBytes = 0;
  }

  /**
   * Runs a script that was loaded, and writes its reply.
   *
   * @param request the command that calls it
   */
  public void run(
      RunContext context,
      String digest,
      byte[][] keys,
      byte[][] arguments,
      boolean onlyReads,
      Args request) {
    Compiled script = loaded;
    loaded = null;
    if (script == null) {
      throw new IllegalStateException("not loaded: " + digest);
    }
    boolean readOnly = onlyReads;
    Set<ScriptFlag> flags = script.header().flags();
    if (script.header().declared()) {
      readOnly = readOnly(context, flags, onlyReads);
    }
    run(
        context,
        runs.begin(digest, false, request, goesOn(context)),
        readOnly,
        flags,
        () -> engine.run(script.function(), keys, arguments));
  }

  /**
   * Runs a function, and writes its reply. Throws Redis's error when there is none.
   *
   * @param request the command that calls it
   */
  public void call(
      RunContext context,
      FunctionLibraries.Found found,
      byte[][] keys,
      byte[][] arguments,
      boolean onlyReads,
      Args request) {
    Set<ScriptFlag> flags = found.function().flags();
    boolean readOnly = readOnly(context, flags, onlyReads);
    RegisteredFunction function = libraries.function(context.libraries(), found);
    if (function == null) {
      throw NO_FUNCTION;
    }
    run(
        context,
        runs.begin(found.function().name(), true, request, goesOn(context)),
        readOnly,
        flags,
        () -> functionEngine.run(function, keys, arguments));
  }

  /** Whether it has the lease, and was unwound before. */
  private static boolean goesOn(RunContext context) {
    return context.executor().isOnWorker() && !context.isTrial();
  }

  /** Whether what has declared these flags only reads. */
  private boolean readOnly(RunContext context, Set<ScriptFlag> flags, boolean onlyReads) {
    boolean declared = flags.contains(ScriptFlag.NO_WRITES);
    if (onlyReads && !declared) {
      throw WRITES_IN_READ_ONLY;
    }
    if (context.session().isMaster()) {
      return declared;
    }
    if (!declared && following.refusesWrites()) {
      throw Following.WRITING_SCRIPT;
    }
    shortage.requireEnoughFor(flags);
    return declared;
  }

  private void run(
      RunContext context,
      ScriptRuns.Run current,
      boolean readOnly,
      Set<ScriptFlag> flags,
      Supplier<@Nullable Object> script) {
    if (context.scriptBegins()) {
      keepChanges();
    }
    Session session = context.session();
    int database = session.database();
    int replyMark = context.reply().mark();
    run = current;
    mayLeave = context.executor().longRuns().mayLeave(context.session());
    isOnWorker = context.executor().isOnWorker();
    meter(context, this::step);
    calls.begin(context, current, readOnly, flags);
    long position = random.position();
    if (context.hasOwnNumbers()) {
      random.setPosition(context.numbersPosition());
    }
    try {
      Object result = result(context, current, script);
      if (RedisLibrary.isCountedError(result)) {
        context.errorIsCounted();
      }
      new ScriptReplyWriter(context.reply(), calls.resp()).write(result);
    } catch (LuaError failure) {
      if (RedisLibrary.isCountedError(failure.value())) {
        context.errorIsCounted();
      }
      context.reply().rollback(replyMark);
      context.reply().error(latin(ScriptFailure.text(failure, current.name())));
    } catch (ScriptKilledException killed) {
      context.reply().rollback(replyMark);
      context
          .reply()
          .error(
              latin(KILLED + " script: " + current.name() + ", on " + killed.getMessage() + "."));
    } finally {
      if (context.hasOwnNumbers()) {
        context.numbersPosition(random.position());
        random.setPosition(position);
      }
      session.database(database);
      meter(context, StepMeter.NONE);
      runs.end(current);
      run = null;
      calls.end();
      (current.isFunction() ? functionEngine.state() : engine.state()).ended();
    }
  }

  private @Nullable Object result(
      RunContext context, ScriptRuns.Run current, Supplier<@Nullable Object> script) {
    try {
      return script.get();
    } catch (ColdBlockSignal cold) {
      int runs = isOnWorker ? 0 : context.session().nextRun().scriptIsCold();
      if (runs > COLD_RUNS_MAX && mayLeave) {
        throw LongRunSignal.of(current);
      }
      if (runs > 2 * COLD_RUNS_MAX && current.isFunction()) {
        throw NEVER_BROUGHT;
      }
      throw cold;
    }
  }

  private void keepChanges() {
    engine.state().undoLog().begin();
    functionEngine.state().undoLog().begin();
  }

  /** The run of a request, of perhaps several scripts, is over, and counts. */
  void keep() {
    engine.state().undoLog().forget();
    functionEngine.state().undoLog().forget();
  }

  /** It does not: what its scripts have changed of their libraries is made what it was. */
  void undo() {
    engine.state().undoLog().undo();
    functionEngine.state().undoLog().undo();
  }

  private static void meter(RunContext context, StepMeter its) {
    if (context.hasData()) {
      context.transaction().meter(its);
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
