package dev.varve.codec.check;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberHash;

/** The members of a set. */
final class SetCheck {
  private final CheckedKey its;
  private long members;
  private long bytes;

  private SetCheck(CheckedKey its) {
    this.its = its;
  }

  static void check(CheckedKey its) {
    SetCheck check = new SetCheck(its);
    its.walk(KeyFormat.MEMBER, check::member);
    its.requireCounted("members", its.meta.count(), check.members);
    its.requireCounted("bytes of members", its.meta.bytes(), check.bytes);
  }

  private void member(byte[] stored, byte[] value) {
    byte[] member = hashed(its, stored);
    members++;
    bytes += member.length;
    its.require(value.length == 0, () -> "member " + Names.quoted(member) + " has a value");
    its.require(
        !its.meta.isIntegers() || IntegerText.isInteger(member),
        () -> "member " + Names.quoted(member) + " of a set of integers");
  }

  /** The member in a stored key, which must be filed under its hash. */
  static byte[] hashed(CheckedKey its, byte[] stored) {
    CollectionKeys keys = its.keys;
    byte[] member = keys.memberOf(stored);
    its.require(
        keys.hashOf(stored) == MemberHash.of(member, 0, member.length),
        () -> "member " + Names.quoted(member) + " is filed under another hash");
    return member;
  }
}
