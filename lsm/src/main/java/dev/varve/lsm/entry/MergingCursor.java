package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One walk over the entries of several cursors, in entry order. For one thread, like the cursors it
 * merges.
 */
public final class MergingCursor implements EntryCursor {

  /*
   * The child that holds the current entry stands apart; the others wait in a binary heap, the
   * nearest first. A step moves the current child and compares it with the heap's top: as long as
   * one child holds a run of neighbours (the lowest level usually does) a step costs one compare,
   * however many children there are. Children without a further entry in the direction of the walk
   * stand behind the heap's end.
   *
   * Going forward every other child is at its first entry after the current one, going backward at
   * its last one before. Turning round moves each of them across the current entry, by steps rather
   * than by seeks: it stands next to it. More than one step is needed only where a writer has added
   * entries in between.
   */
  private final KeyComparator order;
  private final EntryCursor[] children;
  private final EntryCursor[] heap;
  private int heapSize;
  private EntryCursor current;
  private boolean valid;
  private boolean forward = true;

  private MergingCursor(KeyComparator order, EntryCursor[] children) {
    this.order = order;
    this.children = children;
    this.heap = new EntryCursor[children.length];
    this.current = children[0];
  }

  /**
   * Merges {@code children}, which must not share an entry. They belong to the returned cursor from
   * now on and are closed with it. A single child is returned as it is.
   */
  public static EntryCursor of(KeyComparator order, List<? extends EntryCursor> children) {
    return switch (children.size()) {
      case 0 -> EmptyCursor.INSTANCE;
      case 1 -> children.get(0);
      default -> new MergingCursor(order, children.toArray(new EntryCursor[0]));
    };
  }

  @Override
  public boolean seekToFirst() {
    begin(true);
    for (EntryCursor child : children) {
      if (child.seekToFirst()) {
        push(child);
      }
    }
    return takeNearest();
  }

  @Override
  public boolean seekToLast() {
    begin(false);
    for (EntryCursor child : children) {
      if (child.seekToLast()) {
        push(child);
      }
    }
    return takeNearest();
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    begin(true);
    for (EntryCursor child : children) {
      if (child.seek(key, offset, length, sequence)) {
        push(child);
      }
    }
    return takeNearest();
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    begin(false);
    for (EntryCursor child : children) {
      if (child.seekBefore(key, offset, length, sequence)) {
        push(child);
      }
    }
    return takeNearest();
  }

  @Override
  public boolean next() {
    requireValid();
    // Not valid while a child moves: it may throw, and the position is undefined then.
    valid = false;
    if (!forward) {
      turnForward();
    }
    return settle(current.next());
  }

  @Override
  public boolean previous() {
    requireValid();
    valid = false;
    if (forward) {
      turnBackward();
    }
    return settle(current.previous());
  }

  private void requireValid() {
    if (!valid) {
      throw new IllegalStateException("the cursor is not at an entry");
    }
  }

  private void begin(boolean goingForward) {
    valid = false;
    forward = goingForward;
    heapSize = 0;
  }

  private void turnForward() {
    forward = true;
    heapSize = 0;
    for (EntryCursor child : children) {
      if (child != current) {
        boolean at = child.isValid() ? child.next() : child.seekToFirst();
        while (at && compareEntries(child, current) < 0) {
          at = child.next();
        }
        if (at) {
          push(child);
        }
      }
    }
  }

  private void turnBackward() {
    forward = false;
    heapSize = 0;
    for (EntryCursor child : children) {
      if (child != current) {
        boolean at = child.isValid() ? child.previous() : child.seekToLast();
        while (at && compareEntries(child, current) > 0) {
          at = child.previous();
        }
        if (at) {
          push(child);
        }
      }
    }
  }

  /** The current child has moved; makes the nearest of all children the current one. */
  private boolean settle(boolean currentAtEntry) {
    if (!currentAtEntry) {
      return takeNearest();
    }
    if (heapSize > 0 && isNearer(heap[0], current)) {
      EntryCursor nearest = heap[0];
      siftDown(current);
      current = nearest;
    }
    valid = true;
    return true;
  }

  private boolean takeNearest() {
    if (heapSize == 0) {
      return false;
    }
    current = heap[0];
    heapSize--;
    if (heapSize > 0) {
      siftDown(heap[heapSize]);
    }
    valid = true;
    return true;
  }

  private void push(EntryCursor child) {
    int at = heapSize++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (!isNearer(child, heap[parent])) {
        break;
      }
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = child;
  }

  /** Puts {@code child} in the place of the heap's top and restores the heap's order. */
  private void siftDown(EntryCursor child) {
    int at = 0;
    while (true) {
      int below = 2 * at + 1;
      if (below >= heapSize) {
        break;
      }
      if (below + 1 < heapSize && isNearer(heap[below + 1], heap[below])) {
        below++;
      }
      if (!isNearer(heap[below], child)) {
        break;
      }
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = child;
  }

  /** Whether {@code a} comes before {@code b} in the direction of the walk. */
  private boolean isNearer(EntryCursor a, EntryCursor b) {
    int byOrder = compareEntries(a, b);
    return forward ? byOrder < 0 : byOrder > 0;
  }

  private int compareEntries(EntryCursor one, EntryCursor other) {
    EntryCursor a = one.source();
    EntryCursor b = other.source();
    int byKey = order.compare(a.keyBuffer(), 0, a.keyLength(), b.keyBuffer(), 0, b.keyLength());
    return byKey != 0 ? byKey : Long.compare(b.sequence(), a.sequence());
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public EntryCursor source() {
    return current.source();
  }

  @Override
  public byte[] keyBuffer() {
    return current.keyBuffer();
  }

  @Override
  public int keyLength() {
    return current.keyLength();
  }

  @Override
  public long sequence() {
    return current.sequence();
  }

  @Override
  public boolean isTombstone() {
    return current.isTombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    return current.valueBuffer();
  }

  @Override
  public int valueOffset() {
    return current.valueOffset();
  }

  @Override
  public int valueLength() {
    return current.valueLength();
  }

  @Override
  public void close() {
    valid = false;
    for (EntryCursor child : children) {
      child.close();
    }
  }
}
