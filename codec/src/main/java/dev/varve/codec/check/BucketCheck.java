package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.RankFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The counted buckets of a sorted set, beside its members in their order. */
final class BucketCheck {

  /** What a bucket says of itself, and what was found of it. */
  private static final class Bucket {
    final byte[] first;
    final long entries;
    final long children;
    long found;

    Bucket(byte[] first, long entries, long children) {
      this.first = first;
      this.entries = entries;
      this.children = children;
    }
  }

  private final CheckedKey checkedKey;
  private final List<List<Bucket>> levels = new ArrayList<>();

  /** Which bucket of level 0 the last place was in. */
  private int at;

  private BucketCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
  }

  static BucketCheck read(CheckedKey checkedKey) {
    BucketCheck check = new BucketCheck(checkedKey);
    checkedKey.walk(KeyFormat.RANK, check::bucket);
    checkedKey.requireCounted(
        "levels of buckets", checkedKey.meta.rankLevels(), check.levels.size());
    return check;
  }

  private void bucket(byte[] stored, byte[] value) {
    int level = checkedKey.keys.rankLevelOf(stored);
    if (level == levels.size()) {
      checkedKey.require(
          checkedKey.keys.isFirstRank(stored),
          () -> "level " + level + " of buckets has no beginning");
      levels.add(new ArrayList<>());
    }
    if (level != levels.size() - 1) {
      checkedKey.wrong("a bucket of level " + level + " behind level " + (levels.size() - 1));
      return;
    }
    levels
        .get(level)
        .add(
            new Bucket(
                checkedKey.keys.rankFirstOf(stored),
                RankFormat.entries(value),
                RankFormat.children(level, value)));
  }

  /** Takes in the place of a member, behind all that came before. */
  void count(byte[] place) {
    if (levels.isEmpty()) {
      return;
    }
    List<Bucket> leaves = levels.get(0);
    while (at + 1 < leaves.size() && Arrays.compareUnsigned(leaves.get(at + 1).first, place) <= 0) {
      at++;
    }
    leaves.get(at).found++;
  }

  /** All members have been counted. */
  void finish() {
    for (int level = 0; level < levels.size(); level++) {
      for (Bucket bucket : levels.get(level)) {
        if (bucket.entries != bucket.found) {
          checkedKey.wrong(
              "a bucket of level "
                  + level
                  + " counts "
                  + bucket.entries
                  + " members where there are "
                  + bucket.found);
        }
      }
      if (level > 0) {
        checkNesting(level);
      }
      if (level + 1 < levels.size()) {
        add(levels.get(level), levels.get(level + 1));
      }
    }
  }

  private static void add(List<Bucket> children, List<Bucket> parents) {
    int parent = 0;
    for (Bucket child : children) {
      while (parent + 1 < parents.size()
          && Arrays.compareUnsigned(parents.get(parent + 1).first, child.first) <= 0) {
        parent++;
      }
      parents.get(parent).found += child.found;
    }
  }

  /** Whether each bucket begins where one of the level below does, and has as many as it says. */
  private void checkNesting(int level) {
    List<Bucket> children = levels.get(level - 1);
    int child = 0;
    for (Bucket parent : levels.get(level)) {
      boolean isStart =
          child < children.size() && Arrays.equals(children.get(child).first, parent.first);
      if (!isStart) {
        checkedKey.wrong("a bucket of level " + level + " begins in the midst of one below");
        return;
      }
      child = (int) Math.min(children.size(), child + parent.children);
    }
    boolean areAllTaken = child == children.size();
    checkedKey.require(areAllTaken, () -> "buckets of level " + (level - 1) + " that no other has");
  }
}
