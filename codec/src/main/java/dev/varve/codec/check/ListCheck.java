package dev.varve.codec.check;

import dev.varve.codec.DeadRange;
import dev.varve.codec.ListEnds;
import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.List;

/** The elements of a list, and what it has lost at its ends. */
final class ListCheck {
  private final CheckedKey its;
  private final List<DeadRange> dead;
  private long elements;
  private long bytes;

  private ListCheck(CheckedKey its) {
    this.its = its;
    this.dead = its.garbage == null ? List.of() : its.garbage.ranges(KeyFormat.LIST);
  }

  static void check(CheckedKey its) {
    ListCheck check = new ListCheck(its);
    its.require(
        its.garbage == null || its.meta.ends().living().equals(its.garbage.living()),
        () -> "its garbage record has other ends");
    its.walk(KeyFormat.LIST, check::element);
    its.requireCounted("elements", its.meta.count(), check.elements);
    its.requireCounted("bytes of elements", its.meta.bytes(), check.bytes);
  }

  private void element(byte[] stored, byte[] value) {
    ListEnds ends = its.meta.ends();
    long position = its.keys.positionOf(stored);
    boolean isInside = position >= ends.head() && position < ends.tail();
    if (!isInside) {
      its.require(
          ends.isWithinReach(position) || isDead(stored),
          () -> "what was popped at position " + position + " is not known as that");
      return;
    }
    elements++;
    bytes += value.length;
    its.require(
        !ends.gaps().has(position), () -> "an element at position " + position + ", in a gap");
    its.require(!isDead(stored), () -> "the element at position " + position + " is declared dead");
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
