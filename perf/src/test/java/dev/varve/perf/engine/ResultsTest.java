package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private final Results results = new Results(List.of("varve", "rocksdb"));

  @Test
  void medianIsTheMiddleRoundWhateverTheirOrder() {
    for (double rate : new double[] {500, 100, 300}) {
      results.add(Measured.of("readrandom", "varve", rate));
    }
    Measurement median = results.median("readrandom", "varve");
    assertNotNull(median);
    assertEquals(300, median.operationsPerSecond(), 0.1);
  }

  @Test
  void ratioIsOfMedians() {
    for (double rate : new double[] {100, 200, 900}) {
      results.add(Measured.of("readrandom", "varve", rate));
    }
    for (double rate : new double[] {90, 100, 110}) {
      results.add(Measured.of("readrandom", "rocksdb", rate));
    }
    assertEquals(2, results.ratio("readrandom", "varve", "rocksdb").orElseThrow(), 1e-3);
    assertEquals(2, results.cpuRatio("readrandom", "varve", "rocksdb").orElseThrow(), 1e-3);
    assertEquals(0.5, results.ratio("readrandom", "rocksdb", "varve").orElseThrow(), 1e-3);
  }

  @Test
  void whatWasNotMeasuredHasNeitherMedianNorRatio() {
    results.add(Measured.of("readrandom", "varve", 100));
    assertNull(results.median("readrandom", "rocksdb"));
    assertTrue(results.ratio("readrandom", "varve", "rocksdb").isEmpty());
    assertTrue(results.median("readrandom", "varve", Figure.RECOVERY_SECONDS).isEmpty());
  }

  @Test
  void workloadsComeInTheOrderOfTables() {
    results.add(Measured.of("recovery", "varve", 1));
    results.add(Measured.of("fillseq", "rocksdb", 1));
    results.add(Measured.of("readrandom-cached", "varve", 1));
    assertEquals(List.of("fillseq", "readrandom-cached", "recovery"), results.workloads());
  }

  @Test
  void targetsCompareRatiosUpwardAndFiguresDownward() {
    Target ratio = new Target("readrandom", null, 1.3, 1.6);
    assertEquals("SHORT", ratio.verdict(1.2));
    assertEquals("held", ratio.verdict(1.3));
    assertEquals("stretch", ratio.verdict(1.7));
    Target seconds = new Target("recovery", Figure.RECOVERY_SECONDS, 3, 1.5);
    assertEquals("SHORT", seconds.verdict(3.1));
    assertEquals("held", seconds.verdict(2));
    assertEquals("stretch", seconds.verdict(1.5));
  }

  @Test
  void everyTargetNamesARowThatIsMeasured() {
    for (Target target : Target.ALL) {
      assertTrue(RoundPlan.rows().contains(target.workload()), target.label());
    }
  }

  @Test
  void figuresHaveMediansOfTheirOwn() {
    for (double seconds : new double[] {3, 1, 2}) {
      results.add(Measured.of("recovery", "varve", 1, Map.of(Figure.RECOVERY_SECONDS, seconds)));
    }
    assertEquals(2, results.median("recovery", "varve", Figure.RECOVERY_SECONDS).orElseThrow());
  }
}
