package dev.varve.codec.check;

import dev.varve.codec.DeadRange;
import dev.varve.codec.ListEnds;
import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.List;

/** The elements of a list, and what it has lost at its ends. */
final class ListCheck {
  private final CheckedKey checkedKey;
  private final List<DeadRange> dead;
  private long elements;
  private long bytes;

  private ListCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
    this.dead = checkedKey.garbage == null ? List.of() : checkedKey.garbage.ranges(KeyFormat.LIST);
  }

  static void check(CheckedKey checkedKey) {
    ListCheck check = new ListCheck(checkedKey);
    checkedKey.require(
        checkedKey.garbage == null
            || checkedKey.meta.ends().living().equals(checkedKey.garbage.living()),
        () -> "its garbage record has other ends");
    checkedKey.walk(KeyFormat.LIST, check::element);
    checkedKey.requireCounted("elements", checkedKey.meta.count(), check.elements);
    checkedKey.requireCounted("bytes of elements", checkedKey.meta.bytes(), check.bytes);
  }

  private void element(byte[] stored, byte[] value) {
    ListEnds ends = checkedKey.meta.ends();
    long position = checkedKey.keys.positionOf(stored);
    boolean isInside = position >= ends.head() && position < ends.tail();
    if (!isInside) {
      checkedKey.require(
          ends.isWithinReach(position) || isDead(stored),
          () -> "what was popped at position " + position + " is not known as that");
      return;
    }
    elements++;
    bytes += value.length;
    checkedKey.require(
        !ends.gaps().has(position), () -> "an element at position " + position + ", in a gap");
    checkedKey.require(
        !isDead(stored), () -> "the element at position " + position + " is declared dead");
  }

  private boolean isDead(byte[] stored) {
    for (DeadRange range : dead) {
      if (Arrays.compareUnsigned(range.start(), stored) <= 0
          && Arrays.compareUnsigned(stored, range.end()) < 0) {
        return true;
      }
    }
    return false;
  }
}
