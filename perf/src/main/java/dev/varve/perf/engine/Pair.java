package dev.varve.perf.engine;

import java.nio.ByteBuffer;

/** Where a walk copies the pair it stands at. For one thread. */
final class Pair {
  private static final int VALUE_BYTES_MAX = 1 << 20;

  final byte[] key = new byte[1024];
  final byte[] value = new byte[VALUE_BYTES_MAX];

  /** Copies a pair out of two buffers. */
  int copy(ByteBuffer keyBuffer, ByteBuffer valueBuffer) {
    int keyLength = keyBuffer.remaining();
    int valueLength = valueBuffer.remaining();
    keyBuffer.get(keyBuffer.position(), key, 0, keyLength);
    valueBuffer.get(valueBuffer.position(), value, 0, valueLength);
    return keyLength + valueLength;
  }
}
