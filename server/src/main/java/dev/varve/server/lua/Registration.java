package dev.varve.server.lua;

import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one library registers while it is loaded: {@code redis.register_function}.
 *
 * <p>Used by the thread that has the state.
 */
final class Registration {
  private static final String NAME_RULE =
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one"
          + " character long";

  private final Map<String, RegisteredFunction> functions = new LinkedHashMap<>();

  /** The functions by their names, in the order in which they came. */
  Map<String, RegisteredFunction> functions() {
    return functions;
  }

  /** Whether Redis takes this for the name of a library or function. */
  static boolean isName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char letter = name.charAt(i);
      boolean isPlain =
          (letter >= 'a' && letter <= 'z')
              || (letter >= 'A' && letter <= 'Z')
              || (letter >= '0' && letter <= '9')
              || letter == '_';
      if (!isPlain) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  /** The builtin. */
  Object register(LuaArgs args) {
    RegisteredFunction function =
        switch (args.count()) {
          case 1 -> byName(args);
          case 2 -> byPosition(args);
          default -> throw raise(args, "wrong number of arguments to redis.register_function");
        };
    if (!isName(function.name())) {
      throw raise(args, NAME_RULE);
    }
    if (functions.putIfAbsent(function.name(), function) != null) {
      throw raise(args, "Function already exists in the library");
    }
    return Results.NONE;
  }

  private static LuaError raise(LuaArgs args, String text) {
    return args.state().error((Object) RedisLibrary.error(args.state(), text));
  }

  private static RegisteredFunction byPosition(LuaArgs args) {
    String name = text(args.get(1));
    if (name == null) {
      throw raise(args, "first argument to redis.register_function must be a string");
    }
    if (!(args.get(2) instanceof LuaFunction callback)) {
      throw raise(args, "second argument to redis.register_function must be a function");
    }
    return new RegisteredFunction(name, null, Set.of(), callback);
  }

  private static RegisteredFunction byName(LuaArgs args) {
    if (!(args.get(1) instanceof LuaTable named)) {
      throw raise(
          args,
          "calling redis.register_function with a single argument is only applicable to Lua table"
              + " (representing named arguments).");
    }
    String name = null;
    String description = null;
    LuaFunction callback = null;
    Set<ScriptFlag> flags = Set.of();
    for (int at = named.position(0); at >= 0; at = named.position(at + 1)) {
      String key = text(named.keyAt(at));
      Object value = named.valueAt(at);
      if (key == null) {
        throw raise(args, "named argument key given to redis.register_function is not a string");
      }
      switch (key.toLowerCase(Locale.ROOT)) {
        case "function_name" -> name = textArgument(args, key, value);
        case "description" -> description = textArgument(args, key, value);
        case "callback" -> {
          if (!(value instanceof LuaFunction given)) {
            throw raise(
                args, "callback argument given to redis.register_function must be a function");
          }
          callback = given;
        }
        case "flags" -> flags = flags(args, value);
        default -> throw raise(args, "unknown argument given to redis.register_function");
      }
    }
    if (name == null) {
      throw raise(args, "redis.register_function must get a function name argument");
    }
    if (callback == null) {
      throw raise(args, "redis.register_function must get a callback argument");
    }
    return new RegisteredFunction(name, description, flags, callback);
  }

  private static String textArgument(LuaArgs args, String key, @Nullable Object value) {
    String text = text(value);
    if (text == null) {
      throw raise(
          args,
          key.toLowerCase(Locale.ROOT)
              + " argument given to redis.register_function must be a string");
    }
    return text;
  }

  private static Set<ScriptFlag> flags(LuaArgs args, @Nullable Object value) {
    if (!(value instanceof LuaTable names)) {
      throw raise(
          args,
          "flags argument to redis.register_function must be a table representing function flags");
    }
    Set<ScriptFlag> flags = EnumSet.noneOf(ScriptFlag.class);
    for (int i = 1; names.get(i) != null; i++) {
      String name = text(names.get(i));
      ScriptFlag flag = name == null ? null : ScriptFlag.named(name);
      if (flag == null) {
        throw raise(args, "unknown flag given");
      }
      flags.add(flag);
    }
    return Collections.unmodifiableSet(flags);
  }

  private static @Nullable String text(@Nullable Object value) {
    if (value instanceof Double number) {
      return NumberText.write(number).toString();
    }
    return value instanceof LuaString text ? text.toString() : null;
  }
}
