package dev.varve.lsm.table;

/**
 * What a pass reads: bytes of files, and how much of it was in memory already. Its cursors tell it.
 * For one thread.
 */
public final class PassReads {
  private long bytes;
  private int entered;
  private int loaded;
  private boolean warm;

  /** A pass has entered a block. */
  void entered() {
    entered++;
  }

  /** The block it enters was not in memory. */
  void loaded() {
    loaded++;
  }

  /** So many bytes were read from a file. */
  public void read(long fileBytes) {
    bytes += fileBytes;
  }

  /** Bytes read from files so far. */
  public long bytes() {
    return bytes;
  }

  /**
   * Whether at least half of the blocks that were entered since the last call were in memory: then
   * readers use what lies here. As the last time if none was entered.
   */
  boolean takeWarmth() {
    if (entered > 0) {
      warm = 2 * loaded <= entered;
      entered = 0;
      loaded = 0;
    }
    return warm;
  }
}
