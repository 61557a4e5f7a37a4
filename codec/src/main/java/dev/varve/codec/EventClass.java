package dev.varve.codec;

/** The classes of keyspace events that notify-keyspace-events chooses from. */
public enum EventClass {
  GENERIC('g'),
  STRING('$'),
  LIST('l'),
  SET('s'),
  HASH('h'),
  ZSET('z'),
  EXPIRED('x'),
  EVICTED('e'),
  STREAM('t'),
  NEW('n'),
  KEY_MISS('m'),
  /**
   * What changes a value and is never published: PFCOUNT, which notes what it has counted, and a
   * BITFIELD that makes room for integers that do not fit.
   */
  SILENT('\0');

  private final char flag;

  EventClass(char flag) {
    this.flag = flag;
  }

  /** Its letter in notify-keyspace-events. */
  public char flag() {
    return flag;
  }
}
