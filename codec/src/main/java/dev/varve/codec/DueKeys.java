package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one look of {@link ExpirySweep} has found. Immutable, for any thread. */
public final class DueKeys {
  private final List<DueKey> keys;
  private final byte @Nullable [] more;
  private final long deadlineMillis;

  DueKeys(List<DueKey> keys, byte @Nullable [] more, long deadlineMillis) {
    this.keys = keys;
    this.more = more;
    this.deadlineMillis = deadlineMillis;
  }

  /** How many expiry keys are due. */
  public int size() {
    return keys.size();
  }

  /** From where the next look goes on, or null when this one found all that is due. */
  public byte @Nullable [] more() {
    return more;
  }

  /** When the first key is due that is not yet, or {@link Meta#NO_EXPIRY}; known with the last. */
  public long deadlineMillis() {
    return deadlineMillis;
  }

  /**
   * The deletion of those from {@code from} to {@code to} that are still as they were found.
   *
   * @param touched what was written since before the view was opened that they were found in
   * @param databases the mapping as it is now
   */
  public DueDeletion deletion(int from, int to, KeysWrittenSince touched, Databases databases) {
    List<DueKey> left = new ArrayList<>(to - from);
    int databaseId = 0;
    int database = Integer.MIN_VALUE;
    for (DueKey key : keys.subList(from, to)) {
      if (database == Integer.MIN_VALUE || key.databaseId != databaseId) {
        databaseId = key.databaseId;
        database = databases.number(databaseId);
      }
      if (key.database == database && !touched.contains(key.metaKey)) {
        left.add(key);
      }
    }
    return new DueDeletion(left, to - from - left.size());
  }

  /** From where to look for keys that are due at {@code millis} or later. */
  public static byte[] from(long millis) {
    return KeyFormat.expiry(millis, 0, new byte[0]);
  }
}
