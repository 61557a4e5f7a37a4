package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
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
}
