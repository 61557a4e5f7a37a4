package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** More is to be written at once than the heap has room for: an error, and others are served. */
@Timeout(300)
class LargeWritesProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  private final ServerProcess server;

  LargeWritesProcessTest(@TempDir Path directory) throws IOException, InterruptedException {
    server = ServerProcess.startWithin(BUDGET, directory);
  }

  @AfterEach
  void stopServer() throws InterruptedException {
    try (server) {
      assertEquals(0, server.stop().exit());
    }
  }

  @Test
  void aMultiWithoutEndIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      assertEquals("+OK|", client.ask("MULTI"));
      String value = "x".repeat(100);
      int commands = 400_000;
      int atOnce = 1_000;
      Set<String> replies = new HashSet<>();
      for (int i = 0; i < commands; i += atOnce) {
        StringBuilder requests = new StringBuilder();
        for (int j = 0; j < atOnce; j++) {
          requests.append("SET key:").append(i + j).append(' ').append(value).append('|');
        }
        client.send(requests.toString());
        for (int j = 0; j < atOnce; j++) {
          replies.add(client.reply());
        }
      }
      assertEquals(
          Set.of("+QUEUED|", "-ERR MULTI has queued more than an eighth of the heap|"), replies);
      assertEquals("+PONG|", other.ask("PING"));
      assertTrue(client.ask("EXEC").startsWith("-EXECABORT "));
      assertEquals("$-1|", client.ask("GET key:1"));
    }
  }

  @Test
  void aScriptThatWritesTooMuchWritesNothing() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      String script = "\"for i=1,600000 do redis.call('set','written'..i,i) end return 1\"";
      String reply = client.ask("EVAL " + script + " 0");
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals("$-1|", client.ask("GET written1"));
      assertEquals("+OK|", client.ask("SET written1 1"));
    }
  }

  @Test
  void aUnionThatIsTooLargeToBeStoredIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      load(client, "one", 0);
      load(client, "two", 150_000);
      String reply = client.ask("SUNIONSTORE both one two");
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals(":0|", client.ask("EXISTS both"));
      assertEquals(":300000|", client.ask("SCARD one"));
    }
  }

  private static void load(RawClient client, String key, int from) throws IOException {
    int atOnce = 1_000;
    for (int i = from; i < from + 300_000; i += atOnce) {
      StringBuilder request = new StringBuilder("SADD ").append(key);
      for (int j = i; j < i + atOnce; j++) {
        request.append(" member:").append(j);
      }
      assertEquals(":" + atOnce + "|", client.ask(request.toString()));
    }
  }
}
