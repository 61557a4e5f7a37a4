package dev.varve.perf.primitive;

import dev.varve.server.lua.ScriptEngine;
import dev.varve.server.lua.ScriptHost;
import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JsePlatform;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The interpreter of scripts beside LuaJ 3.0.1, with a stub in place of the keyspace: it is to be
 * no slower in any of these.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls what has @Setup first.
public class ScriptBenchmark {
  private static final int CALLS = 1000;
  private static final int SOURCE_BYTES = 2000;
  private static final String CALLING =
      "for i=1," + CALLS + " do redis.call('SET', KEYS[1], 'v') end return 1";
  private static final String LOOPING = "local x=0 for i=1,1000000 do x = x + i % 7 end return x";
  private static final byte[][] KEYS = {bytes("key")};
  private static final byte[][] NONE = {};

  private final ScriptEngine engine =
      new ScriptEngine(LuaLimits.standard(), () -> {}, new Stub(), new ScriptRandom());
  private final Globals luaj = JsePlatform.standardGlobals();
  private final byte[] source = bytes(source());
  private LuaFunction calling;
  private LuaFunction looping;
  private LuaValue callingOfLuaJ;
  private LuaValue loopingOfLuaJ;

  /** Answers every command with OK. */
  private static final class Stub implements ScriptHost {
    private final LuaTable ok = new LuaTable(Allocation.UNCOUNTED);

    Stub() {
      ok.put(LuaString.of("ok"), LuaString.of("OK"));
    }

    @Override
    public Object call(LuaState state, byte[][] arguments) {
      return ok;
    }

    @Override
    public void log(int level, LuaString message) {}

    @Override
    public void setResp(int version) {}

    @Override
    public Boolean mayRun(byte[][] arguments) {
      return true;
    }
  }

  /** The same for LuaJ, with the arguments taken out as bytes. */
  private static final class StubOfLuaJ extends VarArgFunction {
    private final org.luaj.vm2.LuaTable ok = new org.luaj.vm2.LuaTable();

    StubOfLuaJ() {
      ok.set("ok", "OK");
    }

    @Override
    public Varargs invoke(Varargs arguments) {
      byte[][] bytes = new byte[arguments.narg()][];
      for (int i = 0; i < bytes.length; i++) {
        org.luaj.vm2.LuaString text = arguments.checkstring(i + 1);
        bytes[i] = new byte[text.length()];
        text.copyInto(0, bytes[i], 0, bytes[i].length);
      }
      return bytes.length == 0 ? NIL : ok;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String source() {
    StringBuilder source = new StringBuilder();
    for (int i = 0; source.length() < SOURCE_BYTES; i++) {
      source.append("local function f").append(i);
      source.append(
          "(a,b) local t={x=a,y=b} if a>b then return t.x+1 else return t.y..'z' end end ");
    }
    return source.append("return 1").toString();
  }

  /** Compiles what is run. */
  @Setup(Level.Trial)
  public void open() throws SyntaxException {
    calling = engine.compile(bytes(CALLING), "@user_script");
    looping = engine.compile(bytes(LOOPING), "@user_script");
    org.luaj.vm2.LuaTable redis = new org.luaj.vm2.LuaTable();
    redis.set("call", new StubOfLuaJ());
    luaj.set("redis", redis);
    org.luaj.vm2.LuaTable keys = new org.luaj.vm2.LuaTable();
    keys.set(1, "key");
    luaj.set("KEYS", keys);
    callingOfLuaJ = luaj.load(CALLING);
    loopingOfLuaJ = luaj.load(LOOPING);
  }

  /** One call of a command, of a thousand in a script. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public @Nullable Object call() {
    return engine.run(calling, KEYS, NONE);
  }

  /** One call of a command in LuaJ, of a thousand in a script. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public Object callOfLuaJ() {
    return callingOfLuaJ.call();
  }

  /** A script of a thousand calls. */
  @Benchmark
  public @Nullable Object scriptOfCalls() {
    return engine.run(calling, KEYS, NONE);
  }

  /** A script of a thousand calls in LuaJ. */
  @Benchmark
  public Object scriptOfCallsOfLuaJ() {
    return callingOfLuaJ.call();
  }

  /** A loop of a million steps. */
  @Benchmark
  public @Nullable Object loop() {
    return engine.run(looping, KEYS, NONE);
  }

  /** A loop of a million steps in LuaJ. */
  @Benchmark
  public Object loopOfLuaJ() {
    return loopingOfLuaJ.call();
  }

  /** Two kilobytes of functions. */
  @Benchmark
  public Object compile() throws SyntaxException {
    return engine.compile(source, "@user_script");
  }

  /** Two kilobytes of functions in LuaJ. */
  @Benchmark
  public Object compileOfLuaJ() {
    return luaj.load(source());
  }
}
