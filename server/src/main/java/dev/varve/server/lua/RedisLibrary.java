package dev.varve.server.lua;

import dev.varve.server.lua.lib.CountedBytes;
import dev.varve.server.lua.lib.Library;
import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import dev.varve.server.lua.value.PrintfNumber;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code redis}.
 *
 * <p>Used by the thread that has the state.
 */
public final class RedisLibrary {
  private static final LuaString ERR = LuaString.of("err");
  private static final LuaString IGNORE_STATISTICS = LuaString.of("ignore_error_stats_update");
  private static final LuaString OK = LuaString.of("ok");

  private static final String VERSION = "7.0.15";
  private static final double VERSION_NUMBER = 0x07000F;
  private static final int LOG_LEVEL_MAX = 3;
  private static final int REPLICATION_MAX = 3;

  /** Digits with which a number becomes an argument of a command. */
  private static final int ARGUMENT_PRECISION = 17;

  private static final int SHA1_DIGITS = 40;

  private static final double PLAIN_BELOW = 1e15;
  private static final String WRONG_ARGUMENTS = "wrong number or type of arguments";

  private final ScriptHost host;

  private RedisLibrary(ScriptHost host) {
    this.host = host;
  }

  static void register(LuaState state, ScriptHost host) {
    RedisLibrary redis = new RedisLibrary(host);
    Library library =
        Library.named(state, "redis", 0)
            .add("call", args -> redis.call(args, true))
            .add("pcall", args -> redis.call(args, false));
    redis
        .addLog(library)
        .add("setresp", redis::setResp)
        .set("REDIS_VERSION", LuaString.of(VERSION))
        .set("REDIS_VERSION_NUM", VERSION_NUMBER)
        .add("sha1hex", RedisLibrary::sha1Hex)
        .add("error_reply", RedisLibrary::errorReply)
        .add("status_reply", RedisLibrary::statusReply)
        .add("set_repl", RedisLibrary::setReplication)
        .set("REPL_NONE", 0.0)
        .set("REPL_AOF", 1.0)
        .set("REPL_SLAVE", 2.0)
        .set("REPL_REPLICA", 2.0)
        .set("REPL_ALL", 3.0)
        .add("acl_check_cmd", redis::mayRun)
        .add("replicate_commands", args -> Boolean.TRUE)
        .add("breakpoint", args -> Boolean.FALSE)
        .add("debug", args -> Results.NONE);
  }

  /**
   * The globals that a library of functions is loaded with: a table {@code redis} with little in
   * it.
   *
   * @param register what {@code redis.register_function} does
   */
  static LuaTable whileLoading(LuaState state, ScriptHost host, Builtin.Body register) {
    RedisLibrary redis = new RedisLibrary(host);
    LuaTable globals = new LuaTable(state);
    LuaTable table = new LuaTable(state);
    globals.put(LuaString.of("redis"), table);
    redis
        .addLog(Library.in(table).add("register_function", register))
        .set("REDIS_VERSION", LuaString.of(VERSION))
        .set("REDIS_VERSION_NUM", VERSION_NUMBER);
    return globals;
  }

  private Library addLog(Library library) {
    return library
        .add("log", this::log)
        .set("LOG_DEBUG", 0.0)
        .set("LOG_VERBOSE", 1.0)
        .set("LOG_NOTICE", 2.0)
        .set("LOG_WARNING", 3.0);
  }

  /** What a script sees of an error: a table with the text, code in front, in the field err. */
  public static LuaTable error(LuaState state, String text) {
    LuaTable error = state.newTable();
    state.chargeString(text.length());
    error.put(ERR, LuaString.of(withCode(text)));
    return error;
  }

  /** The error reply of a command, which is counted where the command ran. */
  public static LuaTable commandError(LuaState state, String text) {
    LuaTable error = error(state, text);
    error.put(IGNORE_STATISTICS, Boolean.TRUE);
    return error;
  }

  /** Whether this is an error that {@link #commandError} made. */
  public static boolean isCountedError(@Nullable Object value) {
    return value instanceof LuaTable table && table.get(IGNORE_STATISTICS) == Boolean.TRUE;
  }

  /** What was meant by a text with or without a code, which a minus sign announces. */
  private static String withCode(String text) {
    int end = text.length();
    while (end > 0 && (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r')) {
      end--;
    }
    String line = text.substring(0, end);
    if (!line.startsWith("-")) {
      return "ERR " + line;
    }
    return line.indexOf(' ') < 0 ? "ERR " + line.substring(1) : line.substring(1);
  }

  private static LuaError raise(LuaArgs args, String text) {
    return args.state().error((Object) error(args.state(), text));
  }

  private @Nullable Object call(LuaArgs args, boolean raises) {
    Object reply = reply(args);
    if (raises && reply instanceof LuaTable table && table.get(ERR) != null) {
      throw args.state().error((Object) table);
    }
    return reply;
  }

  private @Nullable Object reply(LuaArgs args) {
    byte[][] request = new byte[args.count()][];
    // Copies of arguments are held until the command has run, and its reply until it is read.
    boolean begun = args.state().beginMaking();
    LuaTable problem = read(args, request);
    Object reply = problem == null ? host.call(args.state(), request) : problem;
    args.state().endMaking(begun);
    return reply;
  }

  /** Reads the arguments into their array; an error where they are none for a command. */
  private static @Nullable LuaTable read(LuaArgs args, byte[][] request) {
    if (request.length == 0) {
      return error(args.state(), "Please specify at least one argument for this redis lib call");
    }
    for (int i = 0; i < request.length; i++) {
      byte[] argument = argument(args.get(i + 1));
      if (argument == null) {
        return error(args.state(), "Lua redis lib command arguments must be strings or integers");
      }
      // Commands tell one argument from the next by its array, also where a script names a key
      // twice.
      if (i > 0 && argument == request[i - 1]) {
        args.state().chargeString(argument.length);
        argument = argument.clone();
      }
      request[i] = argument;
    }
    return null;
  }

  private static byte @Nullable [] argument(@Nullable Object value) {
    if (value instanceof LuaString text) {
      return text.bytes();
    }
    if (value instanceof Double number) {
      long whole = (long) number.doubleValue();
      String text =
          whole == number && Math.abs(number) < PLAIN_BELOW && (whole != 0 || 1 / number > 0)
              ? Long.toString(whole)
              : PrintfNumber.general(number, ARGUMENT_PRECISION, false, false);
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
    return null;
  }

  private Object log(LuaArgs args) {
    int count = args.count();
    if (count < 2) {
      throw raise(args, "redis.log() requires two arguments or more.");
    }
    if (!(args.get(1) instanceof Double number)) {
      throw raise(args, "First argument must be a number (log level).");
    }
    // As a whole number; what is none, or a very large one, would come out as some level.
    if (!(number > -1 && number < LOG_LEVEL_MAX + 1)) {
      throw raise(args, "Invalid debug level.");
    }
    int level = number.intValue();
    CountedBytes message = new CountedBytes(args.state());
    for (int i = 2; i <= count; i++) {
      if (args.get(i) instanceof LuaString || args.get(i) instanceof Double) {
        if (i > 2) {
          message.write(' ');
        }
        message.write(args.string(i).bytes());
      }
    }
    host.log(level, message.string());
    return Results.NONE;
  }

  private Object setResp(LuaArgs args) {
    if (args.count() != 1) {
      throw raise(args, "redis.setresp() requires one argument.");
    }
    long version = numberOrZero(args.get(1));
    if (version != 2 && version != 3) {
      throw raise(args, "RESP version must be 2 or 3.");
    }
    host.setResp((int) version);
    return Results.NONE;
  }

  private static long numberOrZero(@Nullable Object value) {
    Double number = value instanceof Double given ? given : null;
    if (value instanceof LuaString text) {
      number = NumberText.read(text);
    }
    return number == null ? 0 : LuaArgs.toLong(number);
  }

  private static Object sha1Hex(LuaArgs args) {
    if (args.count() != 1) {
      throw raise(args, "wrong number of arguments");
    }
    Object value = args.get(1);
    boolean text = value instanceof LuaString || value instanceof Double;
    args.state().chargeString(SHA1_DIGITS);
    return LuaString.of(sha1Hex(text ? args.string(1).bytes() : new byte[0]));
  }

  /** The SHA-1 digest in lower-case hex, by which scripts are known. */
  public static String sha1Hex(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Object errorReply(LuaArgs args) {
    if (args.count() != 1 || !(args.get(1) instanceof LuaString text)) {
      return error(args.state(), WRONG_ARGUMENTS);
    }
    String message = text.untilZero().toString();
    return error(args.state(), message.startsWith("-") ? message : "-" + message);
  }

  private static Object statusReply(LuaArgs args) {
    if (args.count() != 1 || !(args.get(1) instanceof LuaString text)) {
      return error(args.state(), WRONG_ARGUMENTS);
    }
    LuaTable status = args.state().newTable();
    status.put(OK, text);
    return status;
  }

  private static Object setReplication(LuaArgs args) {
    if (args.count() != 1) {
      throw raise(args, "redis.set_repl() requires two arguments.");
    }
    long flags = numberOrZero(args.get(1));
    if ((flags & ~REPLICATION_MAX) != 0) {
      throw raise(
          args, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
    }
    return Results.NONE;
  }

  private Object mayRun(LuaArgs args) {
    byte[][] request = new byte[args.count()][];
    LuaTable problem = read(args, request);
    if (problem != null) {
      throw args.state().error((Object) problem);
    }
    Boolean may = host.mayRun(request);
    if (may == null) {
      throw raise(args, "Invalid command passed to redis.acl_check_cmd()");
    }
    return may;
  }

  /** What is in place of a global that was never set: an error. */
  static Object unknownGlobal(LuaArgs args) {
    Object name = args.get(2);
    if (!(name instanceof LuaString || name instanceof Double)) {
      throw args.state()
          .error("Second argument to luaProtectedTableError must be a string or number");
    }
    throw args.state()
        .error("Script attempted to access nonexistent global variable '" + args.string(2) + "'");
  }
}
