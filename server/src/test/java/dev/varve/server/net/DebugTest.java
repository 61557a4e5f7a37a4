package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
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
  void helpListsWhatThereIs() throws IOException {
    try (ServerFixture fixture = new ServerFixture("enable-debug-command", "yes")) {
      RawClient client = fixture.client();
      String help = client.ask("DEBUG HELP");
      for (String subcommand :
          List.of("SLEEP", "OBJECT", "PROTOCOL", "SET-ACTIVE-EXPIRE", "LOG", "HELP")) {
        assertTrue(help.contains("|+" + subcommand), help);
      }
      assertEquals(
          "-ERR unknown subcommand or wrong number of arguments for 'HELP'. Try DEBUG HELP.|",
          client.ask("DEBUG HELP me"));
    }
  }

  @Test
  void eachTypeThatTheErrorNamesIsThere() throws IOException {
    try (ServerFixture fixture = new ServerFixture("enable-debug-command", "yes")) {
      RawClient client = fixture.client();
      assertEquals(
          "$39|Some real reply following the attribute|", client.ask("DEBUG PROTOCOL attrib"));
      client.ask("HELLO 3");
      assertEquals(
          "|1|$14|key-popularity|*2|$7|key:123|:90|$39|Some real reply following the attribute|",
          client.send("DEBUG PROTOCOL attrib|QUIT|").untilClosed().replace("+OK|", ""));
    }
  }

  @Test
  void whoComesByTheLoopbackOfIpv6IsLocalToo() throws IOException {
    InetAddress loopback = InetAddress.getByName("::1");
    assumeTrue(hasAddress(loopback), "this machine has no IPv6");
    try (ServerFixture fixture = new ServerFixture("bind", "::1", "enable-debug-command", "local");
        RawClient client = new RawClient(loopback, fixture.server.port())) {
      String list = client.ask("CLIENT LIST");
      assertTrue(list.matches("(?s).* addr=\\[::1]:\\d+ laddr=\\[::1]:\\d+ .*"), list);
      assertEquals("+OK|", client.ask("DEBUG SLEEP 0"));
    }
  }

  private static boolean hasAddress(InetAddress address) {
    try {
      new ServerSocket(0, 1, address).close();
      return true;
    } catch (IOException none) {
      return false;
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
