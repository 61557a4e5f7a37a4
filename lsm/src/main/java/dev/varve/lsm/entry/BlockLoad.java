package dev.varve.lsm.entry;

import dev.varve.wal.FilePlace;

/**
 * A block on its way into memory, for who may not wait for a disk: he has a piece of a file read to
 * an address by whatever tells him when that is done, and then calls {@link #finish}, once. The
 * file stays open until then.
 *
 * <p>Used by one thread at a time; {@link #address} may be written to by anybody.
 */
public interface BlockLoad {

  FilePlace file();

  /** Where the piece begins in the file: a multiple of {@link FilePlace#ALIGNMENT}. */
  long offset();

  /** How long it is: a multiple of it too. The file may end within the last part. */
  int bytes();

  /** Where the bytes go: a multiple of it too. */
  long address();

  /** Names who is called, once, by any thread, when the file is not needed any more. */
  void whenUnneeded(Runnable listener);

  /**
   * Checks what was read, and takes it into memory. Costs processor time alone.
   *
   * @param bytesRead from {@link #offset} on, or negative after an error
   * @return false if the block is not in memory: it was not read, or is damaged, of which only a
   *     read that may block tells
   */
  boolean finish(int bytesRead);
}
