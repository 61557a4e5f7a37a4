package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of how long keys have not been used, and which commands use them. */
class AccessTimesTest {
  private final CommandTester tester = new CommandTester();

  @BeforeEach
  void aKeyThatWasNotUsedForLong() {
    tester.run("SET", "k", "1");
    tester.nowMillis += 100_999;
    assertEquals(":100\r\n", idleTime());
  }

  private String idleTime() {
    return tester.run("OBJECT", "IDLETIME", "k");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TTL k",
        "PTTL k",
        "EXPIRETIME k",
        "PEXPIRETIME k",
        "TYPE k",
        "EXISTS k",
        "OBJECT ENCODING k",
        "MEMORY USAGE k",
        "SCAN 0",
        "KEYS *",
        "GET other"
      })
  void tellingAboutAKeyDoesNotUseIt(String request) {
    tester.run(request.split(" "));
    assertEquals(":100\r\n", idleTime());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET k",
        "MGET other k",
        "STRLEN k",
        "GETRANGE k 0 0",
        "DUMP k",
        "TOUCH k",
        "INCR k",
        "SET k 2",
        "APPEND k 2",
        "EXPIRE k 10",
        "COPY k other",
        "LPUSH k 1"
      })
  void readingOrWritingAKeyUsesIt(String request) {
    tester.run(request.split(" "));
    assertEquals(":0\r\n", idleTime());
  }

  @Test
  void idleTimeOfAKeyThatIsNotThereIsNull() {
    assertEquals("$-1\r\n", tester.run("OBJECT", "IDLETIME", "other"));
  }

  @Test
  void keysThatShareASlotLookAsRecentlyUsedAsTheLastOfThem() {
    int keys = 2_000;
    for (int i = 0; i < keys; i++) {
      tester.run("SET", "key:" + i, "v");
    }
    tester.nowMillis += 60_000;
    for (int i = 0; i < keys / 2; i++) {
      tester.run("GET", "key:" + i);
    }
    int exact = 0;
    for (int i = 0; i < keys; i++) {
      String reply = tester.run("OBJECT", "IDLETIME", "key:" + i);
      long seconds = Long.parseLong(reply.substring(1).strip());
      int idle = i < keys / 2 ? 0 : 60;
      assertTrue(seconds <= idle, "never longer than it is");
      exact += seconds == idle ? 1 : 0;
    }
    assertTrue(exact > keys * 9 / 10, exact + " of " + keys);
  }

  @Test
  void restoredKeyIsAsIdleAsItIsToldToBe() {
    String dump = tester.run("DUMP", "k");
    byte[] payload =
        dump.substring(dump.indexOf('\n') + 1, dump.length() - 2)
            .getBytes(StandardCharsets.ISO_8859_1);
    assertEquals("+OK\r\n", restore(payload, "1000"));
    assertEquals(":1000\r\n", idleTime());
    tester.nowMillis += 5_000;
    assertEquals(":1005\r\n", idleTime());
    assertEquals("-ERR Invalid IDLETIME value, must be >= 0\r\n", restore(payload, "-1"));
    assertEquals("+OK\r\n", restore(payload, Long.toString(Long.MAX_VALUE)));
    assertEquals(":" + Integer.MAX_VALUE + "\r\n", idleTime(), "what fits");
  }

  private String restore(byte[] payload, String idleSeconds) {
    byte[][] parts = {
      bytes("RESTORE"),
      bytes("k"),
      bytes("0"),
      payload,
      bytes("REPLACE"),
      bytes("IDLETIME"),
      bytes(idleSeconds)
    };
    return tester.run(tester.client(), new Args(parts, parts.length));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
