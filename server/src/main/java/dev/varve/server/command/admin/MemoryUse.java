package dev.varve.server.command.admin;

import java.util.Map;

/**
 * What memory the server had in use at one moment. Immutable.
 *
 * @param heapBytes what was used of the heap, garbage included
 * @param heapCommittedBytes what the heap had
 * @param heapMaxBytes what it may have
 * @param outside bytes outside the heap, by the name of the part that holds them
 */
public record MemoryUse(
    long heapBytes, long heapCommittedBytes, long heapMaxBytes, Map<String, Long> outside) {

  /** As it is now. */
  public static MemoryUse now(Map<String, Long> outside) {
    Runtime runtime = Runtime.getRuntime();
    long committed = runtime.totalMemory();
    return new MemoryUse(committed - runtime.freeMemory(), committed, runtime.maxMemory(), outside);
  }

  /** Bytes outside the heap. */
  public long outsideBytes() {
    return outside.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Bytes in all. */
  public long bytes() {
    return heapBytes + outsideBytes();
  }
}
