package dev.varve.perf.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key-value engine that is being measured. One thread writes; {@link #get} may be called by one
 * more meanwhile. It keeps no array that it is given.
 */
interface EngineUnderTest extends Closeable {

  /** A walk over the keys, for one thread. */
  interface Walk extends AutoCloseable {
    boolean seekToFirst();

    boolean seekToLast();

    /** Goes to the first key not before {@code key}. */
    boolean seek(byte[] key);

    boolean next();

    boolean previous();

    /** Copies key and value, as a program would, and returns their bytes together. */
    int read(Pair into);

    @Override
    void close();
  }

  /** Its name in tables. */
  String name();

  /** The settings that matter, in one line. */
  String settings();

  /** Writes one pair: it survives a kill of the process, but is not synced. */
  void put(byte[] key, byte[] value) throws IOException;

  /** Writes one pair and waits until it survives power loss. */
  void putSynced(byte[] key, byte[] value) throws IOException;

  void delete(byte[] key) throws IOException;

  /**
   * Deletes all keys of {@code [from, toExclusive)} in the quickest way the engine has; none of
   * them will be written again.
   */
  void deleteRange(byte[] from, byte[] toExclusive) throws IOException;

  byte @Nullable [] get(byte[] key) throws IOException;

  Walk walk() throws IOException;

  /** Called now and then by the thread that writes, while it has nothing to write. */
  default void idle() throws IOException {}

  /** Waits until flushes and compactions that are due have run. */
  void settle() throws IOException;

  /** Rewrites everything, so that nothing is on disk that need not be; false if it cannot. */
  boolean compactFully() throws IOException;

  /**
   * Whether {@link #close} leaves what is in memtables to be read from a log by the next opening.
   */
  boolean recoversFromLog();

  /** Bytes of all files it has on disk. */
  long diskBytes() throws IOException;

  /** Off-heap bytes by part, as far as it says. */
  Map<String, Long> offHeapBytes();
}
