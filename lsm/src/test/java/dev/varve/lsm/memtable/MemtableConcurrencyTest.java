package dev.varve.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One writer beside several readers. Entry number n is added with sequence number n, and the writer
 * publishes how many there are, as the tree does: a reader must find all that was published before
 * it looked, each value must fit its key, and walks must be in order.
 */
class MemtableConcurrencyTest {
  private static final int ENTRIES = 50_000;
  private static final int READERS = 3;
  private static final int KEY_BYTES = 24;
  private static final int TWIN_BYTES = 40;
  private static final int LOW_BITS = 4;

  private enum Load {
    RANDOM,
    ASCENDING,
    DESCENDING,
    FEW_HOT_KEYS,
    RISING_RUNS_AMONG_OTHERS,
    FALLING_RUNS_AMONG_OTHERS,
    /** Like members of a sorted set with few scores: see {@link #writeKey}. */
    TWINS;

    /** The number that the key of an entry is made of. */
    int keyNumber(int entry) {
      return switch (this) {
        // Spread evenly; few numbers come up twice.
        case RANDOM, TWINS -> entry * 0x9E3779B1 >>> 14;
        case ASCENDING -> entry;
        case DESCENDING -> ENTRIES - entry;
        case FEW_HOT_KEYS -> entry % 7;
        case RISING_RUNS_AMONG_OTHERS -> runOf(entry) + entry % RUN;
        case FALLING_RUNS_AMONG_OTHERS -> runOf(entry) - entry % RUN;
      };
    }
  }

  private static final int RUN = 500;

  /** Where the run of an entry starts: between those that came before. */
  private static int runOf(int entry) {
    int run = entry / RUN;
    return RUN * (1 + run * 37 % (ENTRIES / RUN));
  }

  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(offHeap, 64 * 1024);
  private volatile int published;

  private static byte[] newKey(Load load) {
    return new byte[load == Load.TWINS ? TWIN_BYTES : KEY_BYTES];
  }

  /** A number, or its two parts with a gap between them that nearly all keys have in common. */
  private static void writeKey(byte[] key, int number) {
    Arrays.fill(key, (byte) 'k');
    ByteBuffer bytes = ByteBuffer.wrap(key);
    if (key.length == KEY_BYTES) {
      bytes.putInt(20, number);
    } else {
      bytes.putInt(20, number >> LOW_BITS);
      bytes.put(30, (byte) (number % 256 == 0 ? 'j' : number % 256 == 127 ? 'l' : 'k'));
      bytes.put(TWIN_BYTES - 1, (byte) (number & (1 << LOW_BITS) - 1));
    }
  }

  private static byte[] valueOf(int number, long sequence) {
    int length = 8 + (int) (sequence * 31 + number & 63);
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (number * 17 + sequence * 3 + i);
    }
    return value;
  }

  private static boolean isTombstone(long sequence) {
    return sequence % 11 == 0;
  }

  @ParameterizedTest
  @EnumSource(Load.class)
  @Timeout(60)
  void readersFindAllThatWasPublishedWhileTheWriterGoesOn(Load load) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(READERS + 1);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      tasks.add(() -> write(load));
      for (int i = 0; i < READERS; i++) {
        Random random = new Random(i);
        tasks.add(() -> read(load, random));
      }
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }
    assertEquals(ENTRIES, memtable.entries());
    memtable.release();
    assertEquals(0, offHeap.heldBytes());
  }

  private Void write(Load load) {
    byte[] key = newKey(load);
    for (int entry = 1; entry <= ENTRIES; entry++) {
      int number = load.keyNumber(entry);
      writeKey(key, number);
      byte[] value = isTombstone(entry) ? new byte[0] : valueOf(number, entry);
      memtable.add(key, 0, key.length, entry, isTombstone(entry), value, 0, value.length);
      published = entry;
    }
    return null;
  }

  private Void read(Load load, Random random) {
    byte[] key = newKey(load);
    try (EntryCursor cursor = memtable.cursor()) {
      int seen;
      do {
        seen = published;
        if (seen == 0) {
          Thread.onSpinWait();
          continue;
        }
        for (int i = 0; i < 50; i++) {
          // The latest entries are in the leaves that are changing.
          int back = random.nextBoolean() ? random.nextInt(seen) : random.nextInt(20);
          verifyGet(load, key, Math.max(1, seen - back));
          verifySeek(load, key, cursor, Math.max(1, seen - back));
        }
        verifyNoneLost(load, cursor, key, random);
      } while (seen < ENTRIES);
    }
    return null;
  }

  private void verifyGet(Load load, byte[] key, int entry) {
    int number = load.keyNumber(entry);
    writeKey(key, number);
    byte[] value = memtable.get(key, entry, ValueCopy.WHOLE);
    if (isTombstone(entry)) {
      assertTrue(value == Lookup.TOMBSTONE);
    } else {
      assertArrayEquals(valueOf(number, entry), value);
    }
    key[19] = 0;
    assertNull(memtable.get(key, EntryCursor.SEQUENCE_MAX, ValueCopy.WHOLE));
  }

  /** Seeks a published entry and walks some steps in a random direction. */
  private static void verifySeek(Load load, byte[] key, EntryCursor cursor, int entry) {
    writeKey(key, load.keyNumber(entry));
    assertTrue(cursor.seek(key, 0, key.length, entry));
    assertEquals(entry, cursor.sequence());
    verifyValue(cursor);
    boolean forward = (entry & 1) == 0;
    int number = numberOf(cursor);
    long sequence = cursor.sequence();
    for (int i = 0; i < 60 && (forward ? cursor.next() : cursor.previous()); i++) {
      int nowNumber = numberOf(cursor);
      long nowSequence = cursor.sequence();
      int order =
          number != nowNumber
              ? Integer.compare(number, nowNumber)
              : Long.compare(nowSequence, sequence);
      assertTrue(forward ? order < 0 : order > 0, "out of order");
      verifyValue(cursor);
      number = nowNumber;
      sequence = nowSequence;
    }
  }

  /** Walks a stretch, either way, and counts: nothing published before may be missing from it. */
  private void verifyNoneLost(Load load, EntryCursor cursor, byte[] key, Random random) {
    int before = published;
    boolean forward = random.nextBoolean();
    boolean whole = load == Load.FEW_HOT_KEYS || random.nextInt(50) == 0;
    int from = whole ? Integer.MIN_VALUE : load.keyNumber(1 + random.nextInt(before));
    int to = whole ? Integer.MAX_VALUE : from + 2_000;
    int expected = 0;
    for (int entry = 1; entry <= before; entry++) {
      int number = load.keyNumber(entry);
      if (number >= from && number < to) {
        expected++;
      }
    }
    int found = 0;
    writeKey(key, forward ? from : to);
    boolean valid;
    if (whole) {
      valid = forward ? cursor.seekToFirst() : cursor.seekToLast();
    } else if (forward) {
      valid = cursor.seek(key, 0, key.length, EntryCursor.SEQUENCE_MAX);
    } else {
      valid = cursor.seekBefore(key, 0, key.length, EntryCursor.SEQUENCE_MAX);
    }
    while (valid && numberOf(cursor) >= from && numberOf(cursor) < to) {
      if (cursor.sequence() <= before) {
        found++;
      }
      valid = forward ? cursor.next() : cursor.previous();
    }
    assertEquals(expected, found);
  }

  private static int numberOf(EntryCursor cursor) {
    ByteBuffer key = ByteBuffer.wrap(cursor.keyBuffer());
    if (cursor.keyLength() == KEY_BYTES) {
      return key.getInt(20);
    }
    assertEquals(TWIN_BYTES, cursor.keyLength());
    return key.getInt(20) << LOW_BITS | key.get(TWIN_BYTES - 1);
  }

  private static void verifyValue(EntryCursor cursor) {
    long sequence = cursor.sequence();
    assertEquals(isTombstone(sequence), cursor.isTombstone());
    if (!cursor.isTombstone()) {
      byte[] expected = valueOf(numberOf(cursor), sequence);
      assertEquals(expected.length, cursor.valueLength());
      ByteBuffer value = cursor.valueBuffer();
      for (int i = 0; i < expected.length; i++) {
        assertEquals(expected[i], value.get(cursor.valueOffset() + i));
      }
    } else {
      assertEquals(0, cursor.valueLength());
    }
  }
}
