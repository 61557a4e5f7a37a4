package dev.varve.codec.list;

import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.member.MemberCursor;

/** Walks over the elements of a packed list from the last one on. */
final class ReversedPackedCursor extends MemberCursor {
  private static final Slice NONE = Slice.of(new byte[0]);

  private final PackedMembers members;
  private final int[] places;
  private int left;
  private Slice element = NONE;

  ReversedPackedCursor(PackedMembers members) {
    this.members = members;
    this.places = members.places();
    this.left = places.length;
  }

  @Override
  public long count() {
    return places.length;
  }

  @Override
  public boolean next() {
    if (left == 0) {
      return false;
    }
    element = members.item(places[--left], 0);
    return true;
  }

  @Override
  public byte[] array() {
    return element.array();
  }

  @Override
  public int offset() {
    return element.offset();
  }

  @Override
  public int length() {
    return element.length();
  }

  @Override
  public void close() {}
}
