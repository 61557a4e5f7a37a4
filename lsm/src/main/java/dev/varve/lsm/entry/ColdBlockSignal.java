package dev.varve.lsm.entry;

/**
 * Unwinds a read that needs a block which is not in memory. Not an error: the caller runs the read
 * again where it may block, see docs/architecture.md.
 *
 * <p>One preallocated instance without a stack trace serves all, so that a miss costs no more than
 * the unwinding. Code between the read and the event loop must not catch it, and must have changed
 * nothing before its last read.
 */
public final class ColdBlockSignal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The one instance. */
  @SuppressWarnings(
      "StaticAssignmentOfThrowable") // no stack trace, no suppressed: nothing to share
  public static final ColdBlockSignal INSTANCE = new ColdBlockSignal();

  private ColdBlockSignal() {
    super("block is not in memory", null, false, false);
  }
}
