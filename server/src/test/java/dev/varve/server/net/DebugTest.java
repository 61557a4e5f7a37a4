package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** DEBUG, where the configuration allows it. */
class DebugTest {
  @Test
  void expiredKeysStayUntilTheyMayBeDeleted() throws IOException {
    try (ServerFixture fixture = new ServerFixture("enable-debug-command", "yes")) {
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("DEBUG SET-ACTIVE-EXPIRE 0"));
      assertEquals("+OK|", client.ask("SET key value PX 1000"));
      assertEquals("+OK|", client.ask("SET other value PX 1000"));
      fixture.aheadMillis.set(2000);
      assertEquals(":2|", client.ask("DBSIZE"));
      // Who reads a key that has expired has it deleted, as in Redis.
      assertEquals("$-1|", client.ask("GET key"));
      assertEquals(":1|", client.ask("DBSIZE"));
      assertEquals("+OK|", client.ask("DEBUG SET-ACTIVE-EXPIRE 1"));
      String size = ":1|";
      while (!size.equals(":0|")) {
        size = client.ask("DBSIZE");
      }
    }
  }

  @Test
  void anObjectIsDescribed() throws IOException {
    try (ServerFixture fixture = new ServerFixture("enable-debug-command", "local")) {
      RawClient client = fixture.client();
      client.ask("RPUSH list a b c");
      String described = client.ask("DEBUG OBJECT list");
      assertTrue(
          described.matches(
              "\\+Value at:0x0 refcount:1 encoding:quicklist serializedlength:\\d+ lru:0"
                  + " lru_seconds_idle:0\\|"),
          described);
      assertEquals("-ERR no such key|", client.ask("DEBUG OBJECT nothing"));
      client.send("MULTI|SET s 12|DEBUG OBJECT s|EXEC|").replies(3);
      assertTrue(client.reply().startsWith("*2|+OK|+Value at:0x0 refcount:1 encoding:int "));
    }
  }

  @Test
  void inATransactionAnObjectIsDescribedThatIsNotInMemory() throws IOException {
    try (ServerFixture fixture = new ServerFixture("enable-debug-command", "local")) {
      RawClient client = fixture.client();
      client.ask("RPUSH list a b c");
      fixture.engine.makeCold();
      client.send("MULTI|DEBUG OBJECT list|DEBUG PROTOCOL null|EXEC|").replies(3);
      String replies = client.reply();
      assertTrue(replies.matches("\\*2\\|\\+Value at.*\\|\\$-1\\|"), replies);
    }
  }
}
