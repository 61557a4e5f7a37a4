package dev.varve.server.lua;

import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An engine whose host knows a handful of commands, and its replies as they would go over the wire
 * in RESP2.
 *
 * <p>Single-threaded.
 */
final class ScriptTester implements ScriptHost {
  private static final int DEPTH_MAX = 100;

  private final Map<String, String> keys = new HashMap<>();
  private final ScriptEngine engine;
  private volatile boolean killed;

  ScriptTester() {
    this(LuaLimits.standard());
  }

  ScriptTester(LuaLimits limits) {
    engine = new ScriptEngine(limits, this::watch, this, new ScriptRandom());
  }

  private void watch() {
    if (killed) {
      throw new ScriptKilledException("killed");
    }
  }

  /** Ends the script that runs; any thread. */
  void kill() {
    killed = true;
  }

  ScriptEngine engine() {
    return engine;
  }

  /** The reply to EVAL with no keys and no arguments. */
  String eval(String script) {
    byte[] source = script.getBytes(StandardCharsets.ISO_8859_1);
    LuaFunction compiled;
    try {
      compiled = engine.compile(source, "@user_script");
    } catch (SyntaxException problem) {
      return error("ERR Error compiling script (new function): " + problem.getMessage());
    } catch (LuaError failure) {
      return error("ERR Error compiling script (new function): " + failure.value());
    }
    try {
      StringBuilder reply = new StringBuilder();
      write(reply, engine.run(compiled, new byte[0][], new byte[0][]), 0);
      return reply.toString();
    } catch (LuaError failure) {
      return error(ScriptFailure.text(failure, RedisLibrary.sha1Hex(source)));
    }
  }

  private static String error(String text) {
    return "-" + text.replace('\r', ' ').replace('\n', ' ') + "\r\n";
  }

  private static void write(StringBuilder reply, @Nullable Object value, int depth) {
    if (depth > DEPTH_MAX) {
      reply.append("-ERR reached lua stack limit\r\n");
    } else if (value instanceof LuaString text) {
      reply.append('$').append(text.length()).append("\r\n").append(text).append("\r\n");
    } else if (value instanceof Double number) {
      reply.append(':').append((long) number.doubleValue()).append("\r\n");
    } else if (value == Boolean.TRUE) {
      reply.append(":1\r\n");
    } else if (value instanceof LuaTable table) {
      write(reply, table, depth);
    } else {
      reply.append("$-1\r\n");
    }
  }

  private static void write(StringBuilder reply, LuaTable table, int depth) {
    if (table.get(LuaString.of("err")) instanceof LuaString text) {
      reply.append(error(text.untilZero().toString()));
    } else if (table.get(LuaString.of("ok")) instanceof LuaString text) {
      reply.append('+').append(text.untilZero().toString().replace('\n', ' ')).append("\r\n");
    } else {
      int count = 0;
      while (table.get(count + 1) != null) {
        count++;
      }
      reply.append('*').append(count).append("\r\n");
      for (int i = 1; i <= count; i++) {
        write(reply, table.get(i), depth + 1);
      }
    }
  }

  @Override
  public @Nullable Object call(LuaState state, byte[][] arguments) {
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = new String(arguments[i], StandardCharsets.ISO_8859_1);
    }
    switch (words[0].toLowerCase(java.util.Locale.ROOT)) {
      case "ping" -> {
        return status(state, "PONG");
      }
      case "echo" -> {
        return LuaString.of(words[1]);
      }
      case "set" -> {
        keys.put(words[1], words[2]);
        return status(state, "OK");
      }
      case "get" -> {
        String value = keys.get(words[1]);
        return value == null ? Boolean.FALSE : LuaString.of(value);
      }
      case "incr" -> {
        try {
          long next = Long.parseLong(keys.getOrDefault(words[1], "0")) + 1;
          keys.put(words[1], Long.toString(next));
          return (double) next;
        } catch (NumberFormatException notOne) {
          return RedisLibrary.commandError(state, "-ERR value is not an integer or out of range");
        }
      }
      default -> {
        return RedisLibrary.error(state, "Unknown Redis command called from script");
      }
    }
  }

  private static LuaTable status(LuaState state, String text) {
    LuaTable status = state.newTable();
    status.put(LuaString.of("ok"), LuaString.of(text));
    return status;
  }

  @Override
  public void log(int level, LuaString message) {}

  @Override
  public void setResp(int version) {}

  @Override
  public @Nullable Boolean mayRun(byte[][] arguments) {
    return Operations.text(null).length() > 0;
  }
}
