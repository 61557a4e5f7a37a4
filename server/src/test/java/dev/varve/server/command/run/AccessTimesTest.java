package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of how long keys have not been used, and which commands use them. */
class AccessTimesTest {
  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> ClientCommands.register(table, new Clients(), keyspace, () -> 0));

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

  /** As Redis 7.2 and 8.0, for what is read and for what is written in its place. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET k",
        "INCR k",
        "APPEND k 2",
        "SET k 3",
        "GETSET k 4",
        "SETRANGE k 0 9",
        "MSET k 1",
        "EXPIRE k 1000",
        "COPY k other",
        "GETEX k EX 100"
      })
  void aClientThatDoesNotTouchKeysDoesNotUseThem(String request) {
    assertEquals("+OK\r\n", tester.run("CLIENT", "NO-TOUCH", "on"));
    tester.run(request.split(" "));
    assertEquals(":100\r\n", idleTime());
    tester.run("TOUCH", "k");
    assertEquals(":0\r\n", idleTime());
    tester.nowMillis += 5_000;
    tester.run("CLIENT", "NO-TOUCH", "OFF");
    tester.run(request.split(" "));
    assertEquals(":0\r\n", idleTime());
  }

  @Test
  void whatAClientMakesThatDoesNotTouchKeysIsNew() {
    tester.run("CLIENT", "NO-TOUCH", "ON");
    tester.run("DEL", "k");
    tester.nowMillis += 5_000;
    tester.run("SET", "k", "1");
    assertEquals(":0\r\n", idleTime());
    assertEquals("-ERR syntax error\r\n", tester.run("CLIENT", "NO-TOUCH", "yes"));
  }

  @Test
  void touchingNothingIsInForceInsideATransaction() {
    tester.run("MULTI");
    tester.run("CLIENT", "NO-TOUCH", "ON");
    tester.run("GET", "k");
    tester.run("EXEC");
    assertEquals(":100\r\n", idleTime());
    tester.run("GET", "k");
    assertEquals(":100\r\n", idleTime());
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

  private static final String SWITCH =
      " Please note that when switching between policies at runtime LRU and LFU data will take some"
          + " time to adjust.\r\n";

  private String frequency() {
    return tester.run("OBJECT", "FREQ", "k");
  }

  @Test
  void eitherTheIdleTimeIsToldOrHowOftenAKeyIsUsed() {
    assertEquals(
        "-ERR An LFU maxmemory policy is not selected, access frequency not tracked." + SWITCH,
        frequency());
    tester.keyspace.accessTimes().count(10, 1);
    assertEquals(
        "-ERR An LFU maxmemory policy is selected, idle time not tracked." + SWITCH, idleTime());
    assertEquals("$-1\r\n", tester.run("OBJECT", "FREQ", "other"));
    tester.keyspace.accessTimes().countNone();
    assertEquals(":100\r\n", idleTime());
  }

  @Test
  void eachUseCountsAndTimeTakesItBack() {
    tester.keyspace.accessTimes().count(0, 2);
    tester.run("GET", "k");
    assertEquals(":6\r\n", frequency());
    for (int i = 0; i < 300; i++) {
      tester.run("GET", "k");
    }
    assertEquals(":255\r\n", frequency());
    tester.nowMillis += 20 * 60_000;
    assertEquals(":245\r\n", frequency(), "a step down for two minutes");
    tester.run("GET", "k");
    assertEquals(":246\r\n", frequency());
    tester.keyspace.accessTimes().count(0, 0);
    tester.nowMillis += 1_000_000 * 60_000L;
    assertEquals(":246\r\n", frequency(), "counts stay when the scale changes");
  }

  @Test
  void manyUsesCountOnALogarithmicScale() {
    tester.keyspace.accessTimes().count(10, 1);
    for (int i = 0; i < 10_000; i++) {
      tester.run("GET", "k");
    }
    int count = Integer.parseInt(frequency().substring(1).strip());
    assertTrue(count > 25 && count < 90, count + " of 10,000 uses; Redis says some 50");
  }

  @Test
  void restoredKeyIsUsedAsOftenAsItIsToldToBe() {
    byte[] payload = dumped();
    tester.keyspace.accessTimes().count(10, 1);
    assertEquals("+OK\r\n", restore(payload, "FREQ", "77"));
    assertEquals(":77\r\n", frequency());
    assertEquals("+OK\r\n", restore(payload, "IDLETIME", "100000"));
    assertTrue(Integer.parseInt(frequency().substring(1).strip()) >= 77, "is not idle for that");
    tester.keyspace.accessTimes().countNone();
    assertEquals("+OK\r\n", restore(payload, "FREQ", "77"));
    assertEquals(":0\r\n", idleTime());
  }

  @Test
  void restoredKeyIsAsIdleAsItIsToldToBe() {
    byte[] payload = dumped();
    assertEquals("+OK\r\n", restore(payload, "1000"));
    assertEquals(":1000\r\n", idleTime());
    tester.nowMillis += 5_000;
    assertEquals(":1005\r\n", idleTime());
    assertEquals("-ERR Invalid IDLETIME value, must be >= 0\r\n", restore(payload, "-1"));
    assertEquals("+OK\r\n", restore(payload, Long.toString(Long.MAX_VALUE)));
    assertEquals(":" + Integer.MAX_VALUE + "\r\n", idleTime(), "what fits");
  }

  private byte[] dumped() {
    String dump = tester.run("DUMP", "k");
    return dump.substring(dump.indexOf('\n') + 1, dump.length() - 2)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private String restore(byte[] payload, String idleSeconds) {
    return restore(payload, "IDLETIME", idleSeconds);
  }

  private String restore(byte[] payload, String option, String value) {
    byte[][] parts = {
      bytes("RESTORE"),
      bytes("k"),
      bytes("0"),
      payload,
      bytes("REPLACE"),
      bytes(option),
      bytes(value)
    };
    return tester.run(tester.client(), new Args(parts, parts.length));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
