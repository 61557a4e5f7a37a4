package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DatasetTest {
  private final Dataset data = new Dataset(1_000_000, 100);

  @Test
  void keysAreInTheOrderOfTheirIndexes() {
    byte[] before = new byte[Dataset.KEY_BYTES];
    byte[] after = new byte[Dataset.KEY_BYTES];
    for (long index = 0; index < data.count() - 1; index += 997) {
      data.key(index, before);
      data.key(index + 1, after);
      assertTrue(Arrays.compareUnsigned(before, after) < 0, "at " + index);
    }
  }

  @Test
  void missingKeysLieBetweenOthers() {
    byte[] missing = new byte[Dataset.KEY_BYTES];
    byte[] key = new byte[Dataset.KEY_BYTES];
    data.missingKey(41, missing);
    data.key(41, key);
    assertTrue(Arrays.compareUnsigned(key, missing) < 0);
    data.key(50, key);
    assertTrue(Arrays.compareUnsigned(missing, key) < 0);
  }

  @Test
  void halfOfAValueRepeatsTheOtherHalf() {
    byte[] value = new byte[100];
    data.value(new SplittableRandom(3), value);
    assertEquals(0, Arrays.compare(value, 0, 50, value, 50, 100));
    byte[] other = new byte[100];
    data.value(new SplittableRandom(4), other);
    assertFalse(Arrays.equals(value, other));
  }

  @Test
  void valuesLongerThanThePoolAreFilledToo() {
    byte[] value = new byte[5 << 20];
    new Dataset(1, value.length).value(new SplittableRandom(3), value);
    assertEquals(
        0, Arrays.compare(value, 0, value.length / 2, value, value.length / 2, value.length));
  }

  @Test
  void deletionMeetsEveryIndexOnce() {
    for (long count : new long[] {1, 2, 100, 1_000, 12_345}) {
      BitSet met = new BitSet();
      long stride = Deletion.strideFor(count);
      long index = 0;
      for (long i = 0; i < count; i++) {
        met.set((int) index);
        index = (index + stride) % count;
      }
      assertEquals(count, met.cardinality(), "of " + count);
    }
  }

  @Test
  void processIoIsReadFromProc() {
    ProcessIo io = ProcessIo.parse(List.of("rchar: 3980", "wchar: 17", "syscr: 8"));
    assertEquals(new ProcessIo(3980, 17), io);
    assertEquals(new ProcessIo(980, 7), io.since(new ProcessIo(3000, 10)));
  }

  @Test
  void progressFillsUp() {
    assertEquals("[..............................]   0% a", Progress.line(0, "a"));
    assertEquals("[###############...............]  50% b", Progress.line(0.5, "b"));
    assertEquals("[##############################] 100% c", Progress.line(1, "c"));
  }
}
