package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All rows between two bounds in one keyspace of a collection, by what their keys have after the
 * version.
 *
 * <p>Keyspace loop only.
 */
final class Stretch extends SortedRows {
  /** What the objects, the bounds and a keyspace of its own take besides the rows, about. */
  private static final int OVERHEAD_BYTES = 352;

  private final WalkedKeyspace keyspace;

  private byte[] from;
  private byte @Nullable [] to;

  /** Whether anybody was here of late. */
  private boolean isUsed = true;

  /** How often it was written to since anybody was here. */
  private int writesUnread;

  /** Whether it is in the cache; one that has left it stays as it was for who is still in it. */
  private boolean isKept = true;

  /** Its neighbours in {@link StretchQueue}. */
  @Nullable Stretch older;

  @Nullable Stretch newer;

  /** Its neighbours in the order of keys, if known; see {@link #following}. */
  private @Nullable Stretch before;

  private @Nullable Stretch after;

  /**
   * Without rows yet.
   *
   * @param from the first suffix in it
   * @param to the first suffix after it, or null where the keyspace of the collection ends
   */
  Stretch(WalkedKeyspace keyspace, byte[] from, byte @Nullable [] to) {
    super(keyspace.prefix()[0] == KeyFormat.LIST);
    this.keyspace = keyspace;
    this.from = from;
    this.to = to;
  }

  WalkedKeyspace keyspace() {
    return keyspace;
  }

  byte[] from() {
    return from;
  }

  byte @Nullable [] to() {
    return to;
  }

  /** For {@link WalkedKeyspace#moveStart}. */
  void setFrom(byte[] suffix) {
    from = suffix;
  }

  void setTo(byte @Nullable [] suffix) {
    to = suffix;
  }

  boolean isKept() {
    return isKept;
  }

  void leave() {
    isKept = false;
    unlink(before, this);
    unlink(this, after);
  }

  /** The stretch that begins where this ends, if that is known; both are in the cache. */
  @Nullable Stretch following() {
    Stretch its = after;
    return its != null && its.from == to ? its : null;
  }

  /** The stretch that ends where this begins, if that is known; both are in the cache. */
  @Nullable Stretch preceding() {
    Stretch its = before;
    return its != null && its.to == from ? its : null;
  }

  /**
   * Notes for walks that {@code second} begins where {@code first} ends, if that is so; it holds
   * until one of them leaves the cache or its bound moves.
   */
  static void linkIfMeeting(Stretch first, Stretch second) {
    boolean areKept = first.isKept && second.isKept;
    if (areKept && Arrays.equals(first.to, second.from)) {
      unlink(first, first.after);
      unlink(second.before, second);
      first.to = second.from;
      first.after = second;
      second.before = first;
    }
  }

  private static void unlink(@Nullable Stretch first, @Nullable Stretch second) {
    if (first != null && second != null) {
      first.after = null;
      second.before = null;
    }
  }

  void use() {
    isUsed = true;
    writesUnread = 0;
  }

  /** How often {@link #written} was called since the last {@link #use}. */
  int writesUnread() {
    return writesUnread;
  }

  /** Whether anybody was here since the last call. */
  boolean takeUse() {
    boolean was = isUsed;
    isUsed = false;
    return was;
  }

  int heldBytes() {
    return OVERHEAD_BYTES + arrayBytes();
  }

  /** Whether a suffix, all of {@code key} from {@code offset} on, is not before the start. */
  boolean startsAtOrBefore(byte[] key, int offset) {
    return Arrays.compareUnsigned(from, 0, from.length, key, offset, key.length) <= 0;
  }

  boolean startsBefore(byte[] key, int offset) {
    return Arrays.compareUnsigned(from, 0, from.length, key, offset, key.length) < 0;
  }

  boolean endsAfter(byte[] key, int offset) {
    byte[] its = to;
    return its == null || Arrays.compareUnsigned(its, 0, its.length, key, offset, key.length) > 0;
  }

  boolean endsAtOrAfter(byte[] key, int offset) {
    byte[] its = to;
    return its == null || Arrays.compareUnsigned(its, 0, its.length, key, offset, key.length) >= 0;
  }

  /** Adds all rows of what begins where this ends. */
  void appendAll(Stretch next) {
    appendAll(next, next.first());
    to = next.to;
  }

  /**
   * From now on there is {@code value} under a key between the bounds, or nothing if it is null.
   */
  void written(byte[] key, int offset, byte @Nullable [] value) {
    writesUnread++;
    put(key, offset, value);
  }

  /** Keeps the first half of the rows; the rest is what is returned. */
  Stretch splitOff() {
    int middle = first() + rows() / 2;
    Stretch rest = new Stretch(keyspace, suffix(middle), to);
    rest.appendAll(this, middle);
    cut(middle);
    to = rest.from;
    linkIfMeeting(this, rest);
    return rest;
  }
}
