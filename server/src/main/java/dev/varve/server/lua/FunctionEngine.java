package dev.varve.server.lua;

import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.run.ScriptRoom;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An interpreter for libraries of functions: a library runs once, to register what it has, and sees
 * little but {@code redis.register_function} then; its functions run as scripts do.
 *
 * <p>One thread at a time.
 */
public final class FunctionEngine {
  /*
   * As in Redis, what libraries take for the globals is an empty table in front of the real ones,
   * which nobody can write to; while a library is loaded, others stand behind it.
   */
  private static final String CHUNK_NAME = "@user_function";
  private static final LuaString INDEX = LuaString.of("__index");

  /** How long a library that a client gives may take to register its functions, as in Redis. */
  public static final long LOAD_MILLIS_MAX = 500;

  /** For libraries that were loaded before. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private final Runnable watch;
  private final Sandbox sandbox;
  private final LuaState state;
  private final LuaTable all;
  private final LuaTable whileLoading;
  private final LuaTable front;
  private @Nullable Registration registration;
  private long loadNanosMax;
  private long loadBeganNanos;

  /**
   * @param watch asked every so often while a function runs; throws {@link ScriptKilledException}
   *     to end it
   * @param random the numbers that functions take for random
   */
  public FunctionEngine(
      LuaLimits limits, ScriptRoom room, Runnable watch, ScriptHost host, ScriptRandom random) {
    this.watch = watch;
    this.state = new LuaState(limits, room, this::watch);
    this.sandbox = new Sandbox(state, host, random);
    this.all = state.globals();
    sandbox.guard(all);
    sandbox.protect();
    this.whileLoading = RedisLibrary.whileLoading(state, host, this::register);
    sandbox.guard(whileLoading);
    if (whileLoading.get(LuaString.of("redis")) instanceof LuaTable redis) {
      sandbox.guard(redis);
    }
    Sandbox.protect(whileLoading);
    this.front = new LuaTable(state, 0, 1);
    front.setMetatable(new LuaTable(state, 0, 1));
    behindFront(all);
    front.setReadOnly(true);
    state.setGlobals(front);
  }

  private void behindFront(LuaTable table) {
    LuaTable metatable = front.metatable();
    if (metatable != null) {
      metatable.setReadOnly(false);
      metatable.put(INDEX, table);
      metatable.setReadOnly(true);
    }
  }

  private void watch() {
    if (registration == null) {
      watch.run();
    } else if (System.nanoTime() - loadBeganNanos > loadNanosMax) {
      throw new LoadTimeoutException();
    }
  }

  private Object register(LuaArgs args) {
    Registration its = registration;
    if (its == null) {
      throw args.state()
          .error(
              (Object)
                  RedisLibrary.error(
                      args.state(),
                      "redis.register_function can only be called on FUNCTION LOAD command"));
    }
    return its.register(args);
  }

  /**
   * Loads a library. What it has takes memory until {@link #unload}.
   *
   * @param key by which it is unloaded
   * @param body its code from the end of the first line on
   * @param millisMax how long it may take
   * @return what it has registered, possibly nothing
   * @throws LoadFailedException when it is not Lua, fails, or takes too long; nothing is kept then
   */
  public List<RegisteredFunction> load(String key, byte[] body, long millisMax)
      throws LoadFailedException {
    Registration its = new Registration();
    loadBeganNanos = System.nanoTime();
    loadNanosMax = TimeUnit.MILLISECONDS.toNanos(millisMax);
    try {
      behindFront(whileLoading);
      LuaFunction chunk = state.compile(body, CHUNK_NAME);
      registration = its;
      state.run(chunk);
      keep(key, its);
    } catch (SyntaxException problem) {
      throw new LoadFailedException("Error compiling function: " + problem.getMessage());
    } catch (LuaError error) {
      unload(key);
      throw failed(ScriptFailure.message(error));
    } catch (LoadTimeoutException tooLong) {
      throw failed("ERR " + tooLong.getMessage());
    } finally {
      registration = null;
      behindFront(all);
      // The function that is called for may be the library's first: what it changes of that counts.
      state.undoLog().settle();
      state.ended();
    }
    return List.copyOf(its.functions().values());
  }

  private void keep(String key, Registration its) {
    LuaTable callbacks = new LuaTable(state);
    state.registry().put(LuaString.of(key), callbacks);
    for (RegisteredFunction function : its.functions().values()) {
      callbacks.put(LuaString.of(function.name()), function.callback());
    }
  }

  private static LoadFailedException failed(String message) {
    return new LoadFailedException("Error registering functions: " + message);
  }

  /** Forgets a library. */
  public void unload(String key) {
    state.registry().put(LuaString.of(key), null);
    state.forgotten();
  }

  /** Whether Redis takes this for the name of a library or a function. */
  public static boolean isName(String name) {
    return Registration.isName(name);
  }

  public LuaState state() {
    return state;
  }

  /**
   * Runs a function. Returns what it returns (of several values the first). One that ended by what
   * the host threw has taken no random numbers: run again, it gets the same. Throws {@link
   * LuaError} when it fails, {@link ScriptKilledException} when the watch ended it, and whatever
   * the host throws.
   */
  public @Nullable Object run(RegisteredFunction function, byte[][] keys, byte[][] arguments) {
    return sandbox.run(
        function.callback(), () -> new Object[] {sandbox.list(keys), sandbox.list(arguments)});
  }
}
