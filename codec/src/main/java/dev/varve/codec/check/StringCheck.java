package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;

/** The fragments of a long string. */
final class StringCheck {
  private final CheckedKey its;
  private long fragments;
  private long bytes;

  private StringCheck(CheckedKey its) {
    this.its = its;
  }

  static void check(CheckedKey its) {
    StringCheck check = new StringCheck(its);
    its.walk(KeyFormat.LIST, check::fragment);
    its.requireCounted("fragments", its.meta.count(), check.fragments);
    its.requireCounted("bytes of fragments", its.meta.bytes(), check.bytes);
  }

  private void fragment(byte[] stored, byte[] value) {
    fragments++;
    bytes += value.length;
    long index = its.keys.positionOf(stored);
    int fragmentBytes = its.meta.fragmentBytes;
    boolean isWithin =
        index >= 0
            && value.length <= fragmentBytes
            && index <= Integer.MAX_VALUE / fragmentBytes
            && index * fragmentBytes + value.length <= its.meta.length;
    its.require(
        isWithin,
        () -> "fragment " + index + " of " + value.length + " bytes is not within the string");
    its.require(
        value.length > 0 && value[value.length - 1] != 0,
        () -> "fragment " + index + " ends with a zero, or is nothing");
  }
}
