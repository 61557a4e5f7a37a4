package dev.varve.codec;

import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a view with the writes of a batch on top, those included that the batch gets while
 * the cursor is open.
 *
 * <p>Used by the thread of its transaction.
 */
final class OverlayCursor implements StoreCursor {
  private static final byte[] FIRST = {};

  /*
   * The base cursor stands beside the current entry: going forward on the first base entry at or
   * after it, going backward on the last one at or before it. Turning round positions it anew.
   * Writes are found by key on every step, so that the batch may change between steps. Those beyond
   * the bounds are not looked at: a command that deletes a thousand members walks to the end of
   * their ranks again and again, and behind it are the deletes of the members. So nothing that the
   * base shows there is shown, which one of those may delete. Most walks are over nothing but the
   * base, whose key is then copied only if somebody asks for it.
   */
  private final StoreCursor base;
  private final StoreBatch batch;
  private byte[] from = FIRST;
  private byte[] end;
  private boolean forward = true;
  private byte @Nullable [] baseKey;

  /** Whether this is on the base cursor's entry, whose key was not needed yet. */
  private boolean isKeyUnread;

  private byte @Nullable [] key;
  private byte @Nullable [] value;

  /** Over what is before {@code end}, as {@code base} is. */
  OverlayCursor(StoreCursor base, StoreBatch batch, byte[] end) {
    this.base = base;
    this.batch = batch;
    this.end = end;
  }

  @Override
  public void within(byte[] from, byte[] end) {
    base.within(from, end);
    bound(from, end);
  }

  @Override
  public void withinAll(byte[] from, byte[] end) {
    if (batch.writeCount() == 0) {
      base.withinAll(from, end);
      bound(from, end);
    } else {
      // What this deletes is still in the store, and may stay there.
      within(from, end);
    }
  }

  private void bound(byte[] first, byte[] last) {
    from = first;
    end = last;
    onBase(false);
  }

  @Override
  public boolean seek(byte[] target) {
    forward = true;
    if (batch.writeCount() == 0) {
      return onBase(base.seek(target));
    }
    byte[] wanted = isBefore(target, from) ? from : target;
    readBase(base.seek(wanted));
    return settleForward(batch.ceiling(wanted));
  }

  @Override
  public boolean seekBefore(byte[] target) {
    forward = false;
    if (batch.writeCount() == 0) {
      return onBase(base.seekBefore(target));
    }
    byte[] wanted = isBefore(end, target) ? end : target;
    readBase(base.seekBefore(wanted));
    return settleBackward(batch.lower(wanted));
  }

  @Override
  public boolean next() {
    if (isKeyUnread && forward && batch.writeCount() == 0) {
      return onBase(base.next());
    }
    byte[] at = currentKey();
    if (at == null) {
      return false;
    }
    if (!forward) {
      forward = true;
      readBase(base.seek(at));
    }
    if (baseKey != null && Arrays.equals(baseKey, at)) {
      readBase(base.next());
    }
    return settleForward(batch.higher(at));
  }

  @Override
  public boolean previous() {
    if (isKeyUnread && !forward && batch.writeCount() == 0) {
      return onBase(base.previous());
    }
    byte[] at = currentKey();
    if (at == null) {
      return false;
    }
    if (forward) {
      forward = false;
      readBase(base.seekBefore(at));
    } else if (baseKey != null && Arrays.equals(baseKey, at)) {
      readBase(base.previous());
    }
    return settleBackward(batch.lower(at));
  }

  @Override
  public long hand(int from, byte[] bound, long max, boolean isForward, EntryVisitor visitor) {
    if (!isKeyUnread || batch.writeCount() > 0) {
      return StoreCursor.super.hand(from, bound, max, isForward, visitor);
    }
    long handed = base.hand(from, bound, max, isForward, visitor);
    onBase(false);
    return handed;
  }

  @Override
  public void foresee(boolean isForward) {
    base.foresee(isForward);
  }

  @Override
  public void foreseeAny(byte[] prefix, long entries) {
    onBase(false);
    base.foreseeAny(prefix, entries);
  }

  @Override
  public boolean seekAny(byte[] prefix, long entries, RandomGenerator random) {
    forward = true;
    return onBase(batch.writeCount() == 0 && base.seekAny(prefix, entries, random));
  }

  /** The base cursor has moved, and there are no writes. */
  private boolean onBase(boolean valid) {
    isKeyUnread = valid;
    baseKey = null;
    key = null;
    value = null;
    return valid;
  }

  private byte @Nullable [] currentKey() {
    if (isKeyUnread) {
      isKeyUnread = false;
      baseKey = base.key();
      key = baseKey;
    }
    return key;
  }

  private boolean settleForward(Map.@Nullable Entry<byte[], byte[]> write) {
    Map.@Nullable Entry<byte[], byte[]> candidate = write;
    while (true) {
      int order = order(candidate);
      if (candidate == null || order < 0 || !isBefore(candidate.getKey(), end)) {
        return takeBase(baseKey != null && isBefore(baseKey, end));
      }
      if (candidate.getValue() != StoreBatch.DELETED) {
        return take(candidate);
      }
      if (order == 0) {
        readBase(base.next());
      }
      candidate = batch.higher(candidate.getKey());
    }
  }

  private boolean settleBackward(Map.@Nullable Entry<byte[], byte[]> write) {
    Map.@Nullable Entry<byte[], byte[]> candidate = write;
    while (true) {
      int order = order(candidate);
      if (candidate == null
          || (order > 0 && baseKey != null)
          || isBefore(candidate.getKey(), from)) {
        return takeBase(baseKey != null && !isBefore(baseKey, from));
      }
      if (candidate.getValue() != StoreBatch.DELETED) {
        return take(candidate);
      }
      if (order == 0) {
        readBase(base.previous());
      }
      candidate = batch.lower(candidate.getKey());
    }
  }

  private static boolean isBefore(byte[] key, byte[] other) {
    return Arrays.compareUnsigned(key, other) < 0;
  }

  /** The order of the base entry and a write; an absent base entry is after every write. */
  private int order(Map.@Nullable Entry<byte[], byte[]> write) {
    if (write == null || baseKey == null) {
      return 1;
    }
    return Arrays.compareUnsigned(baseKey, write.getKey());
  }

  private boolean take(Map.Entry<byte[], byte[]> write) {
    key = write.getKey();
    value = write.getValue();
    return true;
  }

  private boolean takeBase(boolean isWithin) {
    key = isWithin ? baseKey : null;
    value = null;
    return isWithin;
  }

  private void readBase(boolean valid) {
    isKeyUnread = false;
    baseKey = valid ? base.key() : null;
  }

  @Override
  public boolean isValid() {
    return isKeyUnread || key != null;
  }

  @Override
  public byte[] key() {
    if (isKeyUnread) {
      // It stays unread: the next step need not compare it with anything.
      return base.key();
    }
    if (key == null) {
      throw new IllegalStateException("the cursor is on no entry");
    }
    return key;
  }

  @Override
  public byte[] value() {
    if (isKeyUnread) {
      return base.value();
    }
    if (key == null) {
      throw new IllegalStateException("the cursor is on no entry");
    }
    return value == null ? base.value() : value;
  }

  @Override
  public byte[] valueStart(int bytes) {
    return isOfBase() ? base.valueStart(bytes) : value();
  }

  @Override
  public int compareKey(byte[] other) {
    return isKeyUnread ? base.compareKey(other) : Arrays.compareUnsigned(key(), other);
  }

  @Override
  public boolean skip(long entries, boolean isForward) {
    return isKeyUnread && forward == isForward && batch.writeCount() == 0
        ? onBase(base.skip(entries, isForward))
        : StoreCursor.super.skip(entries, isForward);
  }

  @Override
  public long advanceTo(byte[] bound, long max) {
    if (isKeyUnread && forward && batch.writeCount() == 0) {
      long passed = base.advanceTo(bound, max);
      onBase(base.isValid());
      return passed;
    }
    return StoreCursor.super.advanceTo(bound, max);
  }

  @Override
  public long sumTo(byte[] bound, Weight weight) {
    if (isKeyUnread && forward && batch.writeCount() == 0) {
      long sum = base.sumTo(bound, weight);
      onBase(base.isValid());
      return sum;
    }
    return StoreCursor.super.sumTo(bound, weight);
  }

  @Override
  public byte[] valueArray() {
    return isOfBase() ? base.valueArray() : value();
  }

  @Override
  public int valueOffset() {
    return isOfBase() ? base.valueOffset() : 0;
  }

  @Override
  public int valueLength() {
    return isOfBase() ? base.valueLength() : value().length;
  }

  /** Whether the entry is the base cursor's. */
  private boolean isOfBase() {
    return isKeyUnread || (key != null && value == null);
  }

  @Override
  public void close() {
    base.close();
  }
}
