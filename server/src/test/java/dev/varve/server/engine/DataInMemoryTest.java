package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DataInMemoryTest {
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
  private static final int ELEMENTS = 100;
  private static final int ELEMENT_BYTES = 10_000;

  @Test
  void dataInMemoryIsWhatMemtablesAndCachesHold() throws IOException {
    try (EngineRig rig = new EngineRig(64 << 20)) {
      byte[][] some = new byte[ELEMENTS][ELEMENT_BYTES];
      rig.write(transaction -> Lists.push(transaction, 0, KEY, ListEnd.TAIL, some));
      long data = rig.engine().dataBytes();
      assertTrue(data >= ELEMENTS * ELEMENT_BYTES, data + " bytes");
      Map<String, Long> outside = rig.engine().memoryParts();
      assertEquals(
          outside.getOrDefault("memtable", 0L)
              + outside.getOrDefault("block_cache", 0L)
              + rig.figure("row_cache_bytes")
              + rig.figure("walk_cache_bytes")
              + rig.figure("resident_rows_bytes"),
          data);
    }
  }
}
