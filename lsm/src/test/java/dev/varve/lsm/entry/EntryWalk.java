package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Holds a cursor against the sorted list of what it should show. */
public final class EntryWalk {
  private EntryWalk() {}

  /** Index of the first entry not before (key, sequence). */
  public static int firstNotBefore(
      List<Entry> sorted, byte[] key, int offset, int length, long sequence) {
    Entry position = Entry.position(Arrays.copyOfRange(key, offset, offset + length), sequence);
    int found = Collections.binarySearch(sorted, position, Entry.ORDER);
    return found >= 0 ? found : ~found;
  }

  /** Walks once through, either way. */
  public static void verifyWhole(EntryCursor cursor, List<Entry> sorted) {
    int at = 0;
    for (boolean valid = cursor.seekToFirst(); valid; valid = cursor.next()) {
      assertEquals(sorted.get(at++), Entry.at(cursor));
    }
    assertEquals(sorted.size(), at);
    assertFalse(cursor.isValid());
    for (boolean valid = cursor.seekToLast(); valid; valid = cursor.previous()) {
      assertEquals(sorted.get(--at), Entry.at(cursor));
    }
    assertEquals(0, at);
    assertFalse(cursor.isValid());
  }

  /** Seeks, steps and turns at random. */
  public static void verifyRandom(
      EntryCursor cursor, List<Entry> sorted, Random random, int moves, Supplier<byte[]> keys) {
    int at = -1;
    for (int i = 0; i < moves; i++) {
      boolean valid;
      if (at < 0 || at >= sorted.size() || random.nextInt(12) == 0) {
        byte[] key = keys.get();
        byte[] padded = new byte[key.length + 5];
        System.arraycopy(key, 0, padded, 2, key.length);
        long sequence =
            random.nextInt(3) == 0 ? EntryCursor.SEQUENCE_MAX : random.nextInt(sorted.size() + 2);
        int first = firstNotBefore(sorted, key, 0, key.length, sequence);
        switch (random.nextInt(6)) {
          case 0 -> {
            valid = cursor.seekToFirst();
            at = 0;
          }
          case 1 -> {
            valid = cursor.seekToLast();
            at = sorted.size() - 1;
          }
          case 2, 3 -> {
            valid = cursor.seek(padded, 2, key.length, sequence);
            at = first;
          }
          default -> {
            valid = cursor.seekBefore(padded, 2, key.length, sequence);
            at = first - 1;
          }
        }
      } else if (random.nextBoolean()) {
        valid = cursor.next();
        at++;
      } else {
        valid = cursor.previous();
        at--;
      }
      boolean expected = at >= 0 && at < sorted.size();
      assertEquals(expected, valid);
      assertEquals(expected, cursor.isValid());
      if (expected) {
        assertEquals(sorted.get(at), Entry.at(cursor));
      }
    }
  }
}
