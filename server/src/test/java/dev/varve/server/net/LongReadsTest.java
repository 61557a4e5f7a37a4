package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads that take long, over sockets, with one event loop and with several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LongReadsTest {
  private static final int MEMBERS = 100_000;
  private static final int MEMBERS_PER_REQUEST = 1_000;

  /** Takes a second or some. */
  private static final String LONG = read(200);

  /** Takes minutes. */
  private static final String ENDLESS = read(20_000);

  /** Looks up each member in so many sets. */
  private static String read(int sets) {
    return "SINTERCARD " + sets + " n".repeat(sets) + "|";
  }

  private @Nullable TreeServer server;

  private void start(Path directory, String loops) throws IOException {
    server = new TreeServer(directory, "io-threads", loops, "long-read-threshold", "1");
    RawClient client = client();
    for (int from = 0; from < MEMBERS; from += MEMBERS_PER_REQUEST) {
      StringBuilder request = new StringBuilder("SADD n");
      for (int i = from; i < from + MEMBERS_PER_REQUEST; i++) {
        request.append(' ').append(i);
      }
      assertEquals(":" + MEMBERS_PER_REQUEST + "|", client.ask(request.toString()));
    }
  }

  private RawClient client() throws IOException {
    return Objects.requireNonNull(server).client();
  }

  @AfterEach
  void stop() throws IOException {
    Objects.requireNonNull(server).close();
  }

  private static void awaitLongReads(RawClient control, int wanted) throws IOException {
    Await.until(
        () -> {
          String info =
              control.ask("INFO stats").replaceAll("(?s).*long_reads_total:(\\d+).*", "$1");
          return Integer.parseInt(info) >= wanted;
        },
        60,
        () -> "fewer than " + wanted + " long reads");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void othersAreServedMeanwhile(String loops, @TempDir Path directory) throws IOException {
    start(directory, loops);
    RawClient control = client();
    RawClient reader = client().send(LONG + "INCR after|");
    awaitLongReads(control, 1);
    int served = 0;
    while (!reader.hasReply()) {
      assertEquals(":" + ++served + "|", control.ask("INCR meanwhile"));
    }
    assertTrue(served > 10, () -> "nobody was served meanwhile");
    assertEquals(":" + MEMBERS + "|:1|", reader.replies(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aClientReadsWhatItHasWrittenBefore(String loops, @TempDir Path directory)
      throws IOException {
    start(directory, loops);
    RawClient client = client();
    for (int i = 1; i <= 10; i++) {
      client.send("SADD n more" + i + "|SINTERCARD 2 n n|SREM n more" + i + "|");
      assertEquals(":1|:" + (MEMBERS + 1) + "|:1|", client.replies(3));
    }
    awaitLongReads(client, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoLeavesIsNotReadFor(String loops, @TempDir Path directory) throws IOException {
    start(directory, loops);
    RawClient control = client();
    // More than are read for at a time.
    for (int i = 0; i < 20; i++) {
      client().send(ENDLESS);
    }
    awaitLongReads(control, 20);
    // And the one that has filled the set.
    assertEquals(":21|", control.ask("CLIENT KILL TYPE normal SKIPME yes"));
    // It is a long one too, and would wait for the others.
    assertEquals(":" + MEMBERS + "|", client().ask("SINTERCARD 2 n n"));
  }
}
