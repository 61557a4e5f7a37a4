package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What leaves a full cache, and what stays. */
class EvictionQueuesTest {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final Map<Long, Member> members = new HashMap<>();
  private final EvictionQueues queues =
      new EvictionQueues(100, leaving -> assertTrue(members.remove(leaving.key, leaving)));

  private static final class Member extends Evictable {
    private final long weight;

    Member(long number, long weight) {
      this.key = keyOf(number);
      this.weight = weight;
    }

    @Override
    long weight() {
      return weight;
    }
  }

  private static long keyOf(long number) {
    return number * SPREAD;
  }

  /** Uses a member as a cache would: it comes if it is not there. Returns whether it was. */
  private boolean use(long number) {
    Member there = members.get(keyOf(number));
    if (there != null) {
      there.used();
      return true;
    }
    Member coming = new Member(number, 1);
    members.put(coming.key, coming);
    queues.add(coming);
    return false;
  }

  @Test
  void theLimitIsKept() {
    for (long number = 1; number < 1_000; number++) {
      use(number);
      assertTrue(queues.bytes() <= 100);
      assertEquals(members.size(), queues.bytes());
    }
    queues.setBytesMax(10);
    assertEquals(10, members.size());
  }

  @Test
  void whatIsLargerThanTheLimitPushesNothingOut() {
    for (long number = 1; number <= 8; number++) {
      use(number);
    }
    Member large = new Member(1_000, 101);
    members.put(large.key, large);
    queues.add(large);
    members.put(large.key, large);
    queues.addProven(large);
    assertEquals(8, members.size());
    assertEquals(8, queues.bytes());
  }

  @Test
  void aScanDoesNotPushOutWhatIsUsed() {
    for (int round = 0; round < 3; round++) {
      for (long number = 1; number <= 50; number++) {
        use(number);
      }
    }
    for (long number = 1_000; number < 2_000; number++) {
      use(number);
    }
    for (long number = 1; number <= 50; number++) {
      assertTrue(use(number), "lost " + number);
    }
  }

  @Test
  void whatComesBackSoonAfterItLeftStays() {
    for (long number = 1; number <= 110; number++) {
      use(number);
    }
    assertFalse(use(1));
    for (long number = 1_000; number < 1_080; number++) {
      use(number);
    }
    assertTrue(use(1));
  }

  @Test
  void whatIsTakenOutLeavesNoTrace() {
    use(1);
    use(2);
    use(3);
    Member second = Objects.requireNonNull(members.get(keyOf(2)));
    queues.remove(second);
    queues.remove(second);
    assertEquals(2, queues.bytes());
    members.remove(second.key);
    queues.setBytesMax(0);
    assertTrue(members.isEmpty());
    assertEquals(0, queues.bytes());
  }

  @Test
  void aMemberLargerThanAllLeavesAtOnce() {
    Member huge = new Member(7, 1_000);
    members.put(huge.key, huge);
    queues.add(huge);
    assertTrue(members.isEmpty());
    assertEquals(0, queues.bytes());
  }

  @Test
  void skewedUseIsMostlyHits() {
    long seed = 11;
    Random random = new Random(seed);
    int hits = 0;
    int uses = 20_000;
    for (int i = 0; i < uses; i++) {
      // The square of a square: a tenth of the keys gets more than half of the uses.
      double share = Math.pow(random.nextDouble(), 4);
      hits += use(1 + (long) (share * 1_000)) ? 1 : 0;
    }
    assertTrue(hits > uses / 2, "hits " + hits + ", seed " + seed);
  }
}
