package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.MAY_REPLICATE;
import static dev.varve.server.command.CommandFlag.MOVABLEKEYS;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_MANDATORY_KEYS;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.SKIP_MONITOR;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.ScriptCache;
import dev.varve.server.script.ScriptRuns;
import java.util.Arrays;
import java.util.Locale;

/**
 * EVAL and its kin, FCALL, SCRIPT.
 *
 * <p>A whole script is one transaction of the codec, as EXEC is: all of it is there, or nothing.
 */
public final class ScriptCommands {
  private static final DataException NO_SCRIPT =
      new DataException("NOSCRIPT No matching script. Please use EVAL.");
  private static final DataException TOO_MANY_KEYS =
      new DataException("ERR Number of keys can't be greater than number of args");
  private static final DataException NEGATIVE_KEYS =
      new DataException("ERR Number of keys can't be negative");
  private static final DataException FLUSH_OPTIONS =
      new DataException("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  private static final DataException DEBUG_OPTIONS =
      new DataException("ERR Use SCRIPT DEBUG YES/SYNC/NO");
  private static final DataException NO_DEBUGGER =
      new DataException("ERR SCRIPT DEBUG is not supported by this server");
  private static final DataException NOT_BUSY =
      new DataException("NOTBUSY No scripts in execution right now.");
  private static final DataException UNKILLABLE =
      new DataException(
          "UNKILLABLE Sorry the script already executed write commands against the dataset. You"
              + " can either wait the script termination or kill the server in a hard way using"
              + " the SHUTDOWN NOSAVE command.");

  private static final DataException NO_FUNCTION = new DataException("ERR Function not found");
  private static final DataException BAD_KEY_COUNT =
      new DataException("ERR Bad number of keys provided");

  private static final int KEY_COUNT_INDEX = 2;
  private static final int DIGEST_LENGTH = 40;

  private final ScriptCache cache;
  private final ScriptRuns runs;

  private ScriptCommands(ScriptCache cache, ScriptRuns runs) {
    this.cache = cache;
    this.runs = runs;
  }

  public static void register(CommandTable table, ScriptCache cache, ScriptRuns runs) {
    ScriptCommands commands = new ScriptCommands(cache, runs);
    table.add(
        CommandGroup.SCRIPTING,
        eval("eval", "Run Lua code, which is applied whole or not at all")
            .does((context, args) -> commands.eval(context, args, false)),
        eval("evalsha", "Run the script of this SHA-1, which the server has seen before")
            .does((context, args) -> commands.evalDigest(context, args, false)),
        evalReadOnly("eval_ro", "EVAL that only reads")
            .does((context, args) -> commands.eval(context, args, true)),
        evalReadOnly("evalsha_ro", "EVALSHA that only reads")
            .does((context, args) -> commands.evalDigest(context, args, true)),
        calling("fcall", "Call a function of a library")
            .flags(MAY_REPLICATE)
            .since("7.0.0")
            .does((context, args) -> call(context, args, false)),
        evalReadOnly("fcall_ro", "FCALL that only reads")
            .does((context, args) -> call(context, args, true)),
        Command.named("script")
            .arity(-2)
            .since("2.6.0")
            .helpSince("5.0.0")
            .summary("Look after the scripts that EVALSHA knows")
            .subcommands(
                script("load", 3, "Let EVALSHA know a script without running it")
                    .flags(STALE)
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::load),
                script("exists", -3, "Tell which SHA-1s EVALSHA knows").does(commands::exists),
                script("flush", -2, "Forget every script").does(commands::flush),
                script("debug", 3, "Step through scripts (refused)")
                    .since("3.2.0")
                    .does(ScriptCommands::debug),
                script("kill", 2, "Stop the script that runs, if it has not written")
                    .flags(ALLOW_BUSY)
                    .does((context, args) -> kill(context, runs, false))));
  }

  private static Command eval(String name, String summary) {
    return calling(name, summary).flags(MAY_REPLICATE).since("2.6.0");
  }

  private static Command evalReadOnly(String name, String summary) {
    return calling(name, summary).flags(READONLY).since("7.0.0");
  }

  private static Command calling(String name, String summary) {
    return Command.named(name)
        .arity(-3)
        .flags(NOSCRIPT, SKIP_MONITOR, STALE, MOVABLEKEYS, NO_MANDATORY_KEYS)
        .keys(args -> CountedKeys.of(args, KEY_COUNT_INDEX))
        .summary(summary)
        .at(Command.Place.KEYSPACE_LOOP);
  }

  private static Command script(String name, int arity, String summary) {
    return Command.named(name).arity(arity).flags(NOSCRIPT).since("2.6.0").summary(summary);
  }

  private void eval(CommandContext context, Args args, boolean onlyReads) {
    called(context, args);
    byte[] source = args.get(1);
    int keys = keyCount(args);
    String digest = RedisLibrary.sha1Hex(source);
    context.loadScript(digest, source);
    cache.addEvaluated(digest, source);
    run(context, args, digest, keys, onlyReads);
  }

  private void evalDigest(CommandContext context, Args args, boolean onlyReads) {
    called(context, args);
    if (args.get(1).length != DIGEST_LENGTH) {
      throw NO_SCRIPT;
    }
    int keys = keyCount(args);
    String digest = args.text(1).toLowerCase(Locale.ROOT);
    byte[] source = cache.source(digest);
    if (source == null) {
      throw NO_SCRIPT;
    }
    context.loadScript(digest, source);
    run(context, args, digest, keys, onlyReads);
  }

  /** Monitors see the call also if it is refused. */
  private static void called(CommandContext context, Args args) {
    if (!context.isTrial()) {
      context.callsScript(args);
    }
  }

  private static int keyCount(Args args) {
    return keyCount(args, Arguments.integer(args, KEY_COUNT_INDEX));
  }

  private static int keyCount(Args args, long keys) {
    if (keys > args.count() - KEY_COUNT_INDEX - 1) {
      throw TOO_MANY_KEYS;
    }
    if (keys < 0) {
      throw NEGATIVE_KEYS;
    }
    return (int) keys;
  }

  private static void call(CommandContext context, Args args, boolean onlyReads) {
    called(context, args);
    FunctionLibraries.Found function =
        context.libraries().function(LuaString.wrap(args.get(1)).toString());
    if (function == null) {
      throw NO_FUNCTION;
    }
    long counted = Arguments.integer(args, KEY_COUNT_INDEX, BAD_KEY_COUNT);
    int keys = keyCount(args, counted);
    context.callFunction(function, keys(args, keys), arguments(args, keys), onlyReads, args);
  }

  private static void run(
      CommandContext context, Args args, String digest, int keys, boolean onlyReads) {
    context.runScript(digest, keys(args, keys), arguments(args, keys), onlyReads, args);
  }

  private static byte[][] keys(Args args, int count) {
    return Arrays.copyOf(args.from(KEY_COUNT_INDEX + 1), count);
  }

  private static byte[][] arguments(Args args, int keys) {
    return args.from(KEY_COUNT_INDEX + 1 + keys);
  }

  private void load(CommandContext context, Args args) {
    byte[] source = args.get(2);
    String digest = RedisLibrary.sha1Hex(source);
    context.loadScript(digest, source);
    cache.addLoaded(digest, source);
    context.reply().bulk(digest);
  }

  private void exists(CommandContext context, Args args) {
    context.reply().array(args.count() - 2);
    for (int i = 2; i < args.count(); i++) {
      boolean known = cache.source(args.text(i).toLowerCase(Locale.ROOT)) != null;
      context.reply().integer(known ? 1 : 0);
    }
  }

  private void flush(CommandContext context, Args args) {
    boolean isKnown =
        args.count() == 2 || (args.count() == 3 && (args.is(2, "SYNC") || args.is(2, "ASYNC")));
    if (!isKnown) {
      throw FLUSH_OPTIONS;
    }
    cache.clear();
    context.reply().ok();
  }

  private static void debug(CommandContext context, Args args) {
    if (args.is(2, "YES") || args.is(2, "SYNC")) {
      throw NO_DEBUGGER;
    }
    if (!args.is(2, "NO")) {
      throw DEBUG_OPTIONS;
    }
    context.reply().ok();
  }

  /** Ends the script that runs, or the function. */
  static void kill(CommandContext context, ScriptRuns runs, boolean functions) {
    switch (runs.kill(functions)) {
      case NONE_RUNS -> throw NOT_BUSY;
      case HAS_WRITTEN -> throw UNKILLABLE;
      case OTHER_KIND -> throw functions ? LongRun.BUSY_SCRIPT : LongRun.BUSY_FUNCTION;
      case ASKED -> context.reply().ok();
    }
  }
}
