package dev.varve.server.lua.value;

/** Whoever keeps count of the memory that the values of one interpreter take. */
@FunctionalInterface
public interface Allocation {
  /** For values that live as long as the server and are nobody's to pay for. */
  Allocation UNCOUNTED = bytes -> {};

  /**
   * So many bytes are about to be allocated. Throws Lua's "not enough memory" when that is more
   * than the interpreter may have.
   */
  void charge(long bytes);

  /** Where changes of tables are kept. */
  default UndoLog undoLog() {
    return UndoLog.NONE;
  }
}
