package dev.varve.server.command.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Session;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ACL LOG keeps, whatever those send who are denied it. */
class AccessLogTest {
  private static final long HEAP_BYTES = Runtime.getRuntime().maxMemory();

  private final AccessLog log = new AccessLog();
  private String client = "id=1";

  @BeforeEach
  void manyAreKept() {
    log.entriesMax(Long.MAX_VALUE);
    log.describer((session, nowMillis) -> client);
  }

  private void refuse(String object, String user) {
    Session session = new Session(1, "127.0.0.1:1", "127.0.0.1:2", 0, true);
    log.refused(session, new AccessLog.Attempt("key", "toplevel", object, user), 0);
  }

  @Test
  void aLongKeyIsKeptByItsBeginning() {
    refuse("k".repeat(4096), "u".repeat(5000));
    AccessLog.Attempt attempt = log.newest(1).get(0).attempt();
    assertEquals("k".repeat(4096), attempt.object());
    assertEquals("u".repeat(4096) + "... (904 more bytes)", attempt.user());
  }

  @Test
  void whatIsKeptIsBoundedHoweverManyThereAre() {
    client = "n".repeat(64 * 1024);
    int refusals = (int) (HEAP_BYTES / client.length());
    for (int i = 0; i < refusals; i++) {
      refuse("k" + i, "u");
    }
    List<AccessLog.Entry> kept = log.newest(Long.MAX_VALUE);
    long length = kept.stream().mapToLong(entry -> entry.client().length()).sum();
    assertTrue(length <= HEAP_BYTES / 64, length + " of " + HEAP_BYTES);
    assertEquals("k" + (refusals - 1), kept.get(0).attempt().object());
    log.clear();
    refuse("k", "u");
    assertEquals(1, log.newest(2).size());
  }

  @Test
  void theSameAgainIsCountedAndTakesNoMore() {
    client = "n".repeat(1024 * 1024);
    refuse("first", "u");
    for (int i = 0; i < HEAP_BYTES / client.length(); i++) {
      refuse("k", "u");
    }
    assertEquals(2, log.newest(3).size());
    assertEquals("first", log.newest(3).get(1).attempt().object());
  }
}
