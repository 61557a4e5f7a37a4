package dev.varve.lsm.memtable;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.Entry;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.EntryWalk;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.RandomEntries;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.wal.OffHeap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemtableTest {
  private static final int SMALL_CHUNK_BYTES = 8 * 1024;

  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(offHeap, SMALL_CHUNK_BYTES);

  @AfterEach
  void allMemoryIsGivenBack() {
    memtable.release();
    assertEquals(0, offHeap.heldBytes());
  }

  private void add(Entry entry) {
    memtable.add(
        entry.key(),
        0,
        entry.key().length,
        entry.sequence(),
        entry.tombstone(),
        entry.value(),
        0,
        entry.value().length);
  }

  private void put(String key, long sequence, String value) {
    add(new Entry(key.getBytes(UTF_8), sequence, false, value.getBytes(UTF_8)));
  }

  private byte @Nullable [] get(String key, long sequence) {
    byte[] bytes = key.getBytes(UTF_8);
    return memtable.get(bytes, sequence, ValueCopy.WHOLE);
  }

  @Test
  void getSeesTheNewestEntryUpToTheSequenceNumber() {
    put("key", 5, "five");
    put("key", 9, "nine");
    add(new Entry("key".getBytes(UTF_8), 12, true, new byte[0]));
    assertNull(get("key", 4));
    assertArrayEquals("five".getBytes(UTF_8), get("key", 5));
    assertArrayEquals("five".getBytes(UTF_8), get("key", 8));
    assertArrayEquals("nine".getBytes(UTF_8), get("key", 11));
    assertSame(Lookup.TOMBSTONE, get("key", 12));
    assertSame(Lookup.TOMBSTONE, get("key", EntryCursor.SEQUENCE_MAX));
    assertNull(get("ke", 12));
    assertNull(get("key\0", 12));
    assertEquals(3, memtable.entries());
    assertEquals(1, memtable.tombstones());
  }

  @Test
  void anEmptyValueIsNotATombstone() {
    put("", 1, "");
    byte[] value = get("", 1);
    assertNotNull(value);
    assertEquals(0, value.length);
    assertFalse(value == Lookup.TOMBSTONE);
  }

  @Test
  void anEmptyMemtableShowsNothing() {
    assertNull(get("a", EntryCursor.SEQUENCE_MAX));
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, List.of());
      assertFalse(cursor.seek(new byte[0], 0, 0, 0));
      assertFalse(cursor.seekBefore(new byte[] {1}, 0, 1, 0));
    }
  }

  @Test
  void keysAndValuesLargerThanAChunkAreKept() {
    Random random = new Random(5);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      byte[] key = new byte[random.nextInt(3 * SMALL_CHUNK_BYTES)];
      byte[] value = new byte[random.nextInt(100 * SMALL_CHUNK_BYTES)];
      random.nextBytes(key);
      random.nextBytes(value);
      entries.add(new Entry(key, i, false, value));
      entries.add(new Entry(new byte[] {(byte) i}, 100 + i, false, new byte[] {1}));
    }
    entries.forEach(this::add);
    for (Entry entry : entries) {
      assertArrayEquals(
          entry.value(), memtable.get(entry.key(), entry.sequence(), ValueCopy.WHOLE));
    }
    entries.sort(Entry.ORDER);
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, entries);
    }
  }

  @Test
  void theWholeOfAKeyCountsWhenLongOnesStartAlike() {
    byte[] start = new byte[1000];
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      byte[] key = Arrays.copyOf(start, 1000 + i % 7);
      key[990] = (byte) (i * 37);
      entries.add(new Entry(key, i, false, new byte[] {(byte) i}));
    }
    entries.forEach(this::add);
    entries.sort(Entry.ORDER);
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, entries);
    }
  }

  /** In which order a load comes in. */
  private enum Load {
    ASCENDING,
    DESCENDING,
    VERSIONS_OF_FEW_KEYS,
    RANDOM,
    TWO_RISING_RUNS,
    RISING_RUN_AMONG_OTHERS,
    FALLING_RUN_AMONG_OTHERS,
    RUNS_THAT_END_AND_TURN
  }

  /** In the midst of a few keys that were there before, with another one now and then. */
  private static long amongOthers(int i, Random random, int step) {
    return i < 100 || random.nextInt(300) == 0 ? random.nextInt(1_000_000) : 500_000 + step * i;
  }

  @ParameterizedTest
  @EnumSource(Load.class)
  void everyLoadIsFoundAgain(Load load) {
    Random random = new Random(17);
    int count = 20_000;
    NavigableSet<Entry> model = new TreeSet<>(Entry.ORDER);
    long latest = 0;
    int step = 1;
    for (int i = 0; i < count; i++) {
      long number =
          switch (load) {
            case ASCENDING -> i;
            case DESCENDING -> count - i;
            case VERSIONS_OF_FEW_KEYS -> i % 5;
            case RANDOM -> random.nextInt(1_000_000);
            case TWO_RISING_RUNS -> i % 2 * 500_000L + i;
            case RISING_RUN_AMONG_OTHERS -> amongOthers(i, random, 1);
            case FALLING_RUN_AMONG_OTHERS -> amongOthers(i, random, -1);
            case RUNS_THAT_END_AND_TURN ->
                random.nextInt(40) == 0 ? random.nextInt(100_000) : Math.max(0, latest + step);
          };
      latest = number;
      step = random.nextInt(40) == 0 ? random.nextInt(5) - 2 : step;
      byte[] key = "a key that starts alike: %08d".formatted(number).getBytes(UTF_8);
      Entry entry = new Entry(key, i + 1, false, key);
      add(entry);
      model.add(entry);
    }
    List<Entry> sorted = new ArrayList<>(model);
    for (Entry entry : sorted) {
      byte[] found = memtable.get(entry.key(), entry.sequence(), ValueCopy.WHOLE);
      assertArrayEquals(entry.value(), found);
    }
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, sorted);
      EntryWalk.verifyRandom(
          cursor, sorted, random, 20_000, () -> sorted.get(random.nextInt(sorted.size())).key());
    }
  }

  /** What a list costs that is pushed to, between the rows of others. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void aRunInTheMidstOfOthersFillsItsLeaves(int step) {
    int count = 48_000;
    byte[] nothing = new byte[0];
    for (int i = 0; i < 20; i++) {
      add(new Entry("%08d".formatted(100_000 * i).getBytes(UTF_8), 1, false, nothing));
    }
    long before = memtable.bytes();
    for (int i = 1; i <= count; i++) {
      add(new Entry("%08d".formatted(950_000 + step * i).getBytes(UTF_8), 2, false, nothing));
    }
    long leaves = count / LeafFormat.SLOTS;
    long entryBytes = EntryArena.KEY + Long.BYTES;
    assertTrue(
        memtable.bytes() - before < 1.15 * (count * entryBytes + leaves * LeafFormat.LEAF_BYTES),
        memtable.bytes() + " bytes");
  }

  /** As many queues that are pushed to in turn. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void runsThatTakeTurnsFillTheirLeaves(int step) {
    byte[] nothing = new byte[0];
    int runs = 100;
    int count = 100_000;
    for (int i = 0; i < count; i++) {
      int number = 50_000 + step * (i / runs);
      add(new Entry("%02d%06d".formatted(i % runs, number).getBytes(UTF_8), 2, false, nothing));
    }
    long leaves = count / LeafFormat.SLOTS + 2 * runs;
    long entryBytes = EntryArena.KEY + Long.BYTES;
    assertTrue(
        memtable.bytes() < 1.15 * (count * entryBytes + leaves * LeafFormat.LEAF_BYTES),
        memtable.bytes() + " bytes");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void behavesLikeASortedSet(long seed) {
    System.out.println("MemtableTest seed " + seed);
    Random random = new Random(seed);
    RandomEntries generated = new RandomEntries(random);
    NavigableSet<Entry> model = new TreeSet<>(Entry.ORDER);
    byte[] key = generated.key();
    for (int sequence = 1; sequence <= 6_000; sequence++) {
      if (random.nextInt(4) > 0) {
        key = generated.key();
      }
      boolean tombstone = random.nextInt(5) == 0;
      Entry entry =
          new Entry(key, sequence, tombstone, tombstone ? new byte[0] : generated.value());
      add(entry);
      model.add(entry);
      verifyGet(model, random.nextBoolean() ? key : generated.key(), random.nextInt(sequence + 1));
      if (sequence % 1_500 == 0) {
        List<Entry> sorted = new ArrayList<>(model);
        try (EntryCursor cursor = memtable.cursor()) {
          EntryWalk.verifyWhole(cursor, sorted);
          EntryWalk.verifyRandom(cursor, sorted, random, 5_000, generated::key);
        }
      }
    }
    assertEquals(6_000, memtable.entries());
  }

  /**
   * Keys of two parts, few of the first, mostly with the same bytes between them: leaves leave
   * these out, and meet keys that have others there, or end.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void keysThatDifferBehindWhatTheyHaveInCommonAreSorted(long seed) {
    System.out.println("MemtableTest seed " + seed);
    Random random = new Random(seed);
    byte[] between = new byte[List.of(1, 2, 11, 24, 25, 70).get((int) seed - 1)];
    random.nextBytes(between);
    NavigableSet<Entry> model = new TreeSet<>(Entry.ORDER);
    for (int sequence = 1; sequence <= 12_000; sequence++) {
      byte[] key = keyOfTwoParts(random, between);
      Entry entry = new Entry(key, sequence, false, key);
      add(entry);
      model.add(entry);
      verifyGet(model, keyOfTwoParts(random, between), random.nextInt(sequence + 1));
    }
    List<Entry> sorted = new ArrayList<>(model);
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, sorted);
      EntryWalk.verifyRandom(cursor, sorted, random, 5_000, () -> keyOfTwoParts(random, between));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0x00, 0x7f, 0xff})
  void aKeyWithOtherBytesInTheMiddleIsBesideThoseThatStartAsItDoes(int start) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      entries.add(keyOfParts(i % 4 == 1 ? 0xff : i % 4 == 2 ? 0x7f : 0, 5, i));
    }
    entries.add(keyOfParts(start, 6, 100));
    entries.add(keyOfParts(start, 4, 101));
    entries.forEach(this::add);
    entries.sort(Entry.ORDER);
    try (EntryCursor cursor = memtable.cursor()) {
      EntryWalk.verifyWhole(cursor, entries);
    }
  }

  private static Entry keyOfParts(int start, int middle, int end) {
    byte[] key = new byte[14];
    Arrays.fill(key, (byte) middle);
    key[0] = (byte) start;
    key[13] = (byte) end;
    return new Entry(key, end + 1, false, key);
  }

  private static byte[] keyOfTwoParts(Random random, byte[] between) {
    byte[] key = new byte[2 + between.length + 4];
    key[0] = (byte) random.nextInt();
    key[1] = (byte) (random.nextInt(3) - 1);
    System.arraycopy(between, 0, key, 2, between.length);
    key[2 + between.length + random.nextInt(4)] = (byte) random.nextInt();
    if (random.nextInt(100) == 0) {
      key[2 + random.nextInt(between.length)] = (byte) (random.nextInt(3) - 1);
    }
    return random.nextInt(100) == 0 ? Arrays.copyOf(key, random.nextInt(key.length)) : key;
  }

  private void verifyGet(NavigableSet<Entry> model, byte[] key, long sequence) {
    Entry found = model.ceiling(Entry.position(key, sequence));
    byte[] value = memtable.get(key, sequence, ValueCopy.WHOLE);
    if (found == null || !Arrays.equals(found.key(), key)) {
      assertNull(value);
    } else if (found.tombstone()) {
      assertSame(Lookup.TOMBSTONE, value);
    } else {
      assertArrayEquals(found.value(), value);
    }
  }

  @Test
  void anOpenCursorKeepsTheMemoryAlive() {
    put("key", 1, "value");
    assertEquals(memtable.bytes(), offHeap.heldBytes(OffHeap.Part.MEMTABLE));
    assertTrue(memtable.tryRetain());
    EntryCursor cursor = memtable.cursor();
    memtable.release();
    assertTrue(cursor.seekToFirst());
    assertArrayEquals("value".getBytes(UTF_8), cursor.copyValue());
    cursor.close();
    cursor.close();
    assertFalse(cursor.isValid());
    assertThrows(IllegalStateException.class, cursor::seekToFirst);
  }

  @Test
  void aFreedMemtableIsNotRetained() {
    Memtable other = new Memtable(offHeap);
    other.release();
    assertFalse(other.tryRetain());
    assertThrows(IllegalStateException.class, other::retain);
    assertThrows(IllegalStateException.class, other::cursor);
    assertThrows(IllegalStateException.class, other::release);
  }
}
