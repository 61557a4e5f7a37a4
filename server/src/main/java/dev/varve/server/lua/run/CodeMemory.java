package dev.varve.server.lua.run;

import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;

/**
 * What the executed tree of a chunk takes. The functions of a chunk share it: who holds one of them
 * is taken to hold the whole tree.
 *
 * <p>Single-threaded, with its state.
 */
final class CodeMemory {
  /** About what a node takes, with its place in the one above it. */
  private static final int NODE_BYTES = 56;

  /** The same of a function and its scope. */
  private static final int FUNCTION_BYTES = 200;

  private final Allocation allocation;
  private long bytes;

  /** The last walk that met it. */
  int mark;

  /**
   * @param chunkName is kept by each function
   */
  CodeMemory(Allocation allocation, String chunkName) {
    this.allocation = allocation;
    add(chunkName.length());
  }

  long bytes() {
    return bytes;
  }

  void addNode() {
    add(NODE_BYTES);
  }

  void addFunction() {
    add(FUNCTION_BYTES);
  }

  void addText(LuaString text) {
    add(LuaString.OVERHEAD_BYTES + text.length());
  }

  private void add(long more) {
    allocation.charge(more);
    bytes += more;
  }
}
