package dev.varve.server.script;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that clients may call by their digest. It is empty after a restart, as Redis's is.
 *
 * <p>Any thread.
 */
public final class ScriptCache {
  private final Map<String, byte[]> sources = new ConcurrentHashMap<>();
  private final AtomicInteger generation = new AtomicInteger();

  /** Grows when scripts were forgotten. */
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

  public void add(String digest, byte[] source) {
    sources.putIfAbsent(digest, source);
  }

  public void clear() {
    sources.clear();
    generation.incrementAndGet();
  }
}
