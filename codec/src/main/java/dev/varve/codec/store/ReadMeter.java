package dev.varve.codec.store;

/**
 * Is told how much is read, before it is; who has read for too long is ended by what it throws.
 *
 * <p>On the thread that reads.
 */
@FunctionalInterface
public interface ReadMeter {
  /** For who may read as long as it likes. */
  ReadMeter NONE = () -> {};

  /**
   * One step more: about what it takes to look up a key that is in memory, or to go to another part
   * of a walk, some tenths of a microsecond to some microseconds.
   */
  void step();
}
