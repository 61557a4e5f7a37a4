package dev.varve.codec.zset;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.Meta;
import dev.varve.codec.RankCheck;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.CountedBuckets;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The counted buckets against a sorted set of suffixes, with tiny buckets so that levels abound.
 */
class RankModelTest {
  private static final RankFormat.Sizes TINY = new RankFormat.Sizes(8, 3, 4, 2);
  private static final byte[] KEY = Keyspace.bytes("k");
  private static final byte[] NOTHING = new byte[0];

  private final Keyspace keyspace = new Keyspace();
  private final Meta meta = Meta.ofSpread(ValueType.ZSET, 1);
  private final CollectionKeys keys = meta.keys(0, KEY);
  private final TreeSet<byte[]> model = new TreeSet<>(Arrays::compareUnsigned);
  private final List<Consumer<Transaction>> pending = new ArrayList<>();
  private final Map<Transaction, RankWriter> writers = new WeakHashMap<>();

  private static byte[] suffix(int number) {
    return ZPlace.of(number / 4, new byte[] {(byte) number});
  }

  private byte[] key(byte[] suffix) {
    return keys.suffixed(KeyFormat.INDEX, suffix);
  }

  private void add(byte[] suffix) {
    pending.add(
        transaction -> {
          transaction.put(key(suffix), NOTHING);
          meta.add(1, 0);
          writer(transaction).added(key(suffix));
        });
    model.add(suffix);
  }

  private void remove(byte[] suffix) {
    pending.add(
        transaction -> {
          transaction.delete(key(suffix));
          meta.add(-1, 0);
          writer(transaction).removed(key(suffix), 1);
        });
    model.remove(suffix);
  }

  private void move(byte[] from, byte[] to) {
    pending.add(
        transaction -> {
          transaction.delete(key(from));
          transaction.put(key(to), NOTHING);
          writer(transaction).moved(key(from), key(to));
        });
    model.remove(from);
    model.add(to);
  }

  /** Asks what is before a place, after what the same transaction changes. */
  private void ask(byte[] bound) {
    int before = model.headSet(bound).size();
    pending.add(
        transaction -> {
          try (StoreCursor cursor = transaction.cursor(keys.end(KeyFormat.INDEX))) {
            assertEquals(before, reader(transaction, cursor).before(bound));
          }
        });
  }

  /** Does what is pending in one transaction. */
  private void flush() {
    keyspace.apply(
        transaction -> {
          pending.forEach(each -> each.accept(transaction));
          writer(transaction).build();
        });
    pending.clear();
  }

  private RankReader reader(Transaction transaction, StoreCursor cursor) {
    int levels = meta.rankLevels();
    CountedBuckets buckets = levels == 0 ? null : transaction.buckets().toRead(keys, levels);
    return new RankReader(cursor, buckets, keys, KeyFormat.INDEX, meta);
  }

  /** The same one for all of a transaction. */
  private RankWriter writer(Transaction transaction) {
    return writers.computeIfAbsent(
        transaction, its -> new RankWriter(its, keys, KeyFormat.INDEX, meta, TINY));
  }

  private void check(SplittableRandom random) {
    flush();
    keyspace.apply(
        transaction -> {
          RankCheck.assertConsistent(transaction, keys, meta, TINY);
          List<byte[]> sorted = new ArrayList<>(model);
          try (StoreCursor cursor = transaction.cursor(keys.end(KeyFormat.INDEX))) {
            RankReader reader = reader(transaction, cursor);
            for (int i = 0; i < 5; i++) {
              byte[] bound = suffix(random.nextInt(1200));
              assertEquals(model.headSet(bound).size(), reader.before(bound));
              if (!sorted.isEmpty()) {
                int rank = random.nextInt(sorted.size());
                reader.seek(rank, sorted.size());
                assertArrayEquals(sorted.get(rank), keys.suffixOf(cursor.key()));
              }
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "4, 4", "5, 12"})
  void randomChangesKeepCountsTrue(long seed, int changesMax) {
    run(seed, changesMax);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 4", "5, 12"})
  void inMemoryTheyAreTheSame(long seed, int changesMax) {
    keyspace.store.keepResident();
    run(seed, changesMax);
    assertEquals(1, keyspace.store.residents());
  }

  /**
   * @param changesMax how many changes a transaction makes at most
   */
  private void run(long seed, int changesMax) {
    SplittableRandom random = new SplittableRandom(seed);
    int levelsMax = 0;
    try {
      for (int phase = 0; phase < 6; phase++) {
        int addPercent = phase % 2 == 0 ? 80 : 15;
        // Once in a while a phase works in one small corner, where buckets empty.
        int from = random.nextInt(900);
        int width = random.nextInt(3) == 0 ? 100 : 1000 - from;
        for (int i = 0; i < 500; i++) {
          byte[] suffix = suffix(from + random.nextInt(width));
          boolean present = model.contains(suffix);
          if (random.nextInt(100) < addPercent) {
            if (!present) {
              add(suffix);
            }
          } else if (present) {
            byte[] target = suffix(random.nextInt(1000));
            if (random.nextInt(4) == 0 && !model.contains(target)) {
              move(suffix, target);
            } else {
              remove(suffix);
            }
          }
          if (random.nextInt(10) == 0) {
            ask(suffix(random.nextInt(1200)));
          }
          if (random.nextInt(changesMax) == 0) {
            flush();
          }
          if (i % 20 == 0) {
            check(random);
          }
          levelsMax = Math.max(levelsMax, meta.rankLevels());
        }
      }
      assertTrue(levelsMax >= 3, () -> "too flat to tell");
      while (!model.isEmpty()) {
        remove(random.nextBoolean() ? model.first() : model.last());
        if (model.size() % 16 == 0) {
          check(random);
        }
      }
      flush();
      assertEquals(0, meta.rankLevels());
      assertEquals(0, keyspace.stored(KeyFormat.RANK).size());
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError("seed " + seed, failure);
    }
  }

  @Test
  void whoAddsAtTheEndLeavesFullBucketsAndWalksOverNothing() {
    int entries = 4 * TINY.entriesMax();
    for (int i = 0; i < entries; i++) {
      add(suffix(i));
      flush();
    }
    check(new SplittableRandom(1));
    assertEquals(4, keyspace.stored(KeyFormat.RANK).size());
  }

  @Test
  void builtAtOnceIsAsAnyOther() {
    for (int size : new int[] {0, 8, 9, 24, 25, 300, 1000}) {
      Keyspace fresh = new Keyspace();
      Meta built = Meta.ofSpread(ValueType.ZSET, 1);
      fresh.apply(
          transaction -> {
            RankBuilder builder = new RankBuilder(transaction, keys, TINY);
            for (int i = 0; i < size; i++) {
              transaction.put(key(suffix(i)), NOTHING);
              built.add(1, 0);
              builder.add(suffix(i));
            }
            builder.finish(built);
            RankCheck.assertConsistent(transaction, keys, built, TINY);
          });
    }
  }
}
