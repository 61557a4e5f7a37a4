package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import org.junit.jupiter.api.Test;

/** What needs no Redis to compare with: the replies to what everybody does, and expiry in time. */
class StringCommandsTest {
  private final CommandTester tester = new CommandTester();

  @Test
  void commonRequests() {
    assertEquals("$-1\r\n", tester.run("GET", "k"));
    assertEquals("+OK\r\n", tester.run("SET", "k", "1"));
    assertEquals("$1\r\n1\r\n", tester.run("GET", "k"));
    assertEquals(":2\r\n", tester.run("INCR", "k"));
    assertEquals("+OK\r\n", tester.run("MSET", "a", "x", "b", ""));
    assertEquals("*3\r\n$1\r\nx\r\n$0\r\n\r\n$-1\r\n", tester.run("MGET", "a", "b", "c"));
    assertEquals("-ERR wrong number of arguments for 'mset' command\r\n", tester.run("MSET", "a"));
    assertEquals(":3\r\n", tester.run("DEL", "a", "b", "k"));
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keyIsThereUntilTheMillisecondOfItsExpiry() {
    tester.run("SET", "k", "v", "PX", "1500");
    assertEquals(":1500\r\n", tester.run("PTTL", "k"));
    assertEquals(":2\r\n", tester.run("TTL", "k"));
    tester.nowMillis += 1_001;
    assertEquals(":0\r\n", tester.run("TTL", "k"));
    tester.nowMillis += 498;
    assertEquals("$1\r\nv\r\n", tester.run("GET", "k"));
    tester.nowMillis += 1;
    assertEquals("$-1\r\n", tester.run("GET", "k"));
    assertEquals(":-2\r\n", tester.run("TTL", "k"));
    assertEquals("+none\r\n", tester.run("TYPE", "k"));
    assertEquals("*0\r\n", tester.run("KEYS", "*"));
    assertEquals("$-1\r\n", tester.run("RANDOMKEY"));
    assertEquals(":0\r\n", tester.run("EXISTS", "k"));
    assertEquals(":1\r\n", tester.run("DBSIZE"), "counted until it is swept");
    assertEquals(":1\r\n", tester.run("SETNX", "k", "w"));
    assertEquals(":-1\r\n", tester.run("TTL", "k"));
  }

  @Test
  void lateExpiryCountsInTtlAsRedisRounds() {
    tester.run("SET", "k", "v", "PXAT", "9223372036854775807");
    assertEquals(":9223372036854775806\r\n", tester.run("PEXPIRETIME", "k"));
    assertEquals(":9223372036854776\r\n", tester.run("EXPIRETIME", "k"));
  }
}
