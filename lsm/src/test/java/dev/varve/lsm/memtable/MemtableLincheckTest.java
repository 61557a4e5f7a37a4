package dev.varve.lsm.memtable;

import java.util.List;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Beside its writer, readers see the memtable as a sorted map.
 *
 * <p>{@code -Dvarve.lincheck=…} tries so many times as many interleavings.
 */
class MemtableLincheckTest {
  private static final int TIMES = Integer.getInteger("varve.lincheck", 1);

  @Test
  void modelChecked() {
    LinChecker.check(
        PublishedMemtable.class,
        new ModelCheckingOptions()
            .iterations(6 * TIMES)
            .invocationsPerIteration(100)
            .threads(2)
            .actorsPerThread(2)
            .sequentialSpecification(PublishedMemtable.SortedMapModel.class));
  }

  @Test
  void stressed() {
    for (Class<?> test : List.of(PublishedMemtable.class, PublishedMemtable.FullLeaf.class)) {
      LinChecker.check(
          test,
          new StressOptions()
              .iterations(10 * TIMES)
              .invocationsPerIteration(1_000)
              .threads(3)
              .actorsPerThread(4)
              .sequentialSpecification(PublishedMemtable.SortedMapModel.class));
    }
  }
}
