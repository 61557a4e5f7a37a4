package dev.varve.lsm.entry;

import org.jspecify.annotations.Nullable;

/**
 * No dead range.
 *
 * @param areAll whether there is none; if not, it is only not known which there are
 */
record NoDeadRanges(boolean areAll) implements DeadRanges {
  @Override
  public boolean advanceTo(byte[] key, int length) {
    return false;
  }

  @Override
  public byte @Nullable [] start() {
    return null;
  }

  @Override
  public byte @Nullable [] endExclusive() {
    return null;
  }

  @Override
  public boolean isDead(byte[] key, int length) {
    return false;
  }

  @Override
  public void close() {}
}
