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

  static String of(MemoryUse use) {
    String largest = "";
    long largestBytes = 0;
    for (Map.Entry<String, Long> part : use.outside().entrySet()) {
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
            use.heapBytes() >> MIB_BITS,
            use.heapMaxBytes() >> MIB_BITS,
            use.outsideBytes() >> MIB_BITS));
    if (largestBytes > 0) {
      text.append(
          String.format(
              Locale.ROOT, ", most of it by %s (%d MiB)", largest, largestBytes >> MIB_BITS));
    }
    text.append(".\n");
    if (use.heapBytes() >= use.heapMaxBytes() / 100 * FULL_PERCENT) {
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
