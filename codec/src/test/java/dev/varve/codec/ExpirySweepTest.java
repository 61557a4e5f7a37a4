package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpirySweepTest {
  private final Keyspace keyspace = new Keyspace();

  /** Sweeps up to {@code max} due keys and returns how many were deleted. */
  static int sweep(Keyspace keyspace, int max) {
    List<byte[]> due;
    try (StoreView view = keyspace.store.view()) {
      due = ExpirySweep.due(view, ExpirySweep.FROM_START, keyspace.nowMillis, max);
    }
    int swept = 0;
    for (byte[] expiryKey : due) {
      swept += keyspace.test(transaction -> ExpirySweep.sweep(transaction, expiryKey)) ? 1 : 0;
    }
    return swept;
  }

  private void set(int database, String key, long expiryMillis) {
    keyspace.apply(
        transaction -> {
          Meta old = transaction.findForWrite(database, bytes(key));
          Meta meta = Meta.ofString(bytes("x"));
          meta.setExpiryMillis(expiryMillis);
          transaction.replace(database, bytes(key), old, meta);
        });
  }

  private long nextDeadline() {
    try (StoreView view = keyspace.store.view()) {
      return ExpirySweep.nextDeadlineMillis(view, ExpirySweep.FROM_START);
    }
  }

  @Test
  void aSweepGoesOnBehindWhatItFoundLast() {
    long moment = keyspace.nowMillis - 5;
    for (int i = 0; i < 10; i++) {
      set(0, "key" + i, moment);
    }
    set(0, "later", keyspace.nowMillis + 1);
    List<byte[]> found = new ArrayList<>();
    try (StoreView view = keyspace.store.view()) {
      List<byte[]> due = ExpirySweep.due(view, ExpirySweep.FROM_START, keyspace.nowMillis, 4);
      while (!due.isEmpty()) {
        assertTrue(due.size() <= 4);
        found.addAll(due);
        due = ExpirySweep.dueAfter(view, due.get(due.size() - 1), keyspace.nowMillis, 4);
      }
      List<byte[]> all = ExpirySweep.due(view, ExpirySweep.FROM_START, keyspace.nowMillis, 100);
      assertEquals(10, found.size());
      for (int i = 0; i < all.size(); i++) {
        assertArrayEquals(all.get(i), found.get(i));
      }
    }
  }

  @Test
  void sweepsTheEarliestFirstAndStopsAtTheFuture() {
    long now = keyspace.nowMillis;
    assertEquals(Meta.NO_EXPIRY, nextDeadline());
    set(0, "late", now + 30);
    set(1, "soon", now + 10);
    set(0, "next", now + 20);
    assertEquals(now + 10, nextDeadline());
    assertEquals(0, sweep(keyspace, 10));
    keyspace.nowMillis = now + 20;
    assertEquals(1, sweep(keyspace, 1));
    assertEquals(1, sweep(keyspace, 10));
    assertEquals(List.of("expired:soon", "expired:next"), keyspace.takeEvents());
    assertEquals(now + 30, nextDeadline());
    keyspace.apply(transaction -> assertEquals(1, Keys.size(transaction, 0)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void keyThatGotALaterExpiryMeanwhileStays() {
    long now = keyspace.nowMillis;
    set(0, "key", now + 10);
    byte[] due = KeyFormat.expiry(now + 10, 0, bytes("key"));
    set(0, "key", now + 50);
    keyspace.nowMillis = now + 10;
    assertFalse(keyspace.test(transaction -> ExpirySweep.sweep(transaction, due)));
    assertEquals(0, sweep(keyspace, 10));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void expiryKeysOfADeadDatabaseAreDropped() {
    set(0, "key", keyspace.nowMillis + 10);
    keyspace.apply(transaction -> transaction.flush(0));
    set(0, "key", keyspace.nowMillis + 90);
    keyspace.nowMillis += 10;
    assertEquals(2, keyspace.stored(KeyFormat.EXPIRY).size());
    assertEquals(0, sweep(keyspace, 10));
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void clockThatWentBackDeletesNothingEarly() {
    long now = keyspace.nowMillis;
    set(0, "key", now + 10);
    byte[] due = KeyFormat.expiry(now + 10, 0, bytes("key"));
    keyspace.nowMillis = now - 3_600_000;
    assertFalse(keyspace.test(transaction -> ExpirySweep.sweep(transaction, due)));
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
  }
}
