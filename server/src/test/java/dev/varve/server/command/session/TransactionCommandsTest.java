package dev.varve.server.command.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.command.TestCommands;
import org.junit.jupiter.api.Test;

class TransactionCommandsTest {
  private final CommandTester tester =
      new CommandTester((table, keyspace) -> TestCommands.register(table));
  private final Session other = tester.session();

  @Test
  void queuedCommandsRunTogether() {
    assertEquals("+OK\r\n", tester.run("multi"));
    assertEquals("+QUEUED\r\n", tester.run("t.set", "key", "1"));
    assertEquals("+QUEUED\r\n", tester.run("t.add", "key", "2"));
    assertEquals("$-1\r\n", tester.run(other, "t.get", "key"));
    assertEquals("*2\r\n+OK\r\n:3\r\n", tester.run("exec"));
    assertEquals("-ERR EXEC without MULTI\r\n", tester.run("exec"));
  }

  @Test
  void aCommandThatFailsInsideDoesNotStopTheOthers() {
    tester.run("multi");
    tester.run("t.set", "key", "1");
    tester.run("t.wrong", "key");
    tester.run("t.add", "key", "1");
    assertEquals(
        "*3\r\n+OK\r\n-WRONGTYPE Operation against a key holding the wrong kind of value\r\n:2\r\n",
        tester.run("exec"));
  }

  @Test
  void aCommandThatIsRefusedBeforeAbortsAll() {
    tester.run("multi");
    assertEquals("-ERR MULTI calls can not be nested\r\n", tester.run("multi"));
    assertEquals("-ERR WATCH inside MULTI is not allowed\r\n", tester.run("watch", "a"));
    tester.run("t.set", "key", "1");
    tester.run("nonsense");
    assertEquals(
        "-EXECABORT Transaction discarded because of previous errors.\r\n", tester.run("exec"));
    assertEquals("$-1\r\n", tester.run("t.get", "key"));
    tester.run("multi");
    assertEquals(
        "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec'"
            + " command\r\n",
        tester.run("exec", "now"));
    assertEquals("-ERR DISCARD without MULTI\r\n", tester.run("discard"));
  }

  @Test
  void aChangeOfAWatchedKeyMakesExecFail() {
    tester.run("watch", "key");
    tester.run(other, "t.set", "key", "theirs");
    tester.run("multi");
    tester.run("t.set", "key", "mine");
    assertEquals("*-1\r\n", tester.run("exec"));
    assertEquals("$6\r\ntheirs\r\n", tester.run("t.get", "key"));
    // The watch ended with EXEC.
    tester.run(other, "t.set", "key", "again");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
  }

  @Test
  void unwatchAndDiscardEndTheWatch() {
    tester.run("watch", "key");
    tester.run("unwatch");
    tester.run(other, "t.set", "key", "1");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
    tester.run("watch", "key");
    tester.run("multi");
    assertEquals("+OK\r\n", tester.run("discard"));
    tester.run(other, "t.set", "key", "2");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
  }

  @Test
  void aWatchedKeyInAnotherDatabaseDoesNotMatter() {
    ConnectionCommands.register(tester.table, tester.keyspace);
    tester.run("watch", "key");
    tester.run(other, "select", "1");
    tester.run(other, "t.set", "key", "1");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
  }

  @Test
  void aWatchedKeyThatExpiresMakesExecFail() {
    tester.run("t.set", "key", "1", "100");
    tester.run("watch", "key");
    tester.nowMillis += 100;
    tester.run("multi");
    assertEquals("*-1\r\n", tester.run("exec"));
  }

  @Test
  void aKeyThatHadExpiredBeforeItWasWatchedDoesNotMatter() {
    tester.run("t.set", "key", "1", "100");
    tester.nowMillis += 100;
    tester.run("watch", "key");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
  }

  @Test
  void fieldsThatHadExpiredBeforeTheirHashWasWatchedDoNotMatter() {
    tester.run("hset", "hash", "field", "value", "due", "value");
    tester.run("hpexpire", "hash", "10", "fields", "1", "due");
    tester.nowMillis += 10;
    // Somebody wants to know of all that happens.
    tester.run(tester.session(), "watch", "another");
    tester.run("watch", "hash");
    tester.run("multi");
    assertEquals("*0\r\n", tester.run("exec"));
    tester.run("watch", "hash");
    tester.run(other, "hdel", "hash", "field");
    tester.run("multi");
    assertEquals("*-1\r\n", tester.run("exec"));
  }

  @Test
  void anAbandonedWatchIsForgotten() {
    Session gone = tester.session();
    tester.run(gone, "watch", "key");
    tester.keyspace.forget(gone);
    assertEquals(false, tester.keyspace.listeners().watches().isListening());
  }
}
