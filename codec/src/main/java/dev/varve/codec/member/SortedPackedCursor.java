package dev.varve.codec.member;

import dev.varve.codec.format.MemberHash;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import java.util.Arrays;

/** Walks over the members of a packed set in the order of their hashes. */
final class SortedPackedCursor extends SortedCursor {
  private final Slice[] members;
  private final int[] hashes;
  private int at = -1;

  SortedPackedCursor(PackedMembers packed) {
    int count = packed.size();
    // Hash and place in one number each, so that sorting moves nothing else.
    long[] order = new long[count];
    int place = packed.first();
    for (int i = 0; i < count; i++) {
      Slice member = packed.item(place, 0);
      long hash = MemberHash.of(member.array(), member.offset(), member.length());
      order[i] = (hash << Integer.SIZE | place) ^ Long.MIN_VALUE;
      place = packed.next(place);
    }
    Arrays.sort(order);
    members = new Slice[count];
    hashes = new int[count];
    for (int i = 0; i < count; i++) {
      members[i] = packed.item((int) order[i], 0);
      hashes[i] = (int) ((order[i] ^ Long.MIN_VALUE) >>> Integer.SIZE);
      sortAmongEqualHashes(i);
    }
  }

  private void sortAmongEqualHashes(int last) {
    for (int i = last; i > 0 && hashes[i - 1] == hashes[i]; i--) {
      if (compare(members[i - 1], members[i]) < 0) {
        return;
      }
      Slice before = members[i - 1];
      members[i - 1] = members[i];
      members[i] = before;
    }
  }

  private static int compare(Slice a, Slice b) {
    return Arrays.compareUnsigned(
        a.array(),
        a.offset(),
        a.offset() + a.length(),
        b.array(),
        b.offset(),
        b.offset() + b.length());
  }

  @Override
  public long count() {
    return members.length;
  }

  @Override
  public boolean next() {
    at++;
    return at < members.length;
  }

  @Override
  boolean advanceTo(SortedCursor target) {
    while (compareTo(target) < 0) {
      if (!next()) {
        return false;
      }
    }
    return true;
  }

  @Override
  int hash() {
    return hashes[at];
  }

  @Override
  public byte[] array() {
    return members[at].array();
  }

  @Override
  public int offset() {
    return members[at].offset();
  }

  @Override
  public int length() {
    return members[at].length();
  }

  @Override
  public void close() {}
}
