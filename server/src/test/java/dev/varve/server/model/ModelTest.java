package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.TreeTester.Sizes;
import dev.varve.server.model.RandomRequests.Oracle;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random requests of all types, with expiry, restarts, power failures, flushes and compactions, get
 * the replies of a model in plain collections.
 *
 * <p>{@code -Dvarve.seed=…} repeats a run, {@code -Dvarve.model.rounds=…} makes more of them,
 * {@code -Dvarve.model.steps=…} longer ones.
 */
class ModelTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.model.rounds", 3);
  private static final int STEPS = Integer.getInteger("varve.model.steps", 3_000);

  /** So small that most collections are spread. */
  static final PackedLimits SMALL_LIMITS =
      new PackedLimits(4, 16, 4, 16, 4, 16, 4, 100).withStrings(30, 12, 16, 8);

  @Test
  void everyReplyIsTheModels() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      SplittableRandom random = new SplittableRandom(seed);
      Sizes sizes = anySizes(random);
      PackedLimits limits = random.nextBoolean() ? SMALL_LIMITS : PackedLimits.DEFAULT;
      System.out.println("ModelTest -Dvarve.seed=" + seed + " " + sizes);
      String statistics =
          new ModelRun(seed, random.nextLong(), sizes, limits, Oracle.MODEL)
              .losingUnsynced()
              .run(STEPS);
      System.out.println("ModelTest " + statistics);
    }
  }

  @Test
  void repliesDoNotDependOnSizes() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      SplittableRandom random = new SplittableRandom(seed + 1_000_000);
      System.out.println("ModelTest other sizes -Dvarve.seed=" + seed);
      ModelRun one = anyRun(seed, random);
      ModelRun other = anyRun(seed, random);
      one.run(STEPS / 3);
      other.run(STEPS / 3);
      assertEquals(one.replies(), other.replies());
    }
  }

  private static ModelRun anyRun(long seed, SplittableRandom random) throws IOException {
    return new ModelRun(
        seed, random.nextLong(), anySizes(random), SMALL_LIMITS, Oracle.OTHER_SIZES);
  }

  /** So small that things move to and fro between memory and disk. */
  static Sizes anySizes(SplittableRandom random) {
    return new Sizes(
        4096L << random.nextInt(6),
        64 << random.nextInt(8),
        1024L << random.nextInt(7),
        random.nextInt(3) == 0 ? 0 : 4096L << random.nextInt(8));
  }
}
