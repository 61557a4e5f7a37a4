package dev.varve.lsm.table;

import java.util.Arrays;
import java.util.Random;

/** Keys that are near each other in every way that a block treats differently. */
final class KeyShapes {
  private static final int[] AWKWARD = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};

  private final Random random;
  private final byte[] shared;

  KeyShapes(Random random) {
    this.random = random;
    this.shared = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(40)];
    random.nextBytes(shared);
  }

  byte[] next() {
    int from = random.nextInt(20) == 0 ? random.nextInt(shared.length + 1) : shared.length;
    byte[] key = Arrays.copyOf(shared, from + random.nextInt(random.nextInt(10) == 0 ? 30 : 4));
    for (int i = from; i < key.length; i++) {
      key[i] = (byte) (random.nextBoolean() ? AWKWARD[random.nextInt(6)] : random.nextInt(256));
    }
    if (random.nextInt(5) == 0) {
      Arrays.fill(key, Math.min(from, key.length), key.length, (byte) AWKWARD[random.nextInt(6)]);
    }
    return key;
  }
}
