package dev.varve.server.engine;

/**
 * Is told when a read that may wait does so for the reads of others: what its thread has, and they
 * may need, it gives back for so long.
 *
 * <p>On the thread that reads.
 */
public interface ReadPause {
  /** For who has nothing. */
  ReadPause NONE =
      new ReadPause() {
        @Override
        public void begin() {}

        @Override
        public void end() {}
      };

  void begin();

  /** It has what it waited for. */
  void end();
}
