package dev.varve.server.engine;

import dev.varve.codec.store.StoreCursor;

/**
 * A walk of the writer over the tree without those rows that the group deletes, which the tree
 * still has: for a keyspace that the group puts nothing into. Who pops row after row walks on so,
 * and the group need not go to the tree before each step.
 *
 * <p>Keyspace loop only.
 */
final class GroupedCursor implements StoreCursor {
  private final WriterView view;
  private byte[] from;
  private byte[] end;
  private TreeViewCursor tree;

  /** What {@link WriterView#settled} was when it was opened. */
  private int settled;

  /**
   * At no row.
   *
   * @param from the bounds, between which {@link WriterView#mayLeaveGrouped} holds
   */
  GroupedCursor(WriterView view, byte[] from, byte[] end) {
    this.view = view;
    this.from = from;
    this.end = end;
    this.tree = view.openTree(from, end);
    this.settled = view.settled();
  }

  @Override
  public void within(byte[] first, byte[] behind) {
    if (!view.mayLeaveGrouped(first, behind)) {
      view.settle();
    }
    from = first;
    end = behind;
    tree().within(first, behind);
  }

  /** The walk over the tree, which is another since the group has gone there. */
  private TreeViewCursor tree() {
    if (settled != view.settled()) {
      TreeViewCursor before = tree;
      byte[] at = before.isValid() ? before.key() : null;
      tree = view.openTree(from, end);
      settled = view.settled();
      before.close();
      if (at != null) {
        tree.seek(at);
      }
    }
    return tree;
  }

  /** Goes on to a row that is not deleted. */
  private boolean skip(boolean found, boolean isForward) {
    boolean isFound = found;
    while (isFound && view.isDeleted(tree)) {
      isFound = isForward ? tree.next() : tree.previous();
    }
    return isFound;
  }

  @Override
  public boolean seek(byte[] wanted) {
    return skip(tree().seek(wanted), true);
  }

  @Override
  public boolean seekBefore(byte[] wanted) {
    return skip(tree().seekBefore(wanted), false);
  }

  @Override
  public boolean next() {
    return skip(tree().next(), true);
  }

  @Override
  public boolean previous() {
    return skip(tree().previous(), false);
  }

  @Override
  public boolean isValid() {
    return tree.isValid();
  }

  @Override
  public byte[] key() {
    return tree.key();
  }

  @Override
  public byte[] value() {
    return tree.value();
  }

  @Override
  public byte[] valueStart(int bytes) {
    return tree.valueStart(bytes);
  }

  @Override
  public int compareKey(byte[] other) {
    return tree.compareKey(other);
  }

  @Override
  public int valueLength() {
    return tree.valueLength();
  }

  @Override
  public void close() {
    tree.close();
  }
}
