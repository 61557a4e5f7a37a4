package dev.varve.server.engine;

import static dev.varve.server.engine.WalkedRows.place;
import static dev.varve.server.engine.WalkedRows.prefix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is brought to hand beside a walk, of rows that are drawn at random, and what draws give. */
class KeyspaceLoadTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private final Random random = new Random(SEED);
  private final WalkedRows tree = new WalkedRows();

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
    System.out.println("KeyspaceLoadTest any -Dvarve.seed=" + SEED);
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
    System.out.println("KeyspaceLoadTest draws -Dvarve.seed=" + SEED);
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
}
