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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a walk needs the tree for, and what it has at hand. */
class WalkCacheTest {
  private static final int PLACES = 150;

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
