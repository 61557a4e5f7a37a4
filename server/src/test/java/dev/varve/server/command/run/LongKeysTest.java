package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreBatch;
import dev.varve.server.command.CommandTester;
import org.junit.jupiter.api.Test;

/** Keys and members that are longer than can be stored: an error, and nothing is written. */
class LongKeysTest {
  // Not static: each has megabytes, and other tests are to have them afterwards.
  private final String longKey = "k".repeat(Transaction.KEY_BYTES_MAX + 1);
  private final CommandTester tester = new CommandTester();

  private void assertRefused(String... request) {
    String reply = tester.run(request);
    assertTrue(reply.startsWith("-ERR a key "), reply);
  }

  @Test
  void areRefusedWithAllThatTheCommandWouldHaveWritten() {
    assertRefused("SET", longKey, "value");
    assertRefused("MSET", "short", "value", longKey, "value");
    assertRefused("SADD", "set", "short", "m".repeat(StoreBatch.KEY_BYTES_MAX));
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void areNotThereForWhoReads() {
    assertEquals("$-1\r\n", tester.run("GET", longKey));
    assertEquals(":0\r\n", tester.run("DEL", longKey));
  }

  @Test
  void endATransactionWithoutATrace() {
    tester.run("MULTI");
    tester.run("SET", "short", "value");
    tester.run("SET", longKey, "value");
    assertRefused("EXEC");
    assertEquals(":0\r\n", tester.run("DBSIZE"));
    assertEquals("+OK\r\n", tester.run("SET", "short", "value"));
  }
}
