package dev.varve.compaction;

import org.jspecify.annotations.Nullable;

/**
 * A plan and how much it is needed: from 1 on it is worth running now. Immutable.
 *
 * <p>Levels count their size over their target, reclaiming passes the share they would drop over
 * the share that pays.
 */
record Candidate(double score, Plan plan) {

  /** The one that is needed more; the first if equal. */
  static @Nullable Candidate better(@Nullable Candidate first, @Nullable Candidate second) {
    if (first == null || second == null) {
      return first == null ? second : first;
    }
    return second.score > first.score ? second : first;
  }
}
