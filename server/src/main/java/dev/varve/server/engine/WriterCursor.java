package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.server.engine.BucketCache.Stretch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A walk of the writer: over the counted buckets in memory where they are known, over the tree
 * everywhere else. Keyspace loop only.
 */
final class WriterCursor implements StoreCursor {
  private final BucketCache buckets;
  private final Supplier<StoreCursor> opener;
  private @Nullable StoreCursor tree;

  /** Where it is; null while it is in the tree, or nowhere. */
  private @Nullable Stretch stretch;

  private int row;

  /**
   * @param opener opens a walk over the tree
   */
  WriterCursor(BucketCache buckets, Supplier<StoreCursor> opener) {
    this.buckets = buckets;
    this.opener = opener;
  }

  @Override
  public boolean seek(byte[] key) {
    if (!BucketCache.isBucket(key)) {
      return inTree().seek(key);
    }
    Stretch its = known(KeyFormat.justAfter(key));
    return its == null ? enter(key) : at(its, its.rowFrom(key)) || behind(its);
  }

  @Override
  public boolean seekBefore(byte[] key) {
    if (!BucketCache.isBucket(key)) {
      return inTree().seekBefore(key);
    }
    Stretch its = known(key);
    if (its == null) {
      return inTree().seekBefore(key);
    }
    return at(its, its.rowFrom(key) - 1) || seekBefore(its.from);
  }

  @Override
  public boolean next() {
    Stretch its = stretch;
    if (its == null) {
      return tree != null && tree.next();
    }
    return at(its, row + 1) || behind(its);
  }

  @Override
  public boolean previous() {
    Stretch its = stretch;
    if (its == null) {
      return tree != null && tree.previous();
    }
    return at(its, row - 1) || seekBefore(its.from);
  }

  /** Goes to the first row that is not before the end of {@code its}. */
  private boolean behind(Stretch its) {
    Stretch last = its;
    while (true) {
      byte[] bound = KeyFormat.justAfter(last.to);
      Stretch next = last.isCut ? known(bound) : buckets.before(bound);
      if (next == null) {
        return enter(last.to);
      }
      if (at(next, next.rowFrom(last.to))) {
        return true;
      }
      last = next;
    }
  }

  /** Goes to a key by way of the tree, and on from there in memory. */
  private boolean enter(byte[] key) {
    if (!inTree().seek(key)) {
      return false;
    }
    byte[] found = inTree().key();
    if (!BucketCache.isBucket(found)) {
      return true;
    }
    Stretch its = known(KeyFormat.justAfter(found));
    return its == null ? inTree().seek(key) : at(its, its.rowFrom(found));
  }

  private @Nullable Stretch known(byte[] bound) {
    Stretch its = buckets.before(bound);
    return its != null ? its : buckets.read(inTree(), bound);
  }

  private boolean at(Stretch its, int itsRow) {
    if (itsRow < 0 || itsRow >= its.count()) {
      return false;
    }
    stretch = its;
    row = itsRow;
    return true;
  }

  private StoreCursor inTree() {
    stretch = null;
    StoreCursor its = tree;
    if (its == null) {
      its = opener.get();
      tree = its;
    }
    return its;
  }

  @Override
  public boolean isValid() {
    return stretch != null || (tree != null && tree.isValid());
  }

  @Override
  public byte[] key() {
    return stretch != null ? stretch.key(row) : inTree().key();
  }

  @Override
  public byte[] value() {
    return stretch != null ? stretch.value(row) : inTree().value();
  }

  @Override
  public void close() {
    if (tree != null) {
      tree.close();
    }
  }
}
