package dev.varve.compaction;

import java.nio.ByteBuffer;

/** Keys and values of tests. */
final class Keys {
  private Keys() {}

  /** The key of a member of a collection: what dies with it is one range. */
  static byte[] member(int collection, int member) {
    return ByteBuffer.allocate(8).putInt(collection).putInt(member).array();
  }

  /** The first key of a collection. */
  static byte[] collection(int collection) {
    return ByteBuffer.allocate(4).putInt(collection).array();
  }

  static byte[] value(long seed, int length) {
    return ByteBuffer.allocate(Math.max(8, length)).putLong(seed).array();
  }
}
