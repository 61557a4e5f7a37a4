package dev.varve.codec.store;

/**
 * Is told how much is read and written, before it is; who has for too long is ended by what it
 * throws.
 *
 * <p>On the thread that reads and writes.
 */
@FunctionalInterface
public interface StepMeter {
  /** For who may take as long as it likes. */
  StepMeter NONE = () -> {};

  /**
   * One step more: about what it takes to look up a key that is in memory, to go to another part of
   * a walk, or to write one of many entries, some tenths of a microsecond to some microseconds.
   */
  void step();
}
