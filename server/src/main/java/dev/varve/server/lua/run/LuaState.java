package dev.varve.server.lua.run;

import dev.varve.server.lua.syntax.FunctionBody;
import dev.varve.server.lua.syntax.Parser;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.UndoLog;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An interpreter: its globals, the activations that are under way, and what they may still use.
 *
 * <p>One thread at a time; see the package.
 */
public final class LuaState implements Allocation {
  /** So many activations may be under way, as with Lua 5.1's LUAI_MAXCALLS (a power of two). */
  private static final int ACTIVATIONS_MAX = (1 << 14) - 1;

  /** So many calls from Java into Lua may be nested; LUAI_MAXCCALLS. */
  private static final int NATIVE_CALLS_MAX = 200;

  /** Calls and turns of loops between two looks at whether to go on. */
  private static final int FUEL = 20_000;

  /** Java frames that a thread with a stack of a megabyte has room for, with much to spare. */
  private static final int WEIGHT_MAX = 2_500;

  /** Trees that are deeper are worked on where there is more stack. */
  private static final int DEPTH_MAX = 400;

  final MemoryMeter memory;
  private final UndoLog undoLog;
  private final Runnable watch;
  private final LuaThreads threads;
  private final LuaTable registry;
  private LuaTable globals;
  private @Nullable LuaTable stringMetatable;

  @Nullable Coroutine running;
  int weight;
  int weightMax = WEIGHT_MAX;
  int nativeCalls;
  private int activations;
  private int fuel = FUEL;

  Frame top;

  /**
   * @param watch asked every so often, on the thread that runs the script; throws {@link
   *     ScriptKilledException} to end it
   */
  public LuaState(LuaLimits limits, Runnable watch) {
    this(limits, ScriptRoom.alone(limits), watch);
  }

  /** One that shares its memory with others. */
  public LuaState(LuaLimits limits, ScriptRoom room, Runnable watch) {
    this.watch = watch;
    this.memory = new MemoryMeter(this, limits, room, watch);
    this.threads = new LuaThreads(limits.coroutinesMax());
    this.undoLog = new UndoLog(this);
    // What no script can write to is not for the log.
    this.registry = new LuaTable(this::charge);
    this.globals = new LuaTable(this::charge, 0, 2);
    this.top = new Frame(this, null);
  }

  public LuaTable globals() {
    return globals;
  }

  /** Puts another table in the place of the globals. Before anything runs. */
  public void setGlobals(LuaTable table) {
    globals = table;
  }

  /** What is kept from run to run and is no global: it counts as memory that is used. */
  public LuaTable registry() {
    return registry;
  }

  @Override
  public UndoLog undoLog() {
    return undoLog;
  }

  public LuaLimits limits() {
    return memory.limits();
  }

  /**
   * Whether a script may wait when others have the memory that it needs; asked on the thread that
   * runs it, and may throw to end it there.
   */
  public void mayWaitForMemory(BooleanSupplier decision) {
    memory.mayWait(decision);
  }

  /** All libraries are there. */
  public void begin() {
    memory.begin();
  }

  /** No script runs, and nobody needs the last one's result: gives back what it has used. */
  public void ended() {
    memory.ended();
  }

  /** Some of what was kept was taken out of the registry. */
  public void forgotten() {
    memory.forgotten();
    memory.ended();
  }

  /** Gives all memory back; it is not used any more. */
  public void close() {
    memory.close();
  }

  /** The metatable that all strings have. */
  public @Nullable LuaTable stringMetatable() {
    return stringMetatable;
  }

  public void setStringMetatable(@Nullable LuaTable metatable) {
    stringMetatable = metatable;
  }

  /** A new table whose memory is counted. */
  public LuaTable newTable() {
    memory.charge(LuaTable.OVERHEAD_BYTES);
    return new LuaTable(this);
  }

  public LuaTable newTable(int slots, int nodes) {
    memory.charge(LuaTable.OVERHEAD_BYTES);
    return new LuaTable(this, slots, nodes);
  }

  @Override
  public void charge(long bytes) {
    memory.charge(bytes);
  }

  /** Checked before a string of this length is made. Throws "not enough memory". */
  public void chargeString(long length) {
    memory.chargeString(length);
  }

  /**
   * So many bytes are about to be allocated for what no value of the script holds, until {@link
   * #letGo}, or until the builtin that asks has failed.
   */
  public void hold(long bytes) {
    memory.hold(bytes);
  }

  /** What was held is garbage. */
  public void letGo(long bytes) {
    memory.letGo(bytes);
  }

  /**
   * What is counted from here on is held by a builtin alone, until {@link #endMaking}, or until it
   * has failed. It calls nothing back meanwhile.
   *
   * @return for the end
   */
  public boolean beginMaking() {
    return memory.beginMaking();
  }

  /** What was made is the script's. */
  public void endMaking(boolean begun) {
    memory.endMaking(begun);
  }

  /** About the bytes that strings and tables take now. */
  public long memoryBytes() {
    return memory.estimateBytes();
  }

  // ---- Compiling and running

  /**
   * The function that a chunk is. Throws with Lua's message when it does not compile, and {@link
   * LuaError} when it takes more memory than there is.
   */
  public LuaFunction compile(byte[] source, String chunkName) throws SyntaxException {
    // The parser's tree is held by nobody else, and the executed one by nobody yet.
    boolean begun = memory.beginMaking();
    try {
      return compiled(source, chunkName);
    } finally {
      memory.endMaking(begun);
    }
  }

  private LuaFunction compiled(byte[] source, String chunkName) throws SyntaxException {
    FunctionBody body = Parser.parse(source, chunkName, this);
    NodeBuilder builder = new NodeBuilder(chunkName, new CodeMemory(this, chunkName));
    if (body.depthInAll() <= DEPTH_MAX) {
      return new LuaClosure(builder.function(body), new Cell[0]);
    }
    Object code = threads.onLargeStack(() -> new LuaClosure(builder.function(body), new Cell[0]));
    if (nativeCalls == 0) {
      threads.close();
    }
    if (code instanceof LuaClosure closure) {
      return closure;
    }
    throw new IllegalStateException("no function");
  }

  /**
   * Calls a function as the outermost one. Throws {@link LuaError} when the script does not catch
   * it itself, {@link ScriptKilledException} when the watch ended it, and whatever builtins of the
   * host throw. All coroutines are gone afterwards.
   */
  public @Nullable Object run(LuaFunction function, @Nullable Object... arguments) {
    Saved before = save();
    long held = memory.held();
    try {
      nativeCalls++;
      return function.call(this, arguments);
    } catch (StackOverflowError overflow) {
      throw new LuaError(LuaString.of("stack overflow"), "=[C]", -1);
    } finally {
      restore(before);
      memory.letGoUpTo(held);
      if (nativeCalls == 0) {
        threads.close();
      }
    }
  }

  /** Calls from a builtin. The result is as {@link Results} has it. */
  public @Nullable Object callback(@Nullable Object function, @Nullable Object... arguments) {
    Frame caller = top;
    top = new Frame(this, caller);
    enter(LuaThreads.BUILTIN_WEIGHT);
    enterNative(null);
    @Nullable Object result = Operations.call(this, null, function, arguments);
    nativeCalls--;
    leave(LuaThreads.BUILTIN_WEIGHT);
    top = caller;
    return result;
  }

  /** As callback does; on an error what the handler makes of it. No pcall catches a kill. */
  public @Nullable Object protect(
      java.util.function.Function<LuaError, @Nullable Object> handler,
      @Nullable Object function,
      @Nullable Object... arguments) {
    Saved before = save();
    long held = memory.held();
    try {
      return callback(function, arguments);
    } catch (LuaError error) {
      restore(before);
      memory.letGoUpTo(held);
      return handler.apply(error);
    }
  }

  /** Where an interpreter is, to come back to. */
  record Saved(
      Frame top,
      int weight,
      int weightMax,
      int nativeCalls,
      int activations,
      @Nullable Coroutine running) {}

  Saved save() {
    return new Saved(top, weight, weightMax, nativeCalls, activations, running);
  }

  void restore(Saved saved) {
    top = saved.top;
    weight = saved.weight;
    weightMax = saved.weightMax;
    nativeCalls = saved.nativeCalls;
    activations = saved.activations;
    running = saved.running;
  }

  /** As a coroutine begins: nothing under way on its stack. */
  void begin(Coroutine coroutine) {
    running = coroutine;
    top = new Frame(this, null);
    weight = 0;
    weightMax = LuaThreads.COROUTINE_WEIGHT_MAX;
    nativeCalls = 0;
    activations = 0;
  }

  LuaThreads threads() {
    return threads;
  }

  // ---- Budgets

  void enter(int frames) {
    tick();
    if (++activations > ACTIVATIONS_MAX) {
      activations--;
      throw stackOverflow();
    }
    weight += frames;
  }

  void leave(int frames) {
    activations--;
    weight -= frames;
  }

  private LuaError stackOverflow() {
    return new LuaError(LuaString.of(where(1) + "stack overflow"), source(), line());
  }

  /**
   * One more call from Java into Lua.
   *
   * @param at the node that calls, or null for a builtin
   */
  void enterNative(@Nullable Node at) {
    if (++nativeCalls >= NATIVE_CALLS_MAX) {
      nativeCalls--;
      throw raise(at, "C stack overflow");
    }
  }

  /** One step of work done: every so often the watch is asked. Builtins call it in long loops. */
  public void tick() {
    if (--fuel < 0) {
      fuel = FUEL;
      watch.run();
    }
  }

  /** So many steps at once. */
  public void tick(int steps) {
    fuel -= steps;
    if (fuel < 0) {
      fuel = FUEL;
      watch.run();
    }
  }

  /** The same, on a thread with more stack, while this one waits. */
  @Nullable Object onLargerStack(Supplier<@Nullable Object> work) {
    if (weightMax == LuaThreads.LARGE_WEIGHT_MAX) {
      throw stackOverflow();
    }
    int before = weightMax;
    int weightBefore = weight;
    weightMax = LuaThreads.LARGE_WEIGHT_MAX;
    weight = 0;
    @Nullable Object result = threads.onLargeStack(work);
    weight = weightBefore;
    weightMax = before;
    return result;
  }

  /** Work of a builtin that nests: on more stack where this one would run out. */
  public @Nullable Object nested(Supplier<@Nullable Object> work) {
    weight += LuaThreads.BUILTIN_WEIGHT;
    @Nullable Object result = weight > weightMax ? onLargerStack(work) : work.get();
    weight -= LuaThreads.BUILTIN_WEIGHT;
    return result;
  }

  // ---- Errors

  /** An error raised by a builtin, with the place that called it in front. */
  public LuaError error(String message) {
    String where = where(1);
    chargeString((long) where.length() + message.length());
    return error(LuaString.of(where + message));
  }

  /** An error with any value. */
  public LuaError error(@Nullable Object value) {
    return new LuaError(value, source(), line());
  }

  /** An error at a node; without a place where that is null, as in a builtin's own operation. */
  LuaError raise(@Nullable Node at, String message) {
    if (at == null) {
      chargeString(message.length());
      return error((Object) LuaString.of(message));
    }
    top.at = at;
    return error(message);
  }

  /** The place at a level (1: who called the running builtin), as messages begin with it. */
  public String where(int level) {
    Frame frame = top;
    int left = level - 1;
    while (left > 0) {
      left -= 1 + frame.tailCalls;
      Frame caller = frame.caller;
      if (left < 0 || caller == null) {
        return "";
      }
      frame = caller;
    }
    LuaClosure function = frame.function;
    return function == null ? "" : function.code.shownName() + ":" + frame.line() + ": ";
  }

  private String source() {
    LuaClosure function = top.function;
    return function == null ? "=[C]" : function.code.chunkName();
  }

  private int line() {
    return top.function == null ? -1 : top.line();
  }

  LuaError badArgument(int index, String what) {
    String name = "?";
    boolean method = false;
    if (top.function != null && top.at instanceof Caller caller) {
      name = caller.calledName();
      method = caller.isMethodCall();
    }
    if (!method) {
      return error("bad argument #" + index + " to '" + name + "' (" + what + ")");
    }
    return index == 1
        ? error("calling '" + name + "' on bad self (" + what + ")")
        : error("bad argument #" + (index - 1) + " to '" + name + "' (" + what + ")");
  }

  /** A node that calls, and what it says of the function. */
  interface Caller {
    String calledName();

    boolean isMethodCall();
  }
}
