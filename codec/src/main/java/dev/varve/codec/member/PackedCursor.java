package dev.varve.codec.member;

import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;

/** Walks over the members of a packed collection in the order in which it keeps them. */
public final class PackedCursor extends MemberCursor {
  private static final Slice NONE = Slice.of(new byte[0]);

  private final PackedMembers members;
  private final boolean hasValues;
  private final int count;
  private int left;
  private int place;
  private int nextPlace;
  private Slice member = NONE;

  public PackedCursor(ValueType type, PackedMembers members) {
    this(type, members, members.first(), members.size());
  }

  /** Walks over {@code count} members from the one at {@code place} on. */
  public PackedCursor(ValueType type, PackedMembers members, int place, int count) {
    this.members = members;
    this.hasValues = type == ValueType.HASH;
    this.count = count;
    this.left = count;
    this.place = place;
    this.nextPlace = place;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public boolean next() {
    if (left == 0) {
      return false;
    }
    left--;
    place = nextPlace;
    nextPlace = members.next(place);
    member = members.item(place, 0);
    return true;
  }

  @Override
  public byte[] array() {
    return member.array();
  }

  @Override
  public int offset() {
    return member.offset();
  }

  @Override
  public int length() {
    return member.length();
  }

  @Override
  public Slice value() {
    return hasValues ? members.item(place, 1) : super.value();
  }

  @Override
  public void close() {}
}
