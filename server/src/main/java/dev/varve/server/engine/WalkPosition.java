package dev.varve.server.engine;

import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The row that a walk of the writer is on: one of a stretch, where the tree may be on it as well,
 * or one of the tree alone. Keyspace loop only.
 */
abstract sealed class WalkPosition implements StoreCursor permits StretchWalk {
  private final BiFunction<byte[], byte[], StoreCursor> opener;
  private @Nullable StoreCursor tree;

  /** Nothing is wanted before this, or from {@link #end} on. */
  private byte[] from;

  private byte[] end;

  /** Whether nothing else is in the keyspace that both are in. */
  private boolean isAll;

  /** Where it is; null while it is in the tree alone, or nowhere. */
  private @Nullable Stretch stretch;

  /** What {@link #stretch} is of. */
  private @Nullable WalkedKeyspace keyspace;

  private int row;

  /** Whether {@link #tree} is on the same row. */
  private boolean isTreeHere;

  private byte @Nullable [] key;
  private byte @Nullable [] value;

  /**
   * On no row.
   *
   * @param opener opens a walk over the tree between two keys
   */
  WalkPosition(BiFunction<byte[], byte[], StoreCursor> opener, byte[] from, byte[] end) {
    this.opener = opener;
    this.from = from;
    this.end = end;
  }

  @Override
  public final void within(byte[] first, byte[] behind) {
    from = first;
    end = behind;
    isAll = false;
    nowhere();
  }

  @Override
  public final void withinAll(byte[] first, byte[] behind) {
    within(first, behind);
    isAll = true;
  }

  /** Goes to no row; always false. */
  final boolean nowhere() {
    leave();
    if (tree != null) {
      tree.within(from, end);
    }
    return false;
  }

  /** Where what is wanted begins. */
  final byte[] from() {
    return from;
  }

  /** Where what is wanted has ended. */
  final byte[] end() {
    return end;
  }

  /** Whether nothing is in a keyspace but between both bounds. */
  private boolean isAllOf(WalkedKeyspace its) {
    return isAll && its.owns(from);
  }

  /** The suffix at which what is known begins where a walk has begun at a key, and met a row. */
  final byte[] suffixOfStart(WalkedKeyspace its, byte[] start) {
    return start == from && isAllOf(its) ? WalkedKeyspace.START : its.suffix(start);
  }

  /** The suffix at which it ends where a walk has begun before a key; null with the keyspace. */
  final byte @Nullable [] suffixOfEnd(WalkedKeyspace its, byte[] behind) {
    return behind == end && isAllOf(its) ? null : its.suffix(behind);
  }

  /** Nothing is wanted from where a stretch ends on; there may be nothing at all. */
  final void noteEnd(WalkedKeyspace its, Stretch last, byte[] bound) {
    if (isAllOf(its) && its.after(bound) == null) {
      last.setTo(null);
    }
  }

  /** Nothing is wanted before where a stretch begins. */
  final void noteStart(WalkedKeyspace its, Stretch first, byte[] bound) {
    if (isAllOf(its) && its.preceding(bound) == null) {
      its.moveStart(first, WalkedKeyspace.START);
    }
  }

  /** Where what the tree was walked over in vain ends, forwards, null if with the keyspace. */
  final byte @Nullable [] endOfNothing(WalkedKeyspace its, @Nullable Stretch after) {
    return after == null && isAllOf(its) ? null : its.endOfNothing(end, after);
  }

  /** Where that begins, backwards from a key. */
  final byte[] startOfNothing(WalkedKeyspace its, byte[] before) {
    return its.startOfNothing(isAllOf(its) ? its.prefix() : from, before);
  }

  /** Whether nothing is wanted at a place, or behind it. */
  final boolean isBehindAll(byte[] place) {
    return Arrays.compareUnsigned(place, end) >= 0;
  }

  /** Whether nothing is wanted before a place. */
  final boolean isBeforeAll(byte[] place) {
    return Arrays.compareUnsigned(place, from) <= 0;
  }

  /** The row is the one that the tree is on. */
  final void stay(byte[] stored, byte[] storedValue) {
    key = stored;
    value = storedValue;
    isTreeHere = true;
  }

  /** Goes to a row, if there is one of that number. */
  final boolean at(WalkedKeyspace its, Stretch itsStretch, int itsRow) {
    if (itsRow < itsStretch.first() || itsRow >= itsStretch.behind()) {
      return false;
    }
    keyspace = its;
    stretch = itsStretch;
    step(itsStretch, itsRow);
    return true;
  }

  /** Goes to another row of the stretch that it is in. */
  final void step(Stretch its, int itsRow) {
    forget();
    its.use();
    row = itsRow;
    isTreeHere = false;
  }

  /** Goes to no row of a stretch: nowhere, or where the tree goes. */
  final void leave() {
    forget();
    stretch = null;
    keyspace = null;
    isTreeHere = false;
  }

  private void forget() {
    key = null;
    value = null;
  }

  /** Where it is; null while it is in the tree alone, or nowhere. */
  final @Nullable Stretch stretch() {
    return stretch;
  }

  /** Its number in the stretch. */
  final int row() {
    return row;
  }

  /** Whether the tree is on the row of the stretch as well. */
  final boolean isTreeHere() {
    return isTreeHere;
  }

  /** From now on the tree is on the row of the stretch as well, or is not. */
  final void setTreeHere(boolean isIt) {
    isTreeHere = isIt;
  }

  /** What the stretch is of. There is one. */
  final WalkedKeyspace keyspace() {
    WalkedKeyspace its = keyspace;
    if (its == null) {
      throw new IllegalStateException("the cursor is on no entry");
    }
    return its;
  }

  /** The walk over the tree. */
  final StoreCursor inTree() {
    StoreCursor its = tree;
    if (its == null) {
      its = opener.apply(from, end);
      its.within(from, end);
      tree = its;
    }
    return its;
  }

  /** Goes to the tree's next row, or the one before, where it is in the tree alone. */
  final boolean stepInTree(boolean isForward) {
    forget();
    return tree != null && (isForward ? tree.next() : tree.previous());
  }

  /** Whether it is on a row of that keyspace that is kept. */
  final boolean isIn(WalkedKeyspace its) {
    return keyspace == its;
  }

  @Override
  public boolean isValid() {
    return stretch != null || (tree != null && tree.isValid());
  }

  @Override
  public byte[] key() {
    Stretch its = stretch;
    if (its == null) {
      return inTree().key();
    }
    byte[] copy = key;
    if (copy == null) {
      copy = its.key(row, keyspace().prefix());
      key = copy;
    }
    return copy;
  }

  @Override
  public byte[] value() {
    Stretch its = stretch;
    if (its == null) {
      return inTree().value();
    }
    byte[] copy = value;
    if (copy == null) {
      copy = its.value(row);
      value = copy;
    }
    return copy;
  }

  @Override
  public byte[] valueStart(int bytes) {
    return stretch == null ? inTree().valueStart(bytes) : value();
  }

  @Override
  public int compareKey(byte[] other) {
    Stretch its = stretch;
    if (its == null) {
      return inTree().compareKey(other);
    }
    byte[] prefix = keyspace().prefix();
    return keyspace().owns(other)
        ? its.compare(row, other, prefix.length)
        : Arrays.compareUnsigned(prefix, other);
  }

  @Override
  public byte[] valueArray() {
    return stretch == null ? inTree().valueArray() : stretch.array();
  }

  @Override
  public int valueOffset() {
    return stretch == null ? inTree().valueOffset() : stretch.valueOffset(row);
  }

  @Override
  public int valueLength() {
    return stretch == null ? inTree().valueLength() : stretch.valueLength(row);
  }

  @Override
  public void close() {
    if (tree != null) {
      tree.close();
    }
  }
}
