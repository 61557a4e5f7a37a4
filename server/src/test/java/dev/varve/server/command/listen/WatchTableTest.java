package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Very many clients that watch one key. */
class WatchTableTest {
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
  private static final int MANY = 50;

  private final CommandTester tester = new CommandTester();
  private final WatchTable watches = tester.keyspace.listeners().watches();

  @Test
  void whoIsMarkedIsNotLookedAtAgain() {
    List<Session> watching = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Session session = tester.session();
      watching.add(session);
      tester.run(session, "WATCH", "key", "other", "key");
    }
    assertEquals(MANY, watches.watchers(0, KEY));
    tester.run("SET", "key", "1");
    assertEquals(0, watches.watchers(0, KEY));
    assertFalse(watches.isListening(), "they watch nothing else either");
    Session first = watching.get(0);
    assertEquals("+OK\r\n", tester.run(first, "WATCH", "key"));
    assertEquals(0, watches.watchers(0, KEY), "what it watches will not matter");
    for (Session session : watching) {
      tester.run(session, "MULTI");
      assertEquals("*-1\r\n", tester.run(session, "EXEC"));
    }
    tester.run(first, "WATCH", "key");
    assertEquals(1, watches.watchers(0, KEY));
    tester.run(first, "MULTI");
    assertEquals("*0\r\n", tester.run(first, "EXEC"));
    assertFalse(watches.isListening());
  }

  @Test
  void whatHadExpiredBeforeMarksThoseOnlyForWhomItWasThere() {
    tester.run("SET", "key", "1", "PX", "1000");
    Session early = tester.session();
    tester.run(early, "WATCH", "key");
    tester.nowMillis += 2_000;
    Session late = tester.session();
    tester.run(late, "WATCH", "key");
    tester.run("DEL", "key");
    tester.run(late, "MULTI");
    assertEquals("*0\r\n", tester.run(late, "EXEC"));
    tester.run(early, "MULTI");
    assertEquals("*-1\r\n", tester.run(early, "EXEC"));
  }
}
