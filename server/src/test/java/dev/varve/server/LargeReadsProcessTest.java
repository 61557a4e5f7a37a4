package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reply needs all of a value in memory, and the heap has no room for it: an error. */
@Timeout(300)
class LargeReadsProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);
  private static final int ELEMENTS = 1_000_000;
  private static final int ELEMENTS_AT_ONCE = 1_000;

  private final ServerProcess server;

  LargeReadsProcessTest(@TempDir Path directory) throws IOException, InterruptedException {
    server = ServerProcess.startWithin(BUDGET, directory);
  }

  @AfterEach
  void stopServer() throws InterruptedException {
    try (server) {
      assertEquals(0, server.stop().exit());
    }
  }

  private static void load(RawClient client) throws IOException {
    for (int i = 0; i < ELEMENTS; i += ELEMENTS_AT_ONCE) {
      StringBuilder request = new StringBuilder("RPUSH list");
      for (int j = i; j < i + ELEMENTS_AT_ONCE; j++) {
        request.append(String.format(Locale.ROOT, " %030d", j));
      }
      assertEquals(":" + (i + ELEMENTS_AT_ONCE) + "|", client.ask(request.toString()));
    }
  }

  @Test
  void whatCannotBeSortedOrDumpedWithinTheHeapIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      load(client);
      String sorted = client.ask("SORT list LIMIT 0 1");
      assertTrue(sorted.startsWith("-ERR what is sorted takes more than "), sorted);
      String alphabetic = client.ask("SORT list ALPHA LIMIT 0 1");
      assertTrue(alphabetic.startsWith("-ERR what is sorted takes more than "), alphabetic);
      String dumped = client.ask("DUMP list");
      assertTrue(dumped.startsWith("-ERR a dumped value takes more than "), dumped);
      String migrated = client.ask("MIGRATE 127.0.0.1 " + server.port() + " list 1 5000");
      assertTrue(migrated.startsWith("-ERR a dumped value takes more than "), migrated);
      assertEquals(":" + ELEMENTS + "|", client.ask("LLEN list"));
      String last = String.format(Locale.ROOT, "%030d", ELEMENTS - 1);
      // As it stands, only what is asked for is read.
      String end = client.ask("SORT list BY nosort LIMIT " + (ELEMENTS - 1) + " 10");
      assertEquals("*1|$30|" + last + "|", end);
      assertEquals("+PONG|", other.ask("PING"));
    }
  }
}
