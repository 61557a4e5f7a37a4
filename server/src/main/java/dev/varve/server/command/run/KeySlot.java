package dev.varve.server.command.run;

/**
 * The slot of a key (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/):
 * CRC-16/XMODEM of the key, or of what it has between the first { and the next }, of which there
 * are 16384.
 *
 * <p>Pure functions.
 */
public final class KeySlot {
  public static final int COUNT = 16_384;

  private static final int POLYNOMIAL = 0x1021;
  private static final int TOP_BIT = 0x8000;
  private static final int[] TABLE = table();

  private KeySlot() {}

  private static int[] table() {
    int[] table = new int[1 << Byte.SIZE];
    for (int i = 0; i < table.length; i++) {
      int crc = i << Byte.SIZE;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & TOP_BIT) == 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
      }
      table[i] = crc & 0xffff;
    }
    return table;
  }

  /** The slot of this key, from 0 to 16383. */
  public static int of(byte[] key) {
    int open = indexOf(key, '{', 0);
    int close = open < 0 ? -1 : indexOf(key, '}', open + 1);
    boolean isTagged = close > open + 1;
    return isTagged ? crc(key, open + 1, close) % COUNT : crc(key, 0, key.length) % COUNT;
  }

  private static int indexOf(byte[] key, char wanted, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static int crc(byte[] bytes, int from, int to) {
    int crc = 0;
    for (int i = from; i < to; i++) {
      crc = ((crc << Byte.SIZE) & 0xffff) ^ TABLE[(crc >> Byte.SIZE) ^ (bytes[i] & 0xff)];
    }
    return crc;
  }
}
