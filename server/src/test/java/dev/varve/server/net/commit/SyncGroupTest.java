package dev.varve.server.net.commit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SyncGroupTest {
  private static final long NOW_NANOS = 123_456_789_000L;

  private final SyncGroup group = new SyncGroup();

  @Test
  void aLoneClientIsNeverMadeToWait() {
    group.begin(NOW_NANOS);
    assertTrue(group.isComplete(1, NOW_NANOS), "the first sync of all");
    group.met(1);
    group.begin(NOW_NANOS);
    assertTrue(group.isComplete(1, NOW_NANOS));
  }

  @Test
  void thoseWhoMetTheLastSyncAreWaitedFor() {
    group.met(50);
    group.begin(NOW_NANOS);
    assertFalse(group.isComplete(1, NOW_NANOS));
    assertFalse(group.isComplete(49, NOW_NANOS + SyncGroup.QUIET_NANOS - 1));
    assertTrue(group.isComplete(50, NOW_NANOS + SyncGroup.QUIET_NANOS - 1));
  }

  @Test
  void whoDoesNotComeIsNotWaitedFor() {
    group.met(50);
    group.begin(NOW_NANOS);
    group.joined(NOW_NANOS + SyncGroup.QUIET_NANOS - 1);
    assertFalse(group.isComplete(20, NOW_NANOS + SyncGroup.QUIET_NANOS));
    assertTrue(group.isComplete(20, NOW_NANOS + 2 * SyncGroup.QUIET_NANOS - 1));
  }

  @Test
  void theFirstDoesNotWaitForeverWhileOthersKeepComing() {
    group.met(10_000);
    group.begin(NOW_NANOS);
    for (long at = 0; at < SyncGroup.GATHER_NANOS_MAX; at += 1_000) {
      assertFalse(group.isComplete(1, NOW_NANOS + at));
      group.joined(NOW_NANOS + at);
    }
    assertTrue(group.isComplete(2_000, NOW_NANOS + SyncGroup.GATHER_NANOS_MAX));
  }

  @Test
  void whatIsLeftEndsInTheMomentInWhichNobodyIsWaitedFor() {
    group.met(50);
    group.begin(NOW_NANOS);
    for (long at = 0; at < 2 * SyncGroup.GATHER_NANOS_MAX; at += SyncGroup.QUIET_NANOS - 1) {
      long now = NOW_NANOS + at;
      group.joined(now);
      long left = group.nanosLeft(now);
      assertTrue(group.isComplete(1, now + left));
      assertTrue(left == 0 || !group.isComplete(1, now + left - 1), "later than need be");
    }
  }
}
