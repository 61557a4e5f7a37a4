package dev.varve.perf.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A key-value engine that is being measured. Used by one thread. */
public interface EngineUnderTest extends Closeable {

  /** A walk over the keys. */
  interface Walk extends AutoCloseable {
    boolean seekToFirst();

    boolean seekToLast();

    /** Goes to the first key not before {@code key}. */
    boolean seek(byte[] key);

    boolean next();

    boolean previous();

    /** Touches key and value, as a program would; returns their bytes. */
    int touch();

    @Override
    void close();
  }

  /** Its name in tables. */
  String name();

  /** The settings that matter, in one line. */
  String settings();

  /** Writes one pair: logged, not synced. */
  void put(byte[] key, byte[] value) throws IOException;

  byte @Nullable [] get(byte[] key) throws IOException;

  Walk walk() throws IOException;

  /** Waits until flushes and compactions that are due have run. */
  void settle() throws IOException;

  /** Bytes of all files it has on disk. */
  long diskBytes() throws IOException;

  /** Off-heap bytes by part, as far as it says. */
  Map<String, Long> offHeapBytes();
}
