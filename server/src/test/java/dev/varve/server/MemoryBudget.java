package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server is given to work in: the heap of its process, and {@code maxmemory} for what it
 * holds outside of that. Immutable.
 */
record MemoryBudget(int heapMebibytes, int maxmemoryMebibytes) {
  private static final long MEBIBYTE = 1 << 20;
  private static final int PARTS = 5;
  private static final Pattern PART =
      Pattern.compile(
          "used_memory_(?:memtable|block_cache|index_and_filter|log_buffer|compaction_buffer):"
              + "(\\d+)");

  /**
   * Fails if the process has grown by more than all of it, or holds more outside the heap than
   * {@code maxmemory}.
   *
   * @param client asks for the latter
   */
  void assertKept(RawClient client, ProcessStatus status, String what) throws IOException {
    int budget = heapMebibytes + maxmemoryMebibytes;
    long grown = status.grownBytes() / MEBIBYTE;
    long held = heldBytes(client.ask("INFO memory")) / MEBIBYTE;
    System.out.printf(
        "beside %s memory has grown by %d of %d MiB, %d of %d MiB are held outside the heap%n",
        what, grown, budget, held, maxmemoryMebibytes);
    assertTrue(grown <= budget, () -> grown + " MiB for " + what);
    assertTrue(held <= maxmemoryMebibytes, () -> held + " MiB outside the heap for " + what);
  }

  private static long heldBytes(String info) {
    long sum = 0;
    int parts = 0;
    for (Matcher part = PART.matcher(info); part.find(); parts++) {
      sum += Long.parseLong(part.group(1));
    }
    assertEquals(PARTS, parts, info);
    return sum;
  }
}
