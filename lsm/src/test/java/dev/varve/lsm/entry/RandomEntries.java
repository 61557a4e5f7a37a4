package dev.varve.lsm.entry;

import java.util.Arrays;
import java.util.Random;

/** Keys and values that are likely to trip over order, prefixes and lengths. */
public final class RandomEntries {
  private static final byte[] BYTES = {0, 1, 'a', 'b', 0x7f, (byte) 0x80, (byte) 0xff};

  private final Random random;
  private final byte[][] starts = new byte[4][];

  public RandomEntries(Random random) {
    this.random = random;
    int[] lengths = {0, 7, 24, 200};
    for (int i = 0; i < starts.length; i++) {
      starts[i] = new byte[lengths[i]];
      for (int j = 0; j < lengths[i]; j++) {
        starts[i][j] = anyByte();
      }
    }
  }

  /** Empty keys, keys that start alike, prefixes of one another, with 0x00 and 0xff. */
  public byte[] key() {
    byte[] start = starts[random.nextInt(starts.length)];
    int kept = random.nextInt(8) == 0 ? random.nextInt(start.length + 1) : start.length;
    int more = random.nextInt(random.nextInt(20) == 0 ? 30 : 5);
    byte[] key = Arrays.copyOf(start, kept + more);
    for (int i = kept; i < key.length; i++) {
      key[i] = anyByte();
    }
    return key;
  }

  /** Mostly short values, some empty, few of some kilobytes. */
  public byte[] value() {
    int length =
        switch (random.nextInt(40)) {
          case 0 -> random.nextInt(5000);
          case 1, 2, 3 -> 0;
          default -> random.nextInt(40);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  private byte anyByte() {
    return BYTES[random.nextInt(BYTES.length)];
  }
}
