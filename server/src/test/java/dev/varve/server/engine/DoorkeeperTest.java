package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DoorkeeperTest {
  private static final int SLOTS = 16;

  private final Doorkeeper door = new Doorkeeper(SLOTS);

  @Test
  void aKeyComesInWhenItIsMissedASecondTime() {
    assertFalse(door.admits(7));
    assertTrue(door.admits(7));
    assertTrue(door.admits(7));
  }

  @Test
  void aKeyOfTheSameSlotTakesItsTurn() {
    assertFalse(door.admits(7));
    assertFalse(door.admits(7 + SLOTS));
    assertFalse(door.admits(7));
  }

  @Test
  void keysOfOtherSlotsDoNotDisturbEachOther() {
    assertFalse(door.admits(7));
    assertFalse(door.admits(8));
    assertTrue(door.admits(7));
    assertTrue(door.admits(8));
  }

  @Test
  void whatIsReadOnceNeverComesIn() {
    for (long hash = 1; hash <= 10 * SLOTS; hash++) {
      assertFalse(door.admits(hash), "hash " + hash);
    }
  }
}
