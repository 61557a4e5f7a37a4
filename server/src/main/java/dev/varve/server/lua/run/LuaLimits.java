package dev.varve.server.lua.run;

/**
 * What a script may use.
 *
 * @param memoryBytesMax about how much its strings and tables may take at one time
 * @param stringBytesMax how long one string may be
 * @param coroutinesMax how many coroutines may be suspended at one time
 */
public record LuaLimits(long memoryBytesMax, int stringBytesMax, int coroutinesMax) {
  private static final long MEMORY_BYTES = 256L << 20;
  private static final int STRING_BYTES = 512 << 20;
  private static final int COROUTINES = 256;

  /** A memory of 256 MB or a quarter of the heap, whichever is less. */
  public static LuaLimits standard() {
    long memory = Math.min(MEMORY_BYTES, Runtime.getRuntime().maxMemory() / 4);
    return new LuaLimits(memory, (int) Math.min(STRING_BYTES, memory), COROUTINES);
  }
}
