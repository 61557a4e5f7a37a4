package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreBatch;
import org.junit.jupiter.api.Test;

/** Keys and members that are longer than can be stored: an error, and nothing is written. */
class LongKeysTest {
  private static final String LONG_KEY = "k".repeat(Transaction.KEY_BYTES_MAX + 1);
  private static final String LONG_MEMBER = "m".repeat(StoreBatch.KEY_BYTES_MAX);

  private final CommandTester tester = new CommandTester();

  private void assertRefused(String... request) {
    String reply = tester.run(request);
    assertTrue(reply.startsWith("-ERR a key "), reply);
  }

  @Test
  void areRefusedWithAllThatTheCommandWouldHaveWritten() {
    assertRefused("SET", LONG_KEY, "value");
    assertRefused("MSET", "short", "value", LONG_KEY, "value");
    assertRefused("SADD", "set", "short", LONG_MEMBER);
    assertRefused("HSET", "hash", "short", "value", LONG_MEMBER, "value");
    assertRefused("ZADD", "board", "1", "short", "2", LONG_MEMBER);
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void areNotThereForWhoReads() {
    assertEquals("$-1\r\n", tester.run("GET", LONG_KEY));
    assertEquals(":0\r\n", tester.run("DEL", LONG_KEY));
    assertEquals(":0\r\n", tester.run("SISMEMBER", "set", LONG_MEMBER));
  }

  @Test
  void endATransactionWithoutATrace() {
    tester.run("MULTI");
    tester.run("SET", "short", "value");
    tester.run("SET", LONG_KEY, "value");
    assertRefused("EXEC");
    assertEquals(":0\r\n", tester.run("DBSIZE"));
    assertEquals("+OK\r\n", tester.run("SET", "short", "value"));
  }

  @Test
  void aListTakesElementsThatAreLonger() {
    assertEquals(":1\r\n", tester.run("RPUSH", "list", LONG_MEMBER));
  }
}
