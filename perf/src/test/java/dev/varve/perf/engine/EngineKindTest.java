package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All engines do the same, or comparing them would mean nothing. */
class EngineKindTest {
  private static final EngineOptions OPTIONS = EngineOptions.withCache(1 << 20);

  @TempDir private Path directory;

  private static byte[] key(long index) {
    byte[] key = new byte[Dataset.KEY_BYTES];
    new Dataset(1_000, 100).key(index, key);
    return key;
  }

  private static byte[] value(long index) {
    return new byte[] {(byte) index, 1, 2};
  }

  @ParameterizedTest
  @EnumSource(EngineKind.class)
  void findsWhatWasPutAndWalksBothWays(EngineKind kind) throws IOException {
    try (EngineUnderTest engine = kind.open(directory, OPTIONS)) {
      for (long i = 0; i < 100; i += 2) {
        engine.put(key(i), value(i));
      }
      engine.putSynced(key(200), value(200));
      engine.delete(key(10));
      engine.settle();
      assertArrayEquals(value(8), engine.get(key(8)));
      assertArrayEquals(value(200), engine.get(key(200)));
      assertNull(engine.get(key(9)));
      assertNull(engine.get(key(10)));
      Pair pair = new Pair();
      try (EngineUnderTest.Walk walk = engine.walk()) {
        assertTrue(walk.seek(key(7)));
        List<Byte> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          assertEquals(Dataset.KEY_BYTES + 3, walk.read(pair));
          seen.add(pair.value[0]);
          assertTrue(walk.next());
        }
        assertEquals(List.of((byte) 8, (byte) 12, (byte) 14), seen);
        assertTrue(walk.previous());
        walk.read(pair);
        assertEquals((byte) 14, pair.value[0]);
        assertTrue(walk.seekToFirst());
        walk.read(pair);
        assertArrayEquals(key(0), Arrays.copyOf(pair.key, Dataset.KEY_BYTES));
        assertTrue(walk.seekToLast());
        assertTrue(walk.previous());
        walk.read(pair);
        assertEquals((byte) 98, pair.value[0]);
      }
      assertTrue(engine.diskBytes() > 0);
    }
  }

  @ParameterizedTest
  @EnumSource(EngineKind.class)
  void deletedRangesAreGoneAfterACompaction(EngineKind kind) throws IOException {
    try (EngineUnderTest engine = kind.open(directory, OPTIONS)) {
      for (long i = 0; i < 100; i++) {
        engine.put(key(i), value(i));
      }
      engine.settle();
      engine.deleteRange(key(20), key(30));
      engine.compactFully();
      try (EngineUnderTest.Walk walk = engine.walk()) {
        assertTrue(walk.seek(key(20)));
        Pair pair = new Pair();
        walk.read(pair);
        assertEquals((byte) 30, pair.value[0]);
      }
      assertNotNull(engine.get(key(19)));
      assertNull(engine.get(key(29)));
    }
  }

  @ParameterizedTest
  @EnumSource(EngineKind.class)
  void holdsItAllAfterAnotherOpening(EngineKind kind) throws IOException {
    try (EngineUnderTest engine = kind.open(directory, OPTIONS)) {
      engine.put(key(1), value(1));
    }
    try (EngineUnderTest engine = kind.open(directory, OPTIONS)) {
      assertArrayEquals(value(1), engine.get(key(1)));
    }
  }

  @Test
  void aRoundMeasuresEveryRowOfThePlan() throws IOException {
    RoundPlan plan =
        new RoundPlan(new Dataset(3_000, 100), Set.of(), 1 << 20, 4 << 20, 0, 100_000, directory);
    Set<String> rows = new TreeSet<>();
    GcPauses pauses = new GcPauses();
    Progress progress = new Progress(null, () -> 0, plan.steps(1));
    Consumer<Measurement> sink =
        measurement -> {
          assertTrue(measurement.operations() > 0, measurement.workload());
          rows.add(measurement.workload());
        };
    new EngineRound(EngineKind.VARVE, plan, 1, pauses, progress, sink).run();
    SyncedTurns.run(List.of(EngineKind.VARVE), plan, 1, pauses, progress, sink);
    assertEquals(new TreeSet<>(RoundPlan.rows()), rows);
  }

  @Test
  void engineNamesAreThoseOfTheCommandLine() {
    assertEquals("[varve, rocksdb, lmdb, mvstore]", EngineKind.labels().toString());
    assertEquals(EngineKind.LMDB, EngineKind.of("lmdb"));
    assertNull(EngineKind.of("leveldb"));
    assertFalse(RoundPlan.names().stream().collect(Collectors.toSet()).isEmpty());
  }
}
