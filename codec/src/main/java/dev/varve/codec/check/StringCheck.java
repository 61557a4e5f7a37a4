package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;

/** The fragments of a long string. */
final class StringCheck {
  private final CheckedKey checkedKey;
  private long fragments;
  private long bytes;

  private StringCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
  }

  static void check(CheckedKey checkedKey) {
    StringCheck check = new StringCheck(checkedKey);
    checkedKey.walk(KeyFormat.LIST, check::fragment);
    checkedKey.requireCounted("fragments", checkedKey.meta.count(), check.fragments);
    checkedKey.requireCounted("bytes of fragments", checkedKey.meta.bytes(), check.bytes);
  }

  private void fragment(byte[] stored, byte[] value) {
    fragments++;
    bytes += value.length;
    long index = checkedKey.keys.positionOf(stored);
    int fragmentBytes = checkedKey.meta.fragmentBytes;
    boolean isWithin =
        index >= 0
            && value.length <= fragmentBytes
            && index <= Integer.MAX_VALUE / fragmentBytes
            && index * fragmentBytes + value.length <= checkedKey.meta.length;
    checkedKey.require(
        isWithin,
        () -> "fragment " + index + " of " + value.length + " bytes is not within the string");
    checkedKey.require(
        value.length > 0 && value[value.length - 1] != 0,
        () -> "fragment " + index + " ends with a zero, or is nothing");
  }
}
