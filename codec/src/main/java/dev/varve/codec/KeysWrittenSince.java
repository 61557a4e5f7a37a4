package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The keys that were written since some moment: what a worker has read of any other one in a view
 * of that moment or later is still so.
 *
 * <p>Belongs to the writer thread.
 */
public final class KeysWrittenSince {
  private static final byte[] FIRST_META = {KeyFormat.META};

  private final Set<ByteBuffer> metaKeys = new HashSet<>();

  /** Takes note of what was written. */
  public void note(StoreBatch batch) {
    Map.Entry<byte[], byte[]> write = batch.ceiling(FIRST_META);
    while (write != null && write.getKey()[0] == KeyFormat.META) {
      metaKeys.add(ByteBuffer.wrap(write.getKey()));
      write = batch.higher(write.getKey());
    }
  }

  /** Takes note of one key. */
  void note(byte[] metaKey) {
    metaKeys.add(ByteBuffer.wrap(metaKey));
  }

  boolean contains(byte[] metaKey) {
    return !metaKeys.isEmpty() && metaKeys.contains(ByteBuffer.wrap(metaKey));
  }
}
