package dev.varve.codec.check;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberHash;

/** The members of a set. */
final class SetCheck {
  private final CheckedKey checkedKey;
  private long members;
  private long bytes;

  private SetCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
  }

  static void check(CheckedKey checkedKey) {
    SetCheck check = new SetCheck(checkedKey);
    checkedKey.walk(KeyFormat.MEMBER, check::member);
    checkedKey.requireCounted("members", checkedKey.meta.count(), check.members);
    checkedKey.requireCounted("bytes of members", checkedKey.meta.bytes(), check.bytes);
  }

  private void member(byte[] stored, byte[] value) {
    byte[] member = hashed(checkedKey, stored);
    members++;
    bytes += member.length;
    checkedKey.require(value.length == 0, () -> "member " + Names.quoted(member) + " has a value");
    checkedKey.require(
        !checkedKey.meta.isIntegers() || IntegerText.isInteger(member),
        () -> "member " + Names.quoted(member) + " of a set of integers");
  }

  /** The member in a stored key, which must be filed under its hash. */
  static byte[] hashed(CheckedKey checkedKey, byte[] stored) {
    CollectionKeys keys = checkedKey.keys;
    byte[] member = keys.memberOf(stored);
    checkedKey.require(
        keys.hashOf(stored) == MemberHash.of(member, 0, member.length),
        () -> "member " + Names.quoted(member) + " is filed under another hash");
    return member;
  }
}
