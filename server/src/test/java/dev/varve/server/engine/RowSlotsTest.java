package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RowSlotsTest {
  private static final long OLDEST = 1;

  private final RowSlots slots = new RowSlots(4L * RowSlots.SLOTS_MIN);

  /** A hash of the set that others with the same {@code set} share, told apart by their tags. */
  private static long hash(int set, int tag) {
    return (long) tag << 48 | set;
  }

  private void put(long hash, long position, long hits) {
    slots.set(slots.room(hash, OLDEST, hits), hash, position);
  }

  private long find(long hash) {
    int bits = slots.likely(hash);
    return bits == 0 ? 0 : slots.position(slots.first(hash) + Integer.numberOfTrailingZeros(bits));
  }

  @Test
  void asManyAsASetHasRoomForStandSideBySide() {
    for (int i = 0; i < RowSlots.WAYS; i++) {
      put(hash(40, i), 100 + i, 0);
    }
    for (int i = 0; i < RowSlots.WAYS; i++) {
      assertEquals(100 + i, find(hash(40, i)));
    }
    assertEquals(0, find(hash(40, RowSlots.WAYS)));
  }

  @Test
  void theOldestGivesWay() {
    for (int i = 0; i < RowSlots.WAYS; i++) {
      put(hash(40, i), 200 - i, 0);
    }
    put(hash(40, 77), 300, 0);
    assertEquals(300, find(hash(40, 77)));
    assertEquals(0, find(hash(40, RowSlots.WAYS - 1)));
    assertEquals(200, find(hash(40, 0)));
  }

  @Test
  void whatIsClearedIsGoneAndItsSlotIsFree() {
    put(hash(40, 1), 100, 0);
    slots.clear(slots.first(hash(40, 1)));
    assertEquals(0, find(hash(40, 1)));
    assertEquals(slots.first(hash(40, 1)), slots.room(hash(40, 2), OLDEST, 0));
  }

  @Test
  void theTableGrowsWhenRowsInUseDisplaceEachOther() {
    load(RowSlots.SLOTS_MIN, 0);
    assertEquals(2 * RowSlots.SLOTS_MIN, slots.count());
  }

  @Test
  void theTableStaysAsItIsWhileRowsAreFoundFarMoreOftenThanDisplaced() {
    load(RowSlots.SLOTS_MIN, 2 * RowSlots.HITS_WANTED);
    assertEquals(RowSlots.SLOTS_MIN, slots.count());
  }

  @Test
  void theTableGrowsNoFurtherThanItMay() {
    load(100 * RowSlots.SLOTS_MIN, 0);
    assertEquals(4 * RowSlots.SLOTS_MIN, slots.count());
  }

  @Test
  void rowsThatAreGoneGiveWayWithoutBeingMissed() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10 * RowSlots.SLOTS_MIN; i++) {
      long hash = random.nextLong();
      // All before are gone.
      slots.set(slots.room(hash, 1 + i, 0), hash, 1 + i);
    }
    assertEquals(RowSlots.SLOTS_MIN, slots.count());
  }

  /** Puts positions of random hashes, and says that rows were found so many times for each. */
  private void load(int count, long hitsForEach) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < count; i++) {
      put(random.nextLong(), 1 + i, i * hitsForEach);
    }
  }
}
