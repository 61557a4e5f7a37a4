package dev.varve.compaction;

import org.jspecify.annotations.Nullable;

/**
 * Chooses what to compact next: the state of the tree in, a plan out. Pure and stateless; safe for
 * use by several threads.
 */
final class CompactionPicker {
  /*
   * Order of precedence:
   *   1. deleting tables that are wholly dead: free;
   *   2. level 0 when it is twice over its trigger: writers are about to be slowed;
   *   3. what somebody asked for;
   *   4. whatever scores highest of level 0, level sizes and reclaiming, from a score of 1 on;
   *   5. while nothing is written, level 0 before it is due.
   * Every plan moves data down, drops something, or leaves fewer tables at level 0, and none does
   * the opposite: so without writes the picker comes to rest.
   */

  private static final double URGENT_SCORE = 2;

  private final CompactionOptions options;
  private final LevelZeroPicker levelZero;
  private final LevelPicker levels;
  private final ReclaimPicker reclaim;
  private final RequestPicker requests;

  public CompactionPicker(CompactionOptions options) {
    this.options = options;
    this.levelZero = new LevelZeroPicker(options);
    this.levels = new LevelPicker(options);
    this.reclaim = new ReclaimPicker(options, levelZero);
    this.requests = new RequestPicker(options, levelZero);
  }

  /** The next plan that may run beside those that run, or null if there is nothing to do. */
  public @Nullable Plan pick(PickerInput input) {
    Shape shape = new Shape(input, options);
    Plan deletion = reclaim.pickDeletion(shape);
    if (deletion != null) {
      return deletion;
    }
    Candidate best = levelZero.pick(shape);
    if (best != null && best.score() >= URGENT_SCORE) {
      return best.plan();
    }
    for (RangeRequest request : input.requests()) {
      Plan step = requests.pick(shape, request);
      if (step != null) {
        return step;
      }
    }
    best = Candidate.better(best, levels.pick(shape));
    best = Candidate.better(best, reclaim.pick(shape));
    if (best != null) {
      return best.plan();
    }
    return input.quiet() ? levelZero.pickQuiet(shape) : null;
  }

  /**
   * How far compaction is behind: 1 is on time, and level 0 slows its writers some way beyond 2.
   */
  public double pressure(PickerInput input) {
    return levelZero.score(new Shape(input, options));
  }
}
