package dev.varve.codec.check;

import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of a collection that lie in its meta value. */
final class PackedCheck {
  private PackedCheck() {}

  /** What is wrong with them, or null if nothing is. */
  static @Nullable String check(ValueType type, PackedMembers members) {
    members.check();
    if (members.size() == 0) {
      return "a collection without members";
    }
    if (type == ValueType.LIST) {
      return null;
    }
    Set<Slice> names = new HashSet<>();
    byte[] before = {};
    for (int place : members.places()) {
      if (!names.add(members.item(place, 0))) {
        return "member " + Names.quoted(members.itemBytes(place, 0)) + " is there twice";
      }
      if (type == ValueType.ZSET) {
        byte[] score = members.itemBytes(place, 1);
        if (score.length != Double.BYTES) {
          return "a score of " + score.length + " bytes";
        }
        OrderedNumbers.getDouble(score, 0);
        byte[] its = placeOf(score, members.itemBytes(place, 0));
        if (Arrays.compareUnsigned(before, its) >= 0) {
          return "members that are not in their order";
        }
        before = its;
      }
    }
    return null;
  }

  private static byte[] placeOf(byte[] score, byte[] member) {
    byte[] place = Arrays.copyOf(score, score.length + member.length);
    System.arraycopy(member, 0, place, score.length, member.length);
    return place;
  }
}
