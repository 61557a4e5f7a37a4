package dev.varve.server.script;

import dev.varve.codec.DataException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that clients may call by their digest. It is empty after a restart, as Redis's is.
 *
 * <p>It is bounded: who puts values into the text of a script makes another one each time. When it
 * is full, scripts that were only run and never loaded are forgotten, the oldest first, as later
 * releases of Redis do it.
 *
 * <p>Any thread.
 */
public final class ScriptCache {
  static final DataException FULL =
      new DataException("ERR the scripts that are loaded take more than a sixteenth of the heap");

  private static final int HEAP_PART = 16;

  /** What is kept of a script besides its text. */
  private static final int SCRIPT_HEAP_BYTES = 256;

  private final long bytesMax;
  private final Map<String, byte[]> sources = new ConcurrentHashMap<>();
  private final AtomicInteger generation = new AtomicInteger();

  // Guarded by this.
  private final Queue<String> evaluated = new ArrayDeque<>();
  private final Set<String> loaded = new HashSet<>();
  private final List<Object> kept = new ArrayList<>();
  private long bytes;

  public ScriptCache(long heapBytesMax) {
    this.bytesMax = heapBytesMax / HEAP_PART;
  }

  /** Grows when all scripts were forgotten. */
  public int generation() {
    return generation.get();
  }

  /**
   * @param digest in lower case
   */
  public byte @Nullable [] source(String digest) {
    return sources.get(digest);
  }

  public int count() {
    return sources.size();
  }

  /** Keeps a script that is run; it may be forgotten. */
  public void addEvaluated(String digest, byte[] source) {
    if (sources.containsKey(digest)) {
      return;
    }
    synchronized (this) {
      if (sources.putIfAbsent(digest, source) == null) {
        bytes += heapBytes(source);
        evaluated.add(digest);
        makeRoom();
      }
    }
  }

  /**
   * Keeps a script until {@link #clear}.
   *
   * @throws DataException when those that were loaded leave no room for it
   */
  public synchronized void addLoaded(String digest, byte[] source) {
    boolean isNew = sources.putIfAbsent(digest, source) == null;
    loaded.add(digest);
    if (isNew) {
      bytes += heapBytes(source);
      makeRoom();
      if (bytes > bytesMax) {
        loaded.remove(digest);
        forget(digest);
        throw FULL;
      }
    }
  }

  private void makeRoom() {
    while (bytes > bytesMax && !evaluated.isEmpty()) {
      String oldest = evaluated.remove();
      if (!loaded.contains(oldest)) {
        forget(oldest);
      }
    }
  }

  private void forget(String digest) {
    byte[] source = sources.remove(digest);
    if (source != null) {
      bytes -= heapBytes(source);
    }
  }

  private static long heapBytes(byte[] source) {
    return SCRIPT_HEAP_BYTES + source.length;
  }

  /**
   * Holds something, so that whoever asks need not, until all scripts are forgotten. What an
   * interpreter has compiled goes with them then, whatever its thread is about.
   */
  public synchronized void keepUntilClear(Object thing) {
    kept.add(thing);
  }

  public synchronized void clear() {
    kept.clear();
    sources.clear();
    evaluated.clear();
    loaded.clear();
    bytes = 0;
    generation.incrementAndGet();
  }
}
