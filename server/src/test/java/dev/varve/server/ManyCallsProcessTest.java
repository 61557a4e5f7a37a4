package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that call so much that what is noted of each call would be more than there is heap. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ManyCallsProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);
  private static final int CALLS = 2_000_000;
  private static final int DECLARED = 3_000;

  @TempDir Path directory;

  private static String repeated(int count, String call) {
    return "eval \"for i=1," + count + " do redis.call(" + call + ") end return 'done'\" 0";
  }

  @ParameterizedTest
  @ValueSource(strings = {"'set','k',i", "'get','missing'"})
  void whatHappensToOneKeyVeryOftenTakesNoMoreThanOnce(String call)
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient watcher = server.client()) {
      watcher.send("watch k|multi|").replies(2);
      assertEquals("$4|done|", client.ask(repeated(CALLS, call)));
      watcher.send("ping|exec|");
      assertEquals("+QUEUED|", watcher.reply());
      assertEquals(call.startsWith("'set") ? "*-1|" : "*1|+PONG|", watcher.reply());
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void moreThanHasRoomToBePublishedIsRefusedAsAWhole() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient listener = server.client()) {
      client.ask("config set notify-keyspace-events KEA");
      listener.ask("psubscribe __key*");
      String error = client.ask(repeated(CALLS, "'set','k',i"));
      assertTrue(
          error.startsWith("-ERR what is to be told of what is written at once takes more than"),
          error);
      assertEquals("$-1|", client.ask("get k"));
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void whatNobodyHearsTakesNoRoomAndWhatIsHeardIsRefusedWhereThereIsNone()
      throws IOException, InterruptedException {
    String message = "x".repeat(1000);
    String script =
        "eval \"for i=1,100000 do redis.call('publish','channel','"
            + message
            + "'..i) end return 'done'\" 0";
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient listener = server.client()) {
      assertEquals("$4|done|", client.ask(script));
      listener.ask("subscribe channel");
      String error = client.ask(script);
      assertTrue(
          error.startsWith("-ERR what a script or transaction publishes takes more than"), error);
      // As in Redis, what came before the error is sent all the same.
      assertEquals("*3|$7|message|$7|channel|$1001|" + message + "1|", listener.reply());
      assertEquals("+PONG|", client.ask("ping"));
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void aKeyThatAClientThatCachesReadsVeryOftenIsNotedOnce()
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient other = server.client()) {
      client.send("hello 3|client tracking on|").replies(2);
      assertEquals("$4|done|", client.ask(repeated(CALLS, "'get','k'")));
      other.ask("set k v");
      assertEquals(">2|$10|invalidate|*1|$1|k|", client.reply());
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void soAreTheKeysThatItsScriptDeclares() throws IOException, InterruptedException {
    StringJoiner keys = new StringJoiner(" ");
    for (int i = 0; i < DECLARED; i++) {
      keys.add("k" + i);
    }
    String script = "for i=1,#KEYS do redis.call('get',KEYS[i]) end return 'done'";
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient other = server.client()) {
      client.send("hello 3|client tracking on|").replies(2);
      assertEquals("$4|done|", client.ask("eval \"" + script + "\" " + DECLARED + " " + keys));
      other.ask("set k7 v");
      assertEquals(">2|$10|invalidate|*1|$2|k7|", client.reply());
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void whoReadsMoreThanCanBeNotedIsToForgetAll() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client()) {
      client.send("hello 3|client tracking on|").replies(2);
      assertEquals("$4|done|", client.ask(repeated(CALLS / 4, "'exists','k'..i")));
      assertEquals(">2|$10|invalidate|_|", client.reply());
      assertEquals("+PONG|", client.ask("ping"));
      assertEquals("", server.stop().err());
    }
  }
}
