package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A {@link WriterCursor} beside one that knows only the tree. */
class WalkCacheTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  /** More of them with -Dvarve.walks=N. */
  private static final int ROUNDS = Integer.getInteger("varve.walks", 100);

  private static final int COLLECTIONS = 3;
  private static final byte[] TAGS = {
    KeyFormat.RANK, KeyFormat.INDEX, KeyFormat.LIST, KeyFormat.MEMBER
  };
  private static final int PREFIX_BYTES = prefix(KeyFormat.LIST, 0).length;
  private static final int LEVELS = 2;
  private static final int PLACES = 400;

  /** So little that stretches have to go. */
  private static final int BYTES_MAX = 8 << 10;

  /** A walk over a map; some rows are not in memory. */
  private final class MapCursor implements StoreCursor {
    final TreeMap<byte[], byte[]> rows;
    final Set<byte[]> cold;
    final int[] steps;
    private NavigableMap<byte[], byte[]> shown;
    Map.@Nullable Entry<byte[], byte[]> at;

    MapCursor(TreeMap<byte[], byte[]> rows, Set<byte[]> cold, int[] steps) {
      this.rows = rows;
      this.cold = cold;
      this.steps = steps;
      this.shown = rows;
    }

    @Override
    public void within(byte[] from, byte[] end) {
      at = null;
      boolean isAny = Arrays.compareUnsigned(from, end) < 0;
      shown = isAny ? rows.subMap(from, true, end, false) : new TreeMap<>(rows.comparator());
    }

    private boolean to(Map.@Nullable Entry<byte[], byte[]> entry) {
      steps[0]++;
      if (entry != null && cold.contains(entry.getKey())) {
        throw ColdBlockSignal.INSTANCE;
      }
      if (entry != null) {
        met.add(entry.getKey());
      }
      at = entry;
      return entry != null;
    }

    @Override
    public boolean seek(byte[] key) {
      return to(shown.ceilingEntry(key));
    }

    @Override
    public boolean seekBefore(byte[] key) {
      return to(shown.lowerEntry(key));
    }

    @Override
    public boolean next() {
      return at != null && to(shown.higherEntry(at.getKey()));
    }

    @Override
    public boolean previous() {
      return at != null && to(shown.lowerEntry(at.getKey()));
    }

    @Override
    public boolean isValid() {
      return at != null;
    }

    @Override
    public byte[] key() {
      return entry().getKey();
    }

    @Override
    public byte[] value() {
      return entry().getValue();
    }

    private Map.Entry<byte[], byte[]> entry() {
      if (at == null) {
        throw new IllegalStateException("the cursor is on no entry");
      }
      return at;
    }

    @Override
    public void close() {}
  }

  private interface Move {
    boolean by(StoreCursor cursor);
  }

  private final Random random = new Random(SEED);
  private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private final Set<byte[]> cold = new HashSet<>();
  private final int[] treeSteps = new int[1];

  /** The keys that walks over the tree have come to. */
  private final TreeSet<byte[]> met = new TreeSet<>(Arrays::compareUnsigned);

  /** What the last {@link StoreCursor#advanceTo} of the plain and the cached walk returned. */
  private final long[] passed = new long[2];

  private boolean mostlyForward;
  private boolean mayBeLong = true;
  private WalkCache walks = new WalkCache(BYTES_MAX);

  /** What {@link StoreCursor#hand} handed over last: plain, and cached. */
  private final List<List<String>> handed = List.of(new ArrayList<>(), new ArrayList<>());

  private byte[] randomKey() {
    int collection = random.nextInt(COLLECTIONS);
    byte tag = TAGS[random.nextInt(TAGS.length)];
    if (random.nextInt(20) == 0) {
      // Neighbours of the keyspace.
      int beside = random.nextBoolean() ? 1 : -1;
      return new byte[] {(byte) (tag + beside), (byte) collection};
    }
    byte[] prefix = prefix(tag, collection);
    int place = random.nextInt(PLACES);
    if (random.nextInt(20) == 0) {
      // Where all of the collection begins, and all of another has ended.
      return prefix;
    }
    if (tag == KeyFormat.LIST && random.nextInt(20) > 0) {
      // As elements lie: by positions, most of which follow each other.
      return ByteBuffer.allocate(prefix.length + Long.BYTES).put(prefix).putLong(place).array();
    }
    int longPlace = mayBeLong && random.nextInt(50) == 0 ? 1500 : 0;
    ByteBuffer key = ByteBuffer.allocate(prefix.length + 1 + (place == 0 ? 0 : 2 + longPlace));
    key.put(prefix).put((byte) random.nextInt(LEVELS));
    if (place > 0) {
      key.putShort((short) place);
    }
    return key.array();
  }

  /** Versions of one key follow each other, as they do when it is written anew. */
  private static byte[] prefix(byte tag, int collection) {
    byte[] home = {'k', (byte) ('0' + collection / 2)};
    return ByteBuffer.allocate(1 + 4 + 4 + home.length + 8)
        .put(tag)
        .putInt(0)
        .putInt(home.length)
        .put(home)
        .putLong(7 + collection % 2)
        .array();
  }

  private void write() {
    byte[] key = randomKey();
    byte[] before = rows.ceilingKey(key);
    if (random.nextInt(3) == 0) {
      // What is near rather than what is random, so that something goes.
      if (before != null) {
        rows.remove(before);
        cold.remove(before);
        walks.written(before, null);
      }
    } else {
      byte[] value = new byte[mayBeLong && random.nextInt(200) == 0 ? 1100 : random.nextInt(30)];
      random.nextBytes(value);
      rows.remove(key);
      rows.put(key, value);
      walks.written(key, value);
    }
  }

  private static @Nullable Boolean result(Move move, StoreCursor cursor) {
    try {
      return move.by(cursor);
    } catch (ColdBlockSignal signal) {
      return null;
    }
  }

  /** What a walk is over: all, or what is between two keys. */
  private final class Bounds {
    byte[] from = {};
    byte[] end = InMemoryStore.END;

    void change(StoreCursor plain, StoreCursor cached) {
      if (random.nextInt(3) > 0) {
        from = random.nextBoolean() ? new byte[0] : randomKey();
        end = random.nextBoolean() ? KeyFormat.successor(randomPrefix()) : randomKey();
      } else {
        from = new byte[0];
        end = InMemoryStore.END;
      }
      plain.within(from, end);
      cached.within(from, end);
      assertFalse(cached.isValid());
    }

    boolean contain(byte[] key) {
      return Arrays.compareUnsigned(key, from) >= 0 && Arrays.compareUnsigned(key, end) < 0;
    }

    /** The same key, or the bound that it is beyond. */
    byte[] within(byte[] key) {
      byte[] later = Arrays.compareUnsigned(key, from) < 0 ? from : key;
      return Arrays.compareUnsigned(later, end) > 0 ? end : later;
    }
  }

  private byte[] randomPrefix() {
    return prefix(TAGS[random.nextInt(TAGS.length)], random.nextInt(COLLECTIONS));
  }

  private Move randomMove(Bounds bounds) {
    byte[] target = randomKey();
    boolean isForward = random.nextInt(10) == 0 ? random.nextBoolean() : mostlyForward;
    return switch (random.nextInt(15)) {
      case 0 -> cursor -> cursor.seek(target);
      case 1 -> cursor -> cursor.seekBefore(target);
      case 2 -> {
        long max = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(100);
        yield cursor -> {
          passed[cursor instanceof WriterCursor ? 1 : 0] =
              cursor.advanceTo(bounds.within(target), max);
          return cursor.isValid();
        };
      }
      case 3 -> {
        int max = random.nextInt(100);
        byte[] place = Arrays.copyOf(target, Math.max(target.length, PREFIX_BYTES));
        boolean isAll = random.nextBoolean();
        yield cursor -> {
          List<String> its = handed.get(cursor instanceof WriterCursor ? 1 : 0);
          if (cursor.isValid() && cursor.key().length >= PREFIX_BYTES) {
            byte[] prefix = Arrays.copyOf(cursor.key(), PREFIX_BYTES);
            System.arraycopy(prefix, 0, place, 0, PREFIX_BYTES);
            byte[] all = isForward ? KeyFormat.successor(prefix) : prefix;
            cursor.hand(
                PREFIX_BYTES,
                bounds.within(isAll ? all : place),
                max,
                isForward,
                (keys, tail, tailLength, values, value, valueLength) -> {
                  its.add(HexFormat.of().formatHex(keys, tail, tail + tailLength));
                  its.add(HexFormat.of().formatHex(values, value, value + valueLength));
                });
          }
          return cursor.seek(target);
        };
      }
      case 4 -> {
        int entries = random.nextInt(100);
        yield cursor -> cursor.skip(entries, isForward);
      }
      case 5 ->
          cursor -> {
            cursor.foresee(isForward);
            return cursor.isValid();
          };
      case 6 -> {
        // Of so few rows all are brought to hand, when that was said often enough.
        int times = random.nextInt(100);
        byte[] prefix = Arrays.copyOf(target, Math.min(target.length, PREFIX_BYTES));
        yield cursor -> {
          for (int i = 0; i < times; i++) {
            cursor.foreseeAny(prefix, 10);
          }
          return cursor.seek(target);
        };
      }
      default -> isForward ? StoreCursor::next : StoreCursor::previous;
    };
  }

  private WriterCursor cursor(WalkCache cache) {
    return cursor(cache, new byte[0], InMemoryStore.END);
  }

  private WriterCursor cursor(WalkCache cache, byte[] from, byte[] end) {
    return new WriterCursor(
        cache, before -> new MapCursor(rows, cold, treeSteps), () -> {}, from, end);
  }

  /** Moves two pairs alike, each for as long as the plain one meets nothing cold. */
  private void walk() {
    StoreCursor[] plain = new StoreCursor[2];
    StoreCursor[] cached = new StoreCursor[2];
    Bounds[] bounds = {new Bounds(), new Bounds()};
    for (int i = 0; i < 2; i++) {
      plain[i] = new MapCursor(rows, cold, new int[1]);
      WriterCursor its = cursor(walks);
      if (random.nextInt(4) == 0) {
        // It may go elsewhere.
        its.expect(random.nextInt(200), random.nextBoolean());
      }
      cached[i] = its;
    }
    mostlyForward = random.nextBoolean();
    boolean[] isOver = new boolean[2];
    int steps = 1 << random.nextInt(8);
    for (int i = 0; i < steps; i++) {
      int which = random.nextInt(2);
      if (!isOver[which]) {
        if (random.nextInt(20) == 0) {
          bounds[which].change(plain[which], cached[which]);
        }
        isOver[which] = !step(plain[which], cached[which], bounds[which], i);
      }
    }
  }

  private boolean step(StoreCursor plain, StoreCursor cached, Bounds bounds, int i) {
    Move move = randomMove(bounds);
    handed.forEach(List::clear);
    Boolean expected = result(move, plain);
    if (expected == null) {
      return false;
    }
    Boolean found = result(move, cached);
    if (!expected && Boolean.TRUE.equals(found)) {
      // What is kept is shown beyond the bounds too.
      assertFalse(bounds.contain(cached.key()), "move " + i);
    } else {
      assertEquals(expected, found, "move " + i);
      assertEquals(plain.isValid() && expected, cached.isValid() && expected);
    }
    assertEquals(passed[0], passed[1], "move " + i);
    assertEquals(handed.get(0), handed.get(1), "move " + i);
    if (expected) {
      assertArrayEquals(plain.key(), cached.key());
      assertArrayEquals(plain.value(), cached.value());
      byte[] known = walks.get(plain.key());
      if (known != null) {
        assertArrayEquals(plain.value(), known);
      }
    }
    return expected;
  }

  @Test
  void walksAsTheTreeDoes() {
    System.out.println("WalkCacheTest -Dvarve.seed=" + SEED);
    for (int round = 0; round < ROUNDS; round++) {
      random.setSeed(SEED + round);
      rows.clear();
      // From few stretches of which some have to go all the time to dozens of each keyspace.
      walks = new WalkCache((long) BYTES_MAX << 2 * (round % 4));
      try {
        for (int i = 0; i < 4_000; i++) {
          if (random.nextInt(3) > 0) {
            write();
          } else {
            walk();
          }
        }
      } catch (AssertionError difference) {
        throw new AssertionError("with -Dvarve.seed=" + (SEED + round), difference);
      }
    }
  }

  @Test
  void meetsNothingColdThatThePlainWalkDoesNotMeet() {
    System.out.println("WalkCacheTest cold -Dvarve.seed=" + SEED);
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(4)) {
        case 0 -> walk();
        case 1 -> {
          byte[] key = rows.ceilingKey(randomKey());
          if (key != null && random.nextInt(10) == 0 && !cold.remove(key)) {
            cold.add(key);
          }
        }
        default -> write();
      }
    }
  }

  @Test
  void whatWasWalkedOverIsNotAskedForAgain() {
    mayBeLong = false;
    for (int i = 0; i < 12_000; i++) {
      write();
    }
    WalkCache roomy = new WalkCache(1 << 20);
    byte[] first = prefix(KeyFormat.INDEX, 0);
    for (boolean isForward : new boolean[] {true, false}) {
      int expected = walkAll(roomy, first, isForward);
      treeSteps[0] = 0;
      assertEquals(expected, walkAll(roomy, first, isForward));
      assertTrue(expected > 100, expected + " rows");
      // What is before and after the keyspace, for who has no end.
      assertTrue(treeSteps[0] <= 2, treeSteps[0] + " steps in the tree");
    }
  }

  @Test
  void whatIsForeseenIsAtHandAndTheWalkStaysWhereItIs() {
    byte[] first = prefix(KeyFormat.INDEX, 0);
    for (int i = 0; i < 200; i++) {
      rows.put(place(first, i), new byte[] {1});
    }
    for (boolean isForward : new boolean[] {true, false}) {
      WalkCache roomy = new WalkCache(1 << 20);
      try (WriterCursor cursor = cursor(roomy)) {
        assertTrue(cursor.seek(place(first, 100)));
        cursor.foresee(isForward);
        assertArrayEquals(place(first, 100), cursor.key());
      }
      treeSteps[0] = 0;
      int step = isForward ? 1 : -1;
      for (int i = 1; i <= 20; i++) {
        try (WriterCursor cursor = cursor(roomy)) {
          assertTrue(cursor.seek(place(first, 100 + i * step)));
          assertArrayEquals(place(first, 100 + i * step), cursor.key());
        }
      }
      assertEquals(0, treeSteps[0]);
    }
  }

  @Test
  void whatIsKeptOfAKeyspaceIsWalkedOverToItsEndsWithoutTheTree() {
    mayBeLong = false;
    for (int i = 0; i < 12_000; i++) {
      write();
    }
    WalkCache roomy = new WalkCache(1 << 20);
    byte[] first = prefix(KeyFormat.INDEX, 0);
    byte[] end = KeyFormat.successor(first);
    for (boolean isForward : new boolean[] {true, false}) {
      int expected = walkAll(cursor(roomy, first, end), first, isForward);
      treeSteps[0] = 0;
      assertEquals(expected, walkAll(cursor(roomy, first, end), first, isForward));
      assertTrue(expected > 100, expected + " rows");
      assertEquals(0, treeSteps[0]);
    }
  }

  @Test
  void aPartOfAKeyspaceThatIsKeptIsWalkedOverToItsEndsWithoutTheTree() {
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    WalkCache roomy = new WalkCache(1 << 20);
    for (int i = 0; i < 100; i++) {
      rows.put(place(prefix, 10 * i), new byte[] {1});
    }
    byte[] from = place(prefix, 205);
    byte[] end = place(prefix, 705);
    for (boolean isForward : new boolean[] {true, false}) {
      for (int time = 0; time < 2; time++) {
        treeSteps[0] = 0;
        try (WriterCursor cursor = cursor(roomy, from, end)) {
          int seen = 0;
          boolean found = isForward ? cursor.seek(from) : cursor.seekBefore(end);
          for (; found; found = isForward ? cursor.next() : cursor.previous()) {
            seen++;
          }
          assertEquals(50, seen);
          assertFalse(cursor.isValid());
        }
        if (time > 0) {
          assertEquals(0, treeSteps[0]);
        }
      }
      // What is behind is still there.
      assertEquals(100, walkAll(roomy, prefix, isForward));
      roomy.clear();
    }
  }

  @Test
  void whatAWalkWithBoundsLearnsEndsWhereSomethingElseIsKnown() {
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    byte[] first = place(prefix, 10);
    byte[] last = place(prefix, 100);
    for (boolean isForward : new boolean[] {true, false}) {
      WalkCache roomy = new WalkCache(1 << 20);
      rows.clear();
      rows.put(first, new byte[] {1});
      rows.put(last, new byte[] {1});
      try (WriterCursor far = cursor(roomy)) {
        // What is known reaches from the one row to the middle.
        byte[] middle = place(prefix, 50);
        assertTrue(isForward ? far.seek(middle) : far.seekBefore(middle));
      }
      byte[] from = isForward ? prefix : place(prefix, 30);
      byte[] end = isForward ? place(prefix, 80) : KeyFormat.successor(prefix);
      try (WriterCursor near = cursor(roomy, from, end)) {
        assertTrue(isForward ? near.seek(first) : near.seekBefore(end));
        assertFalse(isForward ? near.next() : near.previous());
      }
      byte[] between = place(prefix, isForward ? 60 : 40);
      put(roomy, between, 2);
      try (WriterCursor walk = cursor(roomy)) {
        assertTrue(isForward ? walk.seek(first) && walk.next() : walk.seek(place(prefix, 20)));
        assertArrayEquals(between, walk.key());
      }
    }
  }

  @Test
  void whatIsBroughtBesideAWalkIsNotFromBehindItsEnd() {
    byte[] ranks = prefix(KeyFormat.RANK, 0);
    byte[] members = prefix(KeyFormat.MEMBER, 1);
    for (int i = 0; i < 10; i++) {
      rows.put(place(ranks, i), new byte[] {1});
      rows.put(place(members, i), new byte[] {1});
    }
    for (byte[] beside : List.of(ranks, members)) {
      rows.put(Arrays.copyOf(beside, beside.length - 1), new byte[] {1});
      rows.put(KeyFormat.successor(beside), new byte[] {1});
    }
    WalkCache roomy = new WalkCache(1 << 20);
    try (WriterCursor cursor = cursor(roomy, ranks, KeyFormat.successor(ranks))) {
      // The bucket that follows the last one is not looked for behind all.
      assertTrue(cursor.seekBefore(KeyFormat.justAfter(place(ranks, 9))));
      assertArrayEquals(place(ranks, 9), cursor.key());
    }
    for (boolean isForward : new boolean[] {true, false}) {
      byte[] end = KeyFormat.successor(members);
      try (WriterCursor cursor = cursor(new WalkCache(1 << 20), members, end)) {
        assertTrue(
            isForward ? cursor.seek(place(members, 8)) : cursor.seekBefore(place(members, 2)));
        cursor.foresee(isForward);
        assertArrayEquals(place(members, isForward ? 8 : 1), cursor.key());
      }
    }
    draw(roomy, members, 9, 200, 10);
    met.removeIf(key -> KeyFormat.startsWith(key, ranks) || KeyFormat.startsWith(key, members));
    assertTrue(met.isEmpty(), () -> HexFormat.of().formatHex(met.first()));
  }

  /** Draws at random, as SPOP does; returns how many steps that took in the tree. */
  private int draw(WalkCache cache, byte[] prefix, int places, int draws, long entries) {
    treeSteps[0] = 0;
    for (int i = 0; i < draws; i++) {
      byte[] drawn = place(prefix, random.nextInt(places));
      byte[] expected = rows.ceilingKey(drawn);
      try (WriterCursor cursor = cursor(cache, prefix, KeyFormat.successor(prefix))) {
        cursor.foreseeAny(prefix, entries);
        assertTrue(cursor.seek(drawn));
        assertArrayEquals(expected, cursor.key());
        assertArrayEquals(rows.get(expected), cursor.value());
      }
    }
    return treeSteps[0];
  }

  @Test
  void allThatIsDrawnFromAgainAndAgainIsBroughtToHandInOrder() {
    System.out.println("WalkCacheTest draws -Dvarve.seed=" + SEED);
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    WalkCache roomy = new WalkCache(1 << 20);
    for (int i = 0; i <= places; i++) {
      put(roomy, place(prefix, i), i);
    }
    assertTrue(draw(roomy, prefix, places, 50, places) <= 100, "steps before that is worth it");
    // While it comes, members are popped from what has come already and what has not.
    for (int i = 0; i < 200; i++) {
      draw(roomy, prefix, places, 1, places);
      byte[] popped = rows.ceilingKey(place(prefix, random.nextInt(places)));
      rows.remove(popped);
      roomy.written(popped, null);
    }
    // A place of which all is popped after it was brought is looked for again.
    assertTrue(draw(roomy, prefix, places, 1_000, places) < 20, "steps when all is here");
  }

  @Test
  void ofMoreThanThereIsRoomForNothingIsBroughtButWhatIsAskedFor() {
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    for (int i = 0; i <= places; i++) {
      rows.put(place(prefix, i), new byte[] {1});
    }
    WalkCache roomy = new WalkCache(1 << 20);
    assertTrue(draw(roomy, prefix, places, 300, 1 << 20) <= 300);
  }

  @Test
  void whatIsNotInMemoryEndsBringingAllToHand() {
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    for (int i = 0; i <= places; i++) {
      rows.put(place(prefix, i), new byte[] {1});
    }
    cold.add(rows.ceilingKey(place(prefix, 4_000)));
    WalkCache roomy = new WalkCache(1 << 20);
    draw(roomy, prefix, 3_900, 500, places);
    assertEquals(0, draw(roomy, prefix, 3_900, 1_000, places));
  }

  private static byte[] place(byte[] prefix, int place) {
    return ByteBuffer.allocate(prefix.length + 1 + Short.BYTES)
        .put(prefix)
        .put((byte) 0)
        .putShort((short) place)
        .array();
  }

  private void put(WalkCache cache, byte[] key, int value) {
    rows.put(key, new byte[] {(byte) value});
    cache.written(key, rows.get(key));
  }

  /** Stretches whose start moves, that are joined, divided and dropped, beside each other. */
  @Test
  void whatLiesInStretchesThatMoveIsKeptInStep() {
    WalkCache roomy = new WalkCache(1 << 20);
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    int places = 1000;
    for (int i = 0; i < places; i++) {
      put(roomy, place(prefix, i), 0);
    }
    for (int from = places; from > 0; from -= 50) {
      StoreCursor back = cursor(roomy);
      assertTrue(back.seekBefore(place(prefix, from)));
      for (int i = 0; i < 30; i++) {
        assertTrue(back.previous());
      }
    }
    assertEquals(places / 50, roomy.stretches());
    for (int round = 1; round < 20; round++) {
      for (int i = round; i < places; i += 13) {
        put(roomy, place(prefix, i), round);
      }
      if (round % 5 == 0) {
        // Where nothing is left, and what is written more often than read, a stretch goes.
        for (int i = 320; i < 400; i++) {
          rows.remove(place(prefix, i));
          roomy.written(place(prefix, i), null);
        }
      }
      boolean isForward = round % 2 == 0;
      int middle = places / 2 + round;
      StoreCursor walk = cursor(roomy);
      StoreCursor plain = new MapCursor(rows, cold, new int[1]);
      assertTrue(plain.seek(place(prefix, middle)) && walk.seek(place(prefix, middle)));
      boolean isThere = true;
      while (isThere) {
        assertArrayEquals(plain.key(), walk.key(), "round " + round);
        assertArrayEquals(plain.value(), walk.value(), "round " + round);
        isThere = isForward ? plain.next() : plain.previous();
        assertEquals(isThere, isForward ? walk.next() : walk.previous());
      }
    }
  }

  private int walkAll(WalkCache cache, byte[] prefix, boolean isForward) {
    return walkAll(cursor(cache), prefix, isForward);
  }

  private static int walkAll(StoreCursor cursor, byte[] prefix, boolean isForward) {
    int seen = 0;
    boolean found =
        isForward ? cursor.seek(prefix) : cursor.seekBefore(KeyFormat.successor(prefix));
    while (found && KeyFormat.startsWith(cursor.key(), prefix)) {
      seen++;
      found = isForward ? cursor.next() : cursor.previous();
    }
    return seen;
  }

  @Test
  void staysWithinItsBytes() {
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(3) > 0) {
        write();
      } else {
        walk();
      }
      assertTrue(walks.heldBytes() <= 2 * BYTES_MAX, walks.heldBytes() + " bytes");
    }
    walks.clear();
    assertEquals(0, walks.heldBytes());
  }

  /** A queue that is filled and emptied over and over would take all of the heap. */
  @Test
  void nothingIsLeftOfWhatWritesHaveEmptied() {
    for (int round = 0; round < 100; round++) {
      byte[] prefix = prefix(KeyFormat.LIST, round % COLLECTIONS);
      for (int element = 0; element < 10; element++) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
        key[prefix.length] = (byte) element;
        rows.put(key, new byte[20]);
        walks.written(key, rows.get(key));
      }
      walkAll(walks, prefix, true);
      assertTrue(walks.stretches() > 0, "round " + round);
      for (byte[] key : rows.keySet()) {
        walks.written(key, null);
      }
      rows.clear();
      assertEquals(0, walks.stretches(), "round " + round);
      assertEquals(0, walks.heldBytes(), "round " + round);
    }
  }
}
