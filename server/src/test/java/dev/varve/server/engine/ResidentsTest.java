package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.zset.Ranks;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZSets;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sorted sets whose counted buckets are resident, beside maps; and what becomes resident. */
class ResidentsTest {
  private static final int SETS = 2;
  private static final int MEMBERS = 2_000;
  private static final int STEPS = 2_500;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private record Scored(double score, String member) {}

  /** A sorted set as it must be. */
  private static final class Model {
    final TreeMap<String, Double> scores;
    final TreeSet<Scored> order;

    Model() {
      scores = new TreeMap<>();
      order =
          new TreeSet<>(Comparator.comparingDouble(Scored::score).thenComparing(Scored::member));
    }

    Model(Model other) {
      scores = new TreeMap<>(other.scores);
      order = new TreeSet<>(other.order);
    }

    void put(String member, double score) {
      remove(member);
      scores.put(member, score);
      order.add(new Scored(score, member));
    }

    void remove(String member) {
      Double score = scores.remove(member);
      if (score != null) {
        order.remove(new Scored(score, member));
      }
    }

    void removeBetween(double from, double toExclusive) {
      List<Scored> gone =
          List.copyOf(order.subSet(new Scored(from, ""), new Scored(toExclusive, "")));
      gone.forEach(each -> remove(each.member()));
    }

    long rank(String member) {
      Double score = scores.get(member);
      return score == null ? Ranks.NO_RANK : order.headSet(new Scored(score, member)).size();
    }
  }

  private static List<Model> copy(List<Model> models) {
    return new ArrayList<>(models.stream().map(Model::new).toList());
  }

  private static List<Model> empty() {
    List<Model> models = new ArrayList<>();
    for (int i = 0; i < SETS; i++) {
      models.add(new Model());
    }
    return models;
  }

  private static byte[] key(int set) {
    return bytes("set " + set);
  }

  private final List<BiConsumer<Transaction, List<Model>>> commands = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void theWriterAndReadersSeeWhatWasWrittenAndAKillTakesNoMoreThanWhatWasNotCommitted(long seed)
      throws IOException {
    Random random = new Random(seed);
    List<Model> written = empty();
    List<Model> committed = empty();
    int resident = 0;
    // With a small cache what was flushed is cold now and then.
    try (EngineRig rig = new EngineRig(256 << 10, seed % 2 == 0 ? 8 << 20 : 64 << 10)) {
      for (int step = 0; step < STEPS; step++) {
        String where = "seed " + seed + ", step " + step;
        int kind = random.nextInt(100);
        if (kind < 80) {
          commands.clear();
          for (int i = random.nextInt(4); i >= 0; i--) {
            addCommand(random, where);
          }
          boolean applies = random.nextInt(20) != 0;
          List<Model> after = run(rig, written, applies);
          if (after == null) {
            rig.engine().publish(rig.engine().commit(true));
            after = runOnWorker(rig, written);
            committed = copy(after);
            written = after;
          } else if (applies) {
            written = after;
          }
        } else if (kind < 96) {
          rig.engine().publish(rig.engine().commit(true));
          committed = copy(written);
          assertAll(rig, committed, where);
        } else if (kind < 99) {
          rig.work();
        } else if (random.nextInt(8) == 0) {
          rig.kill();
          written = copy(committed);
          assertAll(rig, committed, where);
        }
        resident = Math.max(resident, rig.residents());
      }
      assertTrue(resident >= SETS, "how many sets were resident at a time: " + resident);
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError("seed " + seed, failure);
    }
  }

  /**
   * Runs the commands in one transaction, which is applied or thrown away; returns what there is
   * after it, or null if something is cold.
   */
  private @Nullable List<Model> run(EngineRig rig, List<Model> before, boolean applies) {
    List<Model> after = copy(before);
    try {
      rig.tryWrite(
          transaction -> commands.forEach(each -> each.accept(transaction, after)), applies);
      return after;
    } catch (ColdBlockSignal cold) {
      return null;
    }
  }

  private List<Model> runOnWorker(EngineRig rig, List<Model> before) throws IOException {
    List<Model> after = copy(before);
    rig.writeOnWorker(transaction -> commands.forEach(each -> each.accept(transaction, after)));
    return after;
  }

  private void addCommand(Random random, String where) {
    int set = random.nextInt(SETS);
    String member = "m" + random.nextInt(MEMBERS);
    double score = random.nextInt(MEMBERS / 2);
    int kind = random.nextInt(100);
    long rank = random.nextInt(MEMBERS);
    if (kind < 60) {
      int more = random.nextInt(3) == 0 ? random.nextInt(40) : 0;
      commands.add(
          (transaction, models) -> {
            for (int i = 0; i <= more; i++) {
              String each = i == 0 ? member : member + (i % 7);
              double its = score + i;
              add(transaction, key(set), its, bytes(each));
              models.get(set).put(each, its);
            }
          });
    } else if (kind < 70) {
      commands.add(
          (transaction, models) -> {
            ZSets.remove(transaction, 0, key(set), List.of(bytes(member)));
            models.get(set).remove(member);
          });
    } else if (kind < 72) {
      commands.add(
          (transaction, models) -> {
            double to = score + 20;
            ZSets.removeRange(transaction, 0, key(set), new ZRange.ByScore(score, false, to, true));
            models.get(set).removeBetween(score, to);
          });
    } else if (kind == 72 && rank < 100) {
      commands.add(
          (transaction, models) -> {
            Keys.delete(transaction, 0, key(set));
            models.set(set, new Model());
          });
    } else if (kind < 90) {
      commands.add(
          (transaction, models) -> {
            long expected = models.get(set).rank(member);
            assertEquals(
                expected, Ranks.rank(transaction, 0, key(set), bytes(member), false), where);
          });
    } else {
      commands.add(
          (transaction, models) -> {
            Model its = models.get(set);
            List<String> sorted = its.order.stream().map(Scored::member).toList();
            List<String> expected =
                sorted.subList(
                    (int) Math.min(rank, sorted.size()), (int) Math.min(rank + 3, sorted.size()));
            List<String> found = new ArrayList<>();
            ZSets.range(
                transaction,
                0,
                key(set),
                new ZRange.ByRank(rank, rank + 2),
                false,
                0,
                -1,
                (array, offset, length, itsScore) ->
                    found.add(new String(array, offset, length, StandardCharsets.UTF_8)));
            assertEquals(expected, found, where);
          });
    }
  }

  /** Readers count by the rows. */
  private static void assertAll(EngineRig rig, List<Model> models, String where) {
    for (int set = 0; set < SETS; set++) {
      Model its = models.get(set);
      byte[] key = key(set);
      int rank = 0;
      for (Scored each : its.order) {
        String member = each.member();
        int expected = rank++;
        if (expected % 97 == 0) {
          long found =
              rig.read(transaction -> Ranks.rank(transaction, 0, key, bytes(member), false));
          assertEquals(expected, found, where);
        }
      }
    }
  }

  @Test
  void aChangeThatIsABatchOfItsOwnCountsToo() throws IOException {
    byte[] key = key(0);
    try (EngineRig rig = new EngineRig(16 << 20)) {
      rig.write(
          transaction -> {
            for (int i = 0; i < MEMBERS; i++) {
              add(transaction, key, i, bytes("m" + i));
            }
          });
      byte[] last = bytes("m" + (MEMBERS - 1));
      for (int i = 0; i <= Residents.ASKED_MIN; i++) {
        rig.tryWrite(
            transaction -> assertEquals(MEMBERS - 1, Ranks.rank(transaction, 0, key, last, false)),
            false);
      }
      assertEquals(1, rig.residents());
      byte[] large = new byte[2 << 20];
      rig.tryWrite(transaction -> add(transaction, key, 2, bytes("small")), true);
      rig.tryWrite(transaction -> add(transaction, key, MEMBERS / 2.0, large), true);
      rig.tryWrite(
          transaction -> assertEquals(MEMBERS + 1, Ranks.rank(transaction, 0, key, last, false)),
          false);
      rig.engine().publish(rig.engine().commit(true));
      assertEquals(
          MEMBERS + 1,
          rig.read(transaction -> Ranks.rank(transaction, 0, key, last, false)).longValue());
    }
  }

  private static void add(Transaction transaction, byte[] key, double score, byte[] member) {
    ZSets.add(transaction, 0, key, ZAddCondition.NONE, new double[] {score}, List.of(member));
  }

  // ---- what becomes resident --------------------------------------------------------------------

  private static final int ROWS_BYTES = 100;

  /** Rows that are nothing but there, and take as much again for each that is written. */
  private static final class Rows implements ResidentRows {
    private final byte[] prefix;
    private long bytes = ROWS_BYTES;

    Rows(byte[] prefix) {
      this.prefix = prefix;
    }

    @Override
    public byte[] prefix() {
      return prefix;
    }

    @Override
    public long heldBytes() {
      return bytes;
    }

    @Override
    public void written(byte[] key, byte @Nullable [] value) {
      bytes += ROWS_BYTES;
    }

    @Override
    public boolean isChanged() {
      return false;
    }

    @Override
    public void settle(RowVisitor visitor) {}
  }

  private static byte[] prefix(int number) {
    return new CollectionKeys(0, bytes("key " + number), 1).prefix(KeyFormat.RANK);
  }

  private static @Nullable ResidentRows load(
      Residents residents, int number, ResidentRows.@Nullable Loader loader) throws IOException {
    try (EngineRig rig = new EngineRig(64 << 10);
        StoreView view = rig.engine().store().view()) {
      return residents.load(
          prefix(number),
          loader != null ? loader : (prefix, cursor) -> new Rows(prefix),
          end -> (TreeViewCursor) view.cursor(end));
    }
  }

  @Test
  void rowsAreWantedWhenTheyHaveBeenAskedForAgainAndAgain() {
    Residents residents = new Residents(1000);
    for (int i = 1; i < Residents.ASKED_MIN; i++) {
      assertFalse(residents.isWanted(prefix(1)));
    }
    assertTrue(residents.isWanted(prefix(1)));
  }

  @Test
  void whatIsNotInMemoryIsNotAskedForAgainAtOnce() throws IOException {
    Residents residents = new Residents(1000);
    ResidentRows.Loader cold =
        (byte[] prefix, StoreCursor cursor) -> {
          throw ColdBlockSignal.INSTANCE;
        };
    assertNull(load(residents, 1, cold));
    assertNull(residents.find(prefix(1)));
    for (int i = 0; i < Residents.ASKED_MIN; i++) {
      assertFalse(residents.isWanted(prefix(1)));
    }
  }

  @Test
  void thoseThatWereNotAskedForLongestGoWhenThereIsNoRoom() throws IOException {
    Residents residents = new Residents(3 * ROWS_BYTES);
    for (int i = 0; i < 3; i++) {
      assertNotNull(load(residents, i, null));
    }
    assertNotNull(residents.find(prefix(0)));
    assertNotNull(load(residents, 3, null));
    assertNotNull(residents.find(prefix(0)));
    assertNull(residents.find(prefix(1)));
    assertNotNull(residents.find(prefix(2)));
    assertNotNull(residents.find(prefix(3)));
    assertEquals(3 * ROWS_BYTES, residents.heldBytes());
  }

  @Test
  void whatGrowsTakesTheRoomOfOthersAndGoesWhenThereIsNoneLeft() throws IOException {
    Residents residents = new Residents(3 * ROWS_BYTES);
    assertNotNull(load(residents, 1, null));
    assertNotNull(load(residents, 2, null));
    residents.written(prefix(2), null);
    assertNotNull(residents.find(prefix(1)));
    assertNotNull(residents.find(prefix(2)));
    residents.written(prefix(2), null);
    assertNull(residents.find(prefix(1)));
    assertNotNull(residents.find(prefix(2)));
    assertEquals(3 * ROWS_BYTES, residents.heldBytes());
    residents.written(prefix(2), null);
    assertNull(residents.find(prefix(2)));
    assertEquals(0, residents.heldBytes());
  }

  @Test
  void whatIsLargerThanAllRoomStaysInRows() throws IOException {
    assertNull(load(new Residents(ROWS_BYTES - 1), 1, null));
  }
}
