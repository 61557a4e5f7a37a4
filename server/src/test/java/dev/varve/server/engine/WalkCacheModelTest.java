package dev.varve.server.engine;

import static dev.varve.server.engine.WalkedRows.prefix;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A {@link WriterCursor} at random beside one that knows only the tree. */
class WalkCacheModelTest {
  /** A walk that stood in what is kept beyond its bounds, and went on. */
  private static final long BEYOND_BOUNDS_SEED = 21051607291439L;

  /** It once handed rows over twice, from the midst of what was kept. */
  private static final long HANDED_TWICE_SEED = 186;

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

  private interface Move {
    boolean by(StoreCursor cursor);
  }

  private final Random random = new Random(SEED);
  private final WalkedRows tree = new WalkedRows();

  /** What the last {@link StoreCursor#advanceTo} of the plain and the cached walk returned. */
  private final long[] passed = new long[2];

  private boolean mostlyForward;
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
    int longPlace = random.nextInt(50) == 0 ? 1500 : 0;
    ByteBuffer key = ByteBuffer.allocate(prefix.length + 1 + (place == 0 ? 0 : 2 + longPlace));
    key.put(prefix).put((byte) random.nextInt(LEVELS));
    if (place > 0) {
      key.putShort((short) place);
    }
    return key.array();
  }

  private void write() {
    byte[] key = randomKey();
    byte[] before = tree.rows.ceilingKey(key);
    if (random.nextInt(3) == 0) {
      // What is near rather than what is random, so that something goes.
      if (before != null) {
        tree.rows.remove(before);
        tree.cold.remove(before);
        walks.written(before, null);
      }
    } else {
      byte[] value = new byte[random.nextInt(200) == 0 ? 1100 : random.nextInt(30)];
      random.nextBytes(value);
      tree.rows.remove(key);
      tree.rows.put(key, value);
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
      if (random.nextInt(4) == 0 && toAllOf(randomPrefix())) {
        plain.within(from, end);
        cached.withinAll(from, end);
        assertFalse(cached.isValid());
        return;
      }
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

    /** To what has all of a keyspace in it; false where that has nothing. */
    boolean toAllOf(byte[] prefix) {
      byte[] behind = KeyFormat.successor(prefix);
      byte[] first = tree.rows.ceilingKey(prefix);
      byte[] last = tree.rows.lowerKey(behind);
      if (first == null || last == null || Arrays.compareUnsigned(first, last) > 0) {
        return false;
      }
      from = random.nextBoolean() ? prefix : first;
      end = random.nextBoolean() ? behind : Arrays.copyOf(last, last.length + 1);
      return true;
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
    return switch (random.nextInt(16)) {
      case 15 -> {
        byte[] prefix = Arrays.copyOf(target, Math.min(target.length, PREFIX_BYTES));
        int entries = tree.rows.subMap(prefix, KeyFormat.successor(prefix)).size();
        yield cursor -> {
          if (prefix.length == PREFIX_BYTES && cursor.seekAny(prefix, entries, random)) {
            assertArrayEquals(tree.rows.get(cursor.key()), cursor.value());
            assertTrue(KeyFormat.startsWith(cursor.key(), prefix));
          }
          return cursor.seek(target);
        };
      }
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

  /** Moves two pairs alike, each for as long as the plain one meets nothing tree.cold. */
  private void walk() {
    StoreCursor[] plain = new StoreCursor[2];
    StoreCursor[] cached = new StoreCursor[2];
    Bounds[] bounds = {new Bounds(), new Bounds()};
    for (int i = 0; i < 2; i++) {
      plain[i] = tree.plain();
      WriterCursor its = tree.cursor(walks);
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
    System.out.println("WalkCacheModelTest -Dvarve.seed=" + SEED);
    for (int round = 0; round < ROUNDS; round++) {
      long seed = round == 0 ? BEYOND_BOUNDS_SEED : SEED + round;
      random.setSeed(seed);
      tree.rows.clear();
      // From few stretches of which some have to go all the time to dozens of each keyspace.
      walks = new WalkCache((long) BYTES_MAX << 2 * (round % 4));
      try {
        for (int i = 0; i < 4_000; i++) {
          writeOrWalk();
        }
      } catch (AssertionError difference) {
        throw new AssertionError("with -Dvarve.seed=" + (seed - round), difference);
      }
    }
  }

  @Test
  void meetsNothingColdThatThePlainWalkDoesNotMeet() {
    System.out.println("WalkCacheModelTest cold -Dvarve.seed=" + SEED);
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(4)) {
        case 0 -> walk();
        case 1 -> {
          byte[] key = tree.rows.ceilingKey(randomKey());
          if (key != null && random.nextInt(10) == 0 && !tree.cold.remove(key)) {
            tree.cold.add(key);
          }
        }
        default -> write();
      }
    }
  }

  private void writeOrWalk() {
    if (random.nextInt(3) > 0) {
      write();
    } else {
      walk();
    }
  }

  @Test
  void handsOverEachRowOnce() {
    random.setSeed(HANDED_TWICE_SEED);
    for (int i = 0; i < 1_000; i++) {
      writeOrWalk();
    }
  }

  @Test
  void staysWithinItsBytes() {
    for (int i = 0; i < 20_000; i++) {
      writeOrWalk();
      assertTrue(walks.heldBytes() <= 2 * BYTES_MAX, walks.heldBytes() + " bytes");
    }
    walks.clear();
    assertEquals(0, walks.heldBytes());
  }
}
