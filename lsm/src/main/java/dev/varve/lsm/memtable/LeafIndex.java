package dev.varve.lsm.memtable;

import org.jspecify.annotations.Nullable;

/**
 * Finds the leaf in which a (key, sequence) stands. One writer; any number of readers, who may meet
 * an older state: then the leaf they find is one that comes before.
 */
final class LeafIndex {
  // 64 children a node, half of them used: enough for more leaves than references can name.
  private static final int HEIGHT_MAX = 8;

  private final EntryArena arena;
  private final int firstLeaf;
  private volatile @Nullable IndexNode root;

  /** The writer's latest way down, from the root. */
  private final IndexNode[] path = new IndexNode[HEIGHT_MAX];

  private final int[] pathChildren = new int[HEIGHT_MAX];
  private int pathLength;

  LeafIndex(EntryArena arena, int firstLeaf) {
    this.arena = arena;
    this.firstLeaf = firstLeaf;
  }

  int firstLeaf() {
    return firstLeaf;
  }

  /** The last leaf, or one before it. */
  int lastLeaf() {
    IndexNode node = root;
    if (node == null) {
      return firstLeaf;
    }
    while (!node.isAboveLeaves()) {
      node = node.node(node.children() - 1);
    }
    return node.leaf(node.children() - 1);
  }

  /** The leaf of (key, sequence), or one before it. */
  int find(byte[] key, int offset, int length, long sequence) {
    IndexNode node = root;
    if (node == null) {
      return firstLeaf;
    }
    while (true) {
      int child = node.find(arena, key, offset, length, sequence);
      if (node.isAboveLeaves()) {
        return node.leaf(child);
      }
      node = node.node(child);
    }
  }

  /** The leaf of (key, sequence); remembers the way for {@link #addLeaf}. Writer. */
  int findForWriter(byte[] key, int offset, int length, long sequence) {
    pathLength = 0;
    IndexNode node = root;
    if (node == null) {
      return firstLeaf;
    }
    while (true) {
      int child = node.find(arena, key, offset, length, sequence);
      path[pathLength] = node;
      pathChildren[pathLength++] = child;
      if (node.isAboveLeaves()) {
        return node.leaf(child);
      }
      node = node.node(child);
    }
  }

  /**
   * The entry at which the part of the order ends that belongs to the leaf which the latest {@link
   * #findForWriter} returned, 0 if it has no end. Writer, before the next {@link #addLeaf}.
   */
  int upperOfLatest() {
    for (int level = pathLength - 1; level >= 0; level--) {
      int child = pathChildren[level];
      if (child + 1 < path[level].children()) {
        return path[level].separator(child);
      }
    }
    return 0;
  }

  /**
   * Adds a leaf, whose first entry is {@code separator}, after the one that the latest {@link
   * #findForWriter} returned. Writer.
   */
  void addLeaf(int separator, int leaf) {
    int level = pathLength - 1;
    if (level < 0) {
      root = IndexNode.ofLeaves(arena, new int[] {separator}, new int[] {firstLeaf, leaf});
      return;
    }
    IndexNode grown = path[level].plusLeaf(arena, pathChildren[level], separator, leaf);
    while (grown.children() > IndexNode.CHILDREN_MAX) {
      int middle = grown.middleSeparator();
      IndexNode left = grown.lowerHalf(arena);
      IndexNode right = grown.upperHalf(arena);
      level--;
      if (level < 0) {
        root = IndexNode.ofNodes(arena, new int[] {middle}, new IndexNode[] {left, right});
        return;
      }
      grown = path[level].plusNode(arena, pathChildren[level], left, middle, right);
    }
    if (level == 0) {
      root = grown;
    } else {
      path[level - 1].replaceNode(pathChildren[level - 1], grown);
    }
  }
}
