package dev.varve.server.command.admin;

import java.util.Locale;
import java.util.Map;

/**
 * What MEMORY DOCTOR says: where the memory is, and whether the heap is nearly used up.
 *
 * <p>Pure functions, for any thread.
 */
final class MemoryAdvice {
  private static final int FULL_PERCENT = 90;
  private static final int MIB_BITS = 20;

  private MemoryAdvice() {}

  /**
   * @param heapUsedBytes what is used of the heap, garbage included
   * @param offHeap bytes outside the heap, by the name of the part that holds them
   */
  static String of(long heapUsedBytes, long heapMaxBytes, Map<String, Long> offHeap) {
    long outside = 0;
    String largest = "";
    long largestBytes = 0;
    for (Map.Entry<String, Long> part : offHeap.entrySet()) {
      outside += part.getValue();
      if (part.getValue() > largestBytes) {
        largest = part.getKey();
        largestBytes = part.getValue();
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Of the heap %d of %d MiB are used, garbage included; outside of it %d MiB",
            heapUsedBytes >> MIB_BITS,
            heapMaxBytes >> MIB_BITS,
            outside >> MIB_BITS));
    if (largestBytes > 0) {
      text.append(
          String.format(
              Locale.ROOT, ", most of it by %s (%d MiB)", largest, largestBytes >> MIB_BITS));
    }
    text.append(".\n");
    if (heapUsedBytes >= heapMaxBytes / 100 * FULL_PERCENT) {
      text.append(
          "If it stays so, the collector will take more and more time: start the server with a"
              + " larger heap (-Xmx),\nor look in CLIENT LIST and INFO for clients that do not"
              + " read their replies.\n");
    } else {
      text.append("There is nothing to do: data lies on disk, and caches keep to their limits.\n");
    }
    return text.toString();
  }
}
