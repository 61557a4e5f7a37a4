package dev.varve.lsm.entry;

import org.jspecify.annotations.Nullable;

/**
 * Unwinds a read that needs a block which is not in memory. Not an error: the caller has the block
 * brought, or runs the read again where it may block, see docs/long-commands.md.
 *
 * <p>Without a stack trace, so that a miss costs no more than the unwinding. Code between the read
 * and the event loop must not catch it, and must have changed nothing before its last read.
 */
public final class ColdBlockSignal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The one that does not say which block it is. */
  @SuppressWarnings(
      "StaticAssignmentOfThrowable") // no stack trace, no suppressed: nothing to share
  public static final ColdBlockSignal INSTANCE = new ColdBlockSignal(null);

  private final transient @Nullable ColdBlock block;

  private ColdBlockSignal(@Nullable ColdBlock block) {
    super("block is not in memory", null, false, false);
    this.block = block;
  }

  /** One that says what is missing, if that is known. */
  public static ColdBlockSignal of(@Nullable ColdBlock block) {
    return block == null ? INSTANCE : new ColdBlockSignal(block);
  }

  /** What is missing; null where that is not known. */
  public @Nullable ColdBlock block() {
    return block;
  }
}
