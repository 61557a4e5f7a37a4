package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.Coroutine;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import java.util.Arrays;
import java.util.Locale;

/** The table {@code coroutine}. */
public final class CoroutineLibrary {
  private CoroutineLibrary() {}

  public static void register(LuaState state) {
    Library.named(state, "coroutine", 6)
        .add("create", CoroutineLibrary::create)
        .add("resume", CoroutineLibrary::resume)
        .add("running", args -> Coroutine.running(args.state()))
        .add("status", CoroutineLibrary::status)
        .add("wrap", CoroutineLibrary::wrap)
        .add("yield", args -> Coroutine.yield(args.state(), args.all()));
  }

  private static Coroutine create(LuaArgs args) {
    if (args.get(1) instanceof LuaFunction function && !function.isBuiltin()) {
      args.state().charge(Coroutine.BYTES);
      return new Coroutine(args.state(), function);
    }
    throw args.bad(1, "Lua function expected");
  }

  private static LuaString status(LuaArgs args) {
    String name = coroutine(args).status().name().toLowerCase(Locale.ROOT);
    args.state().chargeString(name.length());
    return LuaString.of(name);
  }

  private static Coroutine coroutine(LuaArgs args) {
    if (args.get(1) instanceof Coroutine coroutine) {
      return coroutine;
    }
    throw args.bad(1, "coroutine expected");
  }

  private static Object resume(LuaArgs args) {
    Coroutine coroutine = coroutine(args);
    try {
      Object[] given = coroutine.resume(Arrays.copyOfRange(args.all(), 1, args.count()));
      Object[] all = new Object[given.length + 1];
      all[0] = Boolean.TRUE;
      System.arraycopy(given, 0, all, 1, given.length);
      return all;
    } catch (LuaError error) {
      return Results.of(Boolean.FALSE, error.value());
    }
  }

  private static Object wrap(LuaArgs args) {
    Coroutine coroutine = create(args);
    args.state().charge(Builtin.BYTES);
    return new Builtin(
        call -> {
          try {
            return coroutine.resume(call.all());
          } catch (LuaError error) {
            throw error.value() instanceof LuaString text
                ? call.state().error(text.toString())
                : call.state().error(error.value());
          }
        },
        coroutine);
  }
}
