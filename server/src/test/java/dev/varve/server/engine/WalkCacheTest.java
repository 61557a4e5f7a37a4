package dev.varve.server.engine;

import static dev.varve.server.engine.WalkedRows.place;
import static dev.varve.server.engine.WalkedRows.prefix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a walk needs the tree for, and what it has at hand. */
class WalkCacheTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int PLACES = 150;

  private final Random random = new Random(SEED);
  private final WalkedRows tree = new WalkedRows();

  /** Rows of a collection, and of what lies beside it. */
  private void fill(byte[] prefix) {
    for (int i = 0; i < PLACES; i++) {
      tree.rows.put(place(prefix, i), new byte[] {(byte) i});
    }
    tree.rows.put(Arrays.copyOf(prefix, prefix.length - 1), new byte[] {1});
    tree.rows.put(KeyFormat.successor(prefix), new byte[] {1});
  }

  @Test
  void whatWasWalkedOverIsNotAskedForAgain() {
    WalkCache roomy = new WalkCache(1 << 20);
    byte[] first = prefix(KeyFormat.INDEX, 0);
    fill(first);
    for (boolean isForward : new boolean[] {true, false}) {
      assertEquals(PLACES, walkAll(roomy, first, isForward));
      tree.treeSteps = 0;
      assertEquals(PLACES, walkAll(roomy, first, isForward));
      // What is before and after the keyspace, for who has no end.
      assertTrue(tree.treeSteps <= 2, tree.treeSteps + " steps in the tree");
    }
  }

  @Test
  void whatIsHandedOverAllAtOnceIsSteppedToAndNotSearchedFor() {
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    fill(prefix);
    byte[] end = KeyFormat.successor(prefix);
    for (boolean isForward : new boolean[] {true, false}) {
      byte[] first = place(prefix, isForward ? 0 : PLACES - 1);
      byte[] bound = isForward ? end : prefix;
      WalkCache roomy = new WalkCache(1 << 20);
      tree.treeSteps = 0;
      tree.treeSearches = 0;
      try (WriterCursor cursor = tree.cursor(roomy)) {
        assertTrue(cursor.seek(first));
        List<Integer> handed = new ArrayList<>();
        cursor.hand(
            prefix.length,
            bound,
            Long.MAX_VALUE,
            isForward,
            (tails, tail, tailBytes, values, value, valueBytes) ->
                handed.add(values[value] & 0xFF));
        List<Integer> expected = new ArrayList<>(IntStream.range(0, PLACES).boxed().toList());
        if (!isForward) {
          Collections.reverse(expected);
        }
        assertEquals(expected, handed);
      }
      // And what is before or behind all of them, stepped to and searched for.
      assertTrue(tree.treeSteps <= PLACES + 2, tree.treeSteps + " steps in the tree");
      assertTrue(tree.treeSearches <= 2, tree.treeSearches + " searches");
    }
  }

  @Test
  void whatIsForeseenIsAtHandAndTheWalkStaysWhereItIs() {
    byte[] first = prefix(KeyFormat.INDEX, 0);
    for (int i = 0; i < 200; i++) {
      tree.rows.put(place(first, i), new byte[] {1});
    }
    for (boolean isForward : new boolean[] {true, false}) {
      WalkCache roomy = new WalkCache(1 << 20);
      try (WriterCursor cursor = tree.cursor(roomy)) {
        assertTrue(cursor.seek(place(first, 100)));
        cursor.foresee(isForward);
        assertArrayEquals(place(first, 100), cursor.key());
      }
      tree.treeSteps = 0;
      int step = isForward ? 1 : -1;
      for (int i = 1; i <= 20; i++) {
        try (WriterCursor cursor = tree.cursor(roomy)) {
          assertTrue(cursor.seek(place(first, 100 + i * step)));
          assertArrayEquals(place(first, 100 + i * step), cursor.key());
        }
      }
      assertEquals(0, tree.treeSteps);
    }
  }

  @Test
  void whatIsKeptOfAKeyspaceIsWalkedOverToItsEndsWithoutTheTree() {
    WalkCache roomy = new WalkCache(1 << 20);
    for (int version : new int[] {7, 0x1FF}) {
      CollectionKeys keys = new CollectionKeys(0, new byte[] {'k'}, version);
      byte[] first = keys.prefix(KeyFormat.INDEX);
      byte[] end = keys.end(KeyFormat.INDEX);
      fill(first);
      for (boolean isForward : new boolean[] {true, false}) {
        assertEquals(PLACES, walkAll(tree.cursor(roomy, first, end), first, isForward));
        tree.treeSteps = 0;
        assertEquals(PLACES, walkAll(tree.cursor(roomy, first, end), first, isForward));
        assertEquals(0, tree.treeSteps, "version " + version);
      }
    }
  }

  /** As in a queue: there is always an end that something is put beyond, and looked for. */
  @Test
  void whatIsPutBeyondAllThatAWalkWasOverIsAtHand() {
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    WalkCache roomy = new WalkCache(1 << 20);
    fill(prefix);
    int first = PLACES;
    int last = PLACES + 10;
    for (int i = first; i <= last; i++) {
      tree.put(roomy, place(prefix, i), 1);
    }
    for (int i = 0; i < first; i++) {
      tree.rows.remove(place(prefix, i));
    }
    for (int i = 0; i < 50; i++) {
      for (boolean isForward : new boolean[] {true, false}) {
        tree.treeSteps = 0;
        byte[] from = place(prefix, first - i);
        byte[] end = place(prefix, last + i + 1);
        try (WriterCursor cursor = tree.cursor(roomy)) {
          cursor.withinAll(from, end);
          assertTrue(isForward ? cursor.seek(from) : cursor.seekBefore(end));
          assertArrayEquals(place(prefix, isForward ? first - i : last + i), cursor.key());
          int rows = 1;
          while (isForward ? cursor.next() : cursor.previous()) {
            rows++;
          }
          assertEquals(last - first + 2 * i + 1, rows);
        }
        assertTrue(i == 0 || tree.treeSteps == 0, "in the tree for what was put " + i);
      }
      tree.put(roomy, place(prefix, first - i - 1), 1);
      tree.put(roomy, place(prefix, last + i + 1), 1);
    }
  }

  @Test
  void aPartOfAKeyspaceThatIsKeptIsWalkedOverToItsEndsWithoutTheTree() {
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    WalkCache roomy = new WalkCache(1 << 20);
    for (int i = 0; i < 100; i++) {
      tree.rows.put(place(prefix, 10 * i), new byte[] {1});
    }
    byte[] from = place(prefix, 205);
    byte[] end = place(prefix, 705);
    for (boolean isForward : new boolean[] {true, false}) {
      for (int time = 0; time < 2; time++) {
        tree.treeSteps = 0;
        try (WriterCursor cursor = tree.cursor(roomy, from, end)) {
          int seen = 0;
          boolean found = isForward ? cursor.seek(from) : cursor.seekBefore(end);
          for (; found; found = isForward ? cursor.next() : cursor.previous()) {
            seen++;
          }
          assertEquals(50, seen);
          assertFalse(cursor.isValid());
        }
        if (time > 0) {
          assertEquals(0, tree.treeSteps);
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
      tree.rows.clear();
      tree.rows.put(first, new byte[] {1});
      tree.rows.put(last, new byte[] {1});
      try (WriterCursor far = tree.cursor(roomy)) {
        // What is known reaches from the one row to the middle.
        byte[] middle = place(prefix, 50);
        assertTrue(isForward ? far.seek(middle) : far.seekBefore(middle));
      }
      byte[] from = isForward ? prefix : place(prefix, 30);
      byte[] end = isForward ? place(prefix, 80) : KeyFormat.successor(prefix);
      try (WriterCursor near = tree.cursor(roomy, from, end)) {
        assertTrue(isForward ? near.seek(first) : near.seekBefore(end));
        assertFalse(isForward ? near.next() : near.previous());
      }
      byte[] between = place(prefix, isForward ? 60 : 40);
      tree.put(roomy, between, 2);
      try (WriterCursor walk = tree.cursor(roomy)) {
        assertTrue(isForward ? walk.seek(first) && walk.next() : walk.seek(place(prefix, 20)));
        assertArrayEquals(between, walk.key());
      }
    }
  }

  /** The elements that a list has lost at an end are dropped, and the cache is told nothing. */
  @Test
  void whatTheTreeHasDroppedAndIsKeptIsNotTakenForNothing() {
    byte[] prefix = prefix(KeyFormat.LIST, 0);
    for (boolean isForward : new boolean[] {true, false}) {
      WalkCache roomy = new WalkCache(1 << 20);
      fill(prefix);
      assertEquals(PLACES, walkAll(roomy, prefix, isForward));
      int end = isForward ? 50 : 100;
      int outwards = isForward ? 1 : -1;
      for (int i = end + outwards; i >= 0 && i < PLACES; i += outwards) {
        tree.rows.remove(place(prefix, i));
      }
      // A long row is not kept, nor what is beside it.
      roomy.written(place(prefix, end), new byte[2_000]);
      try (WriterCursor walk = tree.cursor(roomy)) {
        assertTrue(walk.seek(place(prefix, end - 20 * outwards)));
        boolean found = true;
        while (found && walk.compareKey(place(prefix, end)) != 0) {
          found = isForward ? walk.next() : walk.previous();
        }
        assertTrue(found);
        assertTrue(isForward ? walk.next() : walk.previous());
      }
      roomy.written(place(prefix, end), new byte[2_000]);
      int added = 40;
      for (int i = 1; i <= added; i++) {
        tree.put(roomy, place(prefix, end + i * outwards), i);
      }
      try (WriterCursor walk = tree.cursor(roomy)) {
        byte[] last = place(prefix, end + added * outwards);
        assertTrue(walk.seek(last));
        assertArrayEquals(last, walk.key());
        for (int i = added - 1; i >= 0; i--) {
          assertTrue(isForward ? walk.previous() : walk.next());
          assertArrayEquals(place(prefix, end + i * outwards), walk.key());
        }
      }
    }
  }

  @Test
  void whatIsBroughtBesideAWalkIsNotFromBehindItsEnd() {
    byte[] ranks = prefix(KeyFormat.RANK, 0);
    byte[] members = prefix(KeyFormat.MEMBER, 1);
    for (int i = 0; i < 10; i++) {
      tree.rows.put(place(ranks, i), new byte[] {1});
      tree.rows.put(place(members, i), new byte[] {1});
    }
    for (byte[] beside : List.of(ranks, members)) {
      tree.rows.put(Arrays.copyOf(beside, beside.length - 1), new byte[] {1});
      tree.rows.put(KeyFormat.successor(beside), new byte[] {1});
    }
    WalkCache roomy = new WalkCache(1 << 20);
    try (WriterCursor cursor = tree.cursor(roomy, ranks, KeyFormat.successor(ranks))) {
      // The bucket that follows the last one is not looked for behind all.
      assertTrue(cursor.seekBefore(KeyFormat.justAfter(place(ranks, 9))));
      assertArrayEquals(place(ranks, 9), cursor.key());
    }
    for (boolean isForward : new boolean[] {true, false}) {
      byte[] end = KeyFormat.successor(members);
      try (WriterCursor cursor = tree.cursor(new WalkCache(1 << 20), members, end)) {
        assertTrue(
            isForward ? cursor.seek(place(members, 8)) : cursor.seekBefore(place(members, 2)));
        cursor.foresee(isForward);
        assertArrayEquals(place(members, isForward ? 8 : 1), cursor.key());
      }
    }
    draw(roomy, members, 9, 200, 10);
    tree.met.removeIf(
        key -> KeyFormat.startsWith(key, ranks) || KeyFormat.startsWith(key, members));
    assertTrue(tree.met.isEmpty(), () -> HexFormat.of().formatHex(tree.met.first()));
  }

  /** Draws at random, as SPOP does; returns how many steps that took in the tree. */
  private int draw(WalkCache cache, byte[] prefix, int places, int draws, long entries) {
    tree.treeSteps = 0;
    for (int i = 0; i < draws; i++) {
      byte[] drawn = place(prefix, random.nextInt(places));
      byte[] expected = tree.rows.ceilingKey(drawn);
      try (WriterCursor cursor = tree.cursor(cache, prefix, KeyFormat.successor(prefix))) {
        cursor.foreseeAny(prefix, entries);
        assertTrue(cursor.seek(drawn));
        assertArrayEquals(expected, cursor.key());
        assertArrayEquals(tree.rows.get(expected), cursor.value());
      }
    }
    return tree.treeSteps;
  }

  /** How many rows of a keyspace there are. */
  private int rows(byte[] prefix) {
    return tree.rows.subMap(prefix, KeyFormat.successor(prefix)).size();
  }

  /** Draws of what is all at hand; each must be of a row that is there. */
  private Map<Integer, Integer> drawAny(WalkCache cache, byte[] prefix, int draws) {
    Map<Integer, Integer> drawn = new TreeMap<>();
    int entries = rows(prefix);
    int vain = 0;
    for (int i = 0; i < draws; i++) {
      try (WriterCursor cursor = tree.cursor(cache, prefix, KeyFormat.successor(prefix))) {
        if (cursor.seekAny(prefix, entries, random)) {
          byte[] key = cursor.key();
          assertArrayEquals(tree.rows.get(key), cursor.value());
          drawn.merge((int) ByteBuffer.wrap(key).getShort(prefix.length + 1), 1, Integer::sum);
        } else {
          vain++;
        }
      }
    }
    assertTrue(vain < draws / 100, vain + " draws in vain");
    return drawn;
  }

  @Test
  void allThatIsAtHandIsDrawnFromEachRowAsLikelyAsAnyOther() {
    System.out.println("WalkCacheTest any -Dvarve.seed=" + SEED);
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    WalkCache roomy = new WalkCache(1 << 20);
    for (int i = 0; i < places; i++) {
      tree.put(roomy, place(prefix, i), i);
    }
    tree.put(roomy, prefix(KeyFormat.MEMBER, 1), 1);
    try (WriterCursor cursor = tree.cursor(roomy)) {
      assertFalse(cursor.seekAny(prefix, places, random), "nothing is at hand");
    }
    draw(roomy, prefix, places, 500, places);
    // Some stretches are short then and some are long, and some have become one.
    for (int i = 0; i < 3_000; i++) {
      if (i % 10 > 0) {
        byte[] popped = place(prefix, i);
        // What is written and not read is not kept for long.
        assertTrue(roomy.get(popped) != null);
        tree.rows.remove(popped);
        roomy.written(popped, null);
      }
    }
    for (int i = 0; i < 700; i++) {
      assertTrue(roomy.get(place(prefix, places + i)) == null);
      tree.put(roomy, place(prefix, places + i), i);
    }
    Map<Integer, Integer> drawn = drawAny(roomy, prefix, 70 * rows(prefix));
    assertEquals(rows(prefix), drawn.size());
    drawn.forEach(
        (place, times) -> assertTrue(times > 20 && times < 135, place + ": " + times + " times"));
    roomy.forget(prefix);
    try (WriterCursor cursor = tree.cursor(roomy)) {
      assertFalse(cursor.seekAny(prefix, rows(prefix), random), "it has gone");
    }
  }

  @Test
  void allThatIsDrawnFromAgainAndAgainIsBroughtToHandInOrder() {
    System.out.println("WalkCacheTest draws -Dvarve.seed=" + SEED);
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    WalkCache roomy = new WalkCache(1 << 20);
    for (int i = 0; i <= places; i++) {
      tree.put(roomy, place(prefix, i), i);
    }
    assertTrue(draw(roomy, prefix, places, 50, places) <= 100, "steps before that is worth it");
    // While it comes, members are popped from what has come already and what has not.
    for (int i = 0; i < 200; i++) {
      draw(roomy, prefix, places, 1, places);
      byte[] popped = tree.rows.ceilingKey(place(prefix, random.nextInt(places)));
      tree.rows.remove(popped);
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
      tree.rows.put(place(prefix, i), new byte[] {1});
    }
    WalkCache roomy = new WalkCache(1 << 20);
    assertTrue(draw(roomy, prefix, places, 300, 1 << 20) <= 300);
  }

  @Test
  void whatIsNotInMemoryEndsBringingAllToHand() {
    byte[] prefix = prefix(KeyFormat.MEMBER, 0);
    int places = 5_000;
    for (int i = 0; i <= places; i++) {
      tree.rows.put(place(prefix, i), new byte[] {1});
    }
    tree.cold.add(tree.rows.ceilingKey(place(prefix, 4_000)));
    WalkCache roomy = new WalkCache(1 << 20);
    draw(roomy, prefix, 3_900, 500, places);
    assertEquals(0, draw(roomy, prefix, 3_900, 1_000, places));
  }

  /** Stretches whose start moves, that are joined, divided and dropped, beside each other. */
  @Test
  void whatLiesInStretchesThatMoveIsKeptInStep() {
    WalkCache roomy = new WalkCache(1 << 20);
    byte[] prefix = prefix(KeyFormat.INDEX, 0);
    int places = 1000;
    for (int i = 0; i < places; i++) {
      tree.put(roomy, place(prefix, i), 0);
    }
    for (int from = places; from > 0; from -= 50) {
      StoreCursor back = tree.cursor(roomy);
      assertTrue(back.seekBefore(place(prefix, from)));
      for (int i = 0; i < 30; i++) {
        assertTrue(back.previous());
      }
    }
    assertEquals(places / 50, roomy.stretches());
    for (int round = 1; round < 20; round++) {
      for (int i = round; i < places; i += 13) {
        tree.put(roomy, place(prefix, i), round);
      }
      if (round % 5 == 0) {
        // Where nothing is left, and what is written more often than read, a stretch goes.
        for (int i = 320; i < 400; i++) {
          tree.rows.remove(place(prefix, i));
          roomy.written(place(prefix, i), null);
        }
      }
      boolean isForward = round % 2 == 0;
      int middle = places / 2 + round;
      StoreCursor walk = tree.cursor(roomy);
      StoreCursor plain = tree.plain();
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
    return walkAll(tree.cursor(cache), prefix, isForward);
  }

  private static int walkAll(StoreCursor cursor, byte[] prefix, boolean isForward) {
    int seen = 0;
    boolean found =
        isForward ? cursor.seek(prefix) : cursor.seekBefore(KeyFormat.versionAfter(prefix));
    while (found && KeyFormat.startsWith(cursor.key(), prefix)) {
      seen++;
      found = isForward ? cursor.next() : cursor.previous();
    }
    return seen;
  }

  /** A queue that is filled and emptied over and over would take all of the heap. */
  @Test
  void nothingIsLeftOfWhatWritesHaveEmptied() {
    WalkCache walks = new WalkCache(8 << 10);
    for (int round = 0; round < 100; round++) {
      byte[] prefix = prefix(KeyFormat.LIST, round % 3);
      for (int element = 0; element < 10; element++) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
        key[prefix.length] = (byte) element;
        tree.rows.put(key, new byte[20]);
        walks.written(key, tree.rows.get(key));
      }
      walkAll(walks, prefix, true);
      assertTrue(walks.stretches() > 0, "round " + round);
      for (byte[] key : tree.rows.keySet()) {
        walks.written(key, null);
      }
      tree.rows.clear();
      assertEquals(0, walks.stretches(), "round " + round);
      assertEquals(0, walks.heldBytes(), "round " + round);
    }
  }
}
