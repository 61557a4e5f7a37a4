package dev.varve.lsm.table;

/**
 * How a table is written; any reader reads any of them. Immutable.
 *
 * @param blockBytes about how many raw bytes make a block, {@link #BLOCK_BYTES_MIN} to {@link
 *     #BLOCK_BYTES_MAX}
 * @param bloomBitsPerKey size of the filter; 10 lets about one absent key in a hundred through
 * @param compress whether blocks are compressed by LZ4, where that saves an eighth
 */
public record TableOptions(int blockBytes, int bloomBitsPerKey, boolean compress) {
  public static final int BLOCK_BYTES_MIN = 64;
  public static final int BLOCK_BYTES_MAX = 16 << 20;
  public static final int BLOOM_BITS_PER_KEY_MAX = 64;

  /** 16 KiB blocks, 10 bits per key, LZ4. */
  public static final TableOptions DEFAULT = new TableOptions(16 << 10, 10, true);

  public TableOptions {
    if (blockBytes < BLOCK_BYTES_MIN || blockBytes > BLOCK_BYTES_MAX) {
      throw new IllegalArgumentException("block size " + blockBytes + " is out of range");
    }
    if (bloomBitsPerKey < 1 || bloomBitsPerKey > BLOOM_BITS_PER_KEY_MAX) {
      throw new IllegalArgumentException("bloom bits per key " + bloomBitsPerKey + " out of range");
    }
  }

  public TableOptions withBlockBytes(int bytes) {
    return new TableOptions(bytes, bloomBitsPerKey, compress);
  }

  public TableOptions withCompress(boolean on) {
    return new TableOptions(blockBytes, bloomBitsPerKey, on);
  }
}
