package dev.varve.lsm.table;

import org.jspecify.annotations.Nullable;

/**
 * What {@link EvictionQueues} keeps with each of its members, in the same object: a hit touches no
 * other memory. Guarded by the queues' lock, but for {@link #uses}.
 */
abstract class Evictable {
  /** Beyond it, further uses say nothing new. */
  static final int USES_MAX = 3;

  /** Of a member that was brought for a use to come: that one does not say that there are more. */
  private static final int USE_FORESEEN = -1;

  long key;
  EvictionQueues.@Nullable Queue queue;
  @Nullable Evictable older;
  @Nullable Evictable newer;

  /** Hits since it was judged the last time. Any thread; an increment may get lost. */
  private byte uses;

  /** Bytes that it takes of the limit. */
  abstract long weight();

  /** Notes a hit. Writes only what says something new: readers share the cache line. */
  final void used() {
    byte before = uses;
    if (before < USES_MAX) {
      uses = (byte) (before + 1);
    }
  }

  /** The next hit is what it was brought for. Any thread; hits meanwhile are lost. */
  final void foreseeUse() {
    uses = USE_FORESEEN;
  }

  final boolean isUseForeseen() {
    return uses == USE_FORESEEN;
  }

  final int uses() {
    return uses;
  }

  final void setUses(int count) {
    uses = (byte) count;
  }
}
