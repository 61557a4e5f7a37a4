package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.TestThreads;
import dev.varve.server.command.run.LongRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that take long, over sockets, with one event loop and with several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LongWritesTest {
  private static final int MEMBERS = 200_000;
  private static final int MEMBERS_PER_REQUEST = 1_000;
  private static final int SERVED_MIN = 3;
  private static final int ATTEMPTS = 20;
  private static final int KEYS = 20;
  private static final int CLIENTS = 3;

  /** Keys that always have the same value: so many that it takes a while to write them. */
  private static final int TWINS = 1_000;

  private static final long LOAD_SECONDS = 3;

  private @Nullable TreeServer running;

  private void start(Path directory, String loops, String appendfsync) throws IOException {
    running = new TreeServer(directory, "io-threads", loops, "appendfsync", appendfsync);
  }

  private RespServer server() {
    return Objects.requireNonNull(running).server();
  }

  private RawClient client() throws IOException {
    return Objects.requireNonNull(running).client();
  }

  @AfterEach
  void stop() throws IOException {
    Objects.requireNonNull(running).close();
  }

  private void fill(RawClient client) throws IOException {
    for (int from = 0; from < MEMBERS; from += MEMBERS_PER_REQUEST) {
      StringBuilder request = new StringBuilder("SADD from");
      for (int i = from; i < from + MEMBERS_PER_REQUEST; i++) {
        request.append(' ').append(i);
      }
      assertEquals(":" + MEMBERS_PER_REQUEST + "|", client.ask(request.toString()));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, everysec", "3, everysec", "1, always", "3, always"})
  void whoReadsIsServedMeanwhile(String loops, String appendfsync, @TempDir Path directory)
      throws IOException {
    start(directory, loops, appendfsync);
    fill(client());
    String all = ":" + MEMBERS + "|";
    assertServedBeside("SUNIONSTORE to from|", all);
    assertServedBeside("MULTI|SUNIONSTORE to from|EXEC|", "+OK|+QUEUED|*1|" + all);
    assertServedBeside("MULTI|SINTERCARD 3 from from from|EXEC|", "+OK|+QUEUED|*1|" + all);
    assertServedBeside("EVAL \"return redis.call('sunionstore', 'to', 'from')\" 0|", all);
    assertServedBeside("CLIENT TRACKING on|SINTERCARD 3 from from from|", "+OK|" + all);
  }

  /** Who reads is served while that takes long, and who writes when it is over. */
  private void assertServedBeside(String requests, String replies) throws IOException {
    RawClient reader = client();
    RawClient writer = client();
    RawClient client = client();
    LongRun longRun = server().keyspace().longRun();
    int count = Math.toIntExact(requests.chars().filter(each -> each == '|').count());
    int most = 0;
    // It may be over before this thread has a processor.
    for (int attempt = 0; attempt < ATTEMPTS && most <= SERVED_MIN; attempt++) {
      client.send(requests);
      while (!longRun.isRunning() && !client.hasReply()) {
        Thread.onSpinWait();
      }
      writer.send("APPEND after .|");
      int served = 0;
      do {
        assertEquals(":" + MEMBERS + "|", reader.ask("SCARD from"));
        served += longRun.isRunning() ? 1 : 0;
      } while (longRun.isRunning());
      most = Math.max(most, served);
      assertEquals(replies, client.replies(count));
      assertTrue(writer.reply().startsWith(":"), requests);
    }
    int times = most;
    assertTrue(times > SERVED_MIN, () -> times + " were served beside " + requests);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoNeedsNoWriteIsServedMeanwhile(String loops, @TempDir Path directory) throws IOException {
    start(directory, loops, "everysec");
    RawClient writer = client();
    fill(writer);
    RawClient other = client();
    other.ask("HELLO 3");
    // Whatever is read is remembered by the keyspace loop.
    other.ask("CLIENT TRACKING on");
    List<String> left =
        new ArrayList<>(
            List.of(
                "INFO clients|",
                "PUBLISH channel message|",
                "SUBSCRIBE silent|",
                "CLIENT LIST|",
                "CLIENT TRACKINGINFO|",
                "SCARD from|",
                "WAIT 0 1|",
                "EVAL_RO \"return redis.call('scard', 'from')\" 0|",
                "MULTI|SCARD from|PUBLISH channel message|EXEC|"));
    LongRun longRun = server().keyspace().longRun();
    for (int attempt = 0; attempt < ATTEMPTS && !left.isEmpty(); attempt++) {
      long before = longRun.writes();
      writer.send("SUNIONSTORE to from|");
      Await.until(() -> longRun.writes() > before, 60, () -> "it is not long");
      for (String requests : List.copyOf(left)) {
        int count = Math.toIntExact(requests.chars().filter(each -> each == '|').count());
        other.send(requests);
        String replies = other.replies(count);
        assertTrue(!replies.startsWith("-"), requests + replies);
        if (longRun.isRunning()) {
          left.remove(requests);
        }
      }
      assertEquals(":" + MEMBERS + "|", writer.reply());
    }
    assertEquals(List.of(), left, "not served meanwhile");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void keysAreCountedAsSoonAsTheyAreWritten(String loops, @TempDir Path directory)
      throws IOException {
    start(directory, loops, "everysec");
    server().keyspace().longRun().writesLeaveAfterSteps(0);
    RawClient client = client();
    for (int i = 1; i <= 100; i++) {
      client.send("MSET a" + i + " 1 b 1|DBSIZE|");
      assertEquals("+OK|:" + (i + 1) + "|", client.replies(2));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aServerThatStopsMeanwhileHasAllOfItOrNothing(String loops, @TempDir Path directory)
      throws IOException {
    start(directory, loops, "everysec");
    fill(client());
    client().send("SUNIONSTORE to from|");
    Await.until(() -> server().keyspace().longRun().writes() > 0, 60, () -> "it is not long");
    stop();
    start(directory, loops, "everysec");
    String members = client().ask("SCARD to");
    assertTrue(members.equals(":0|") || members.equals(":" + MEMBERS + "|"), members);
    assertEquals(":" + MEMBERS + "|", client().ask("SCARD from"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoWaitsForKeysDoesSoOnTheKeyspaceLoop(String loops, @TempDir Path directory)
      throws IOException {
    start(directory, loops, "everysec");
    server().keyspace().longRun().writesLeaveAfterSteps(0);
    RawClient waiter = client().send("BLPOP list 0|INCR after|");
    RawClient control = client();
    Await.until(
        () -> control.ask("INFO clients").contains("blocked_clients:1|"), 60, () -> "none waits");
    assertEquals(":2|", control.ask("RPUSH list a b"));
    assertEquals("*2|$4|list|$1|a|:1|", waiter.replies(2));
    assertEquals("*2|$4|list|$1|b|", waiter.ask("BLPOP none list 0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aGroupThatIsGivenVeryMuchHoldsUpNobody(String loops, @TempDir Path directory)
      throws IOException {
    start(directory, loops, "everysec");
    RawClient client = client();
    client.ask("XGROUP CREATE s g 0 MKSTREAM");
    for (int i = 1; i <= 100; i++) {
      client.ask("XADD s " + i + "-1 f v");
    }
    LongRun longRun = server().keyspace().longRun();
    longRun.writesLeaveAfterSteps(0);
    long before = longRun.writes();
    String given = client.ask("XREADGROUP GROUP g c STREAMS s >");
    assertTrue(given.contains("100-1"), given);
    assertEquals(before + 1, longRun.writes());
    assertTrue(client.ask("XPENDING s g").startsWith("*4|:100|"));
    // Who waits for what comes does so on the keyspace loop.
    RawClient waiter = client().send("XREADGROUP GROUP g c BLOCK 0 STREAMS s >|");
    RawClient control = client();
    Await.until(
        () -> control.ask("INFO clients").contains("blocked_clients:1|"), 60, () -> "none waits");
    control.ask("XADD s 101-1 f v");
    assertEquals("*1|*2|$1|s|*1|*2|$5|101-1|*2|$1|f|$1|v|", waiter.reply());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatIsNotInMemoryIsBroughtBeforeOthersWaitForIt(String loops, @TempDir Path directory)
      throws IOException {
    running =
        new TreeServer(
            directory,
            TreeOptions.builder().memtableBytesMax(64 << 10).blockCacheBytesMax(64 << 10),
            "io-threads",
            loops);
    RawClient client = client();
    fill(client);
    LongRun longRun = server().keyspace().longRun();
    longRun.writesLeaveAfterSteps(0);
    long before = longRun.writes();
    assertEquals(":" + MEMBERS + "|", client.ask("SUNIONSTORE to from"));
    // It left, came back for what it lacked, and left again.
    assertTrue(longRun.writes() >= before + 2, "nothing was cold");
    assertEquals(":" + MEMBERS + "|", client.ask("SINTERCARD 2 to from"));
    client.send("MULTI|SCARD to|SMOVE to from nothing|SMOVE to other 7|SADD to more|EXEC|");
    assertEquals(
        "*4|:" + MEMBERS + "|:0|:1|:1|",
        client.replies(6).substring("+OK|".length() + 4 * "+QUEUED|".length()));
    assertEquals(":" + MEMBERS + "|", client.ask("SCARD to"));
    assertEquals(":1|", client.ask("SISMEMBER other 7"));
  }

  /** What is written of two keys at once is seen of both, and each client sees what it wrote. */
  @ParameterizedTest
  @CsvSource({"1, everysec", "3, everysec", "1, always", "3, always"})
  void readsAreAsOfOneMomentWhileAllWritesAreMadeElsewhere(
      String loops, String appendfsync, @TempDir Path directory)
      throws IOException, InterruptedException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("LongWritesTest -Dvarve.seed=" + seed);
    start(directory, loops, appendfsync);
    server().keyspace().longRun().writesLeaveAfterSteps(0);
    SplittableRandom seeds = new SplittableRandom(seed);
    TestThreads threads = new TestThreads();
    for (int i = 0; i < CLIENTS; i++) {
      int number = i;
      SplittableRandom random = seeds.split();
      threads.start(() -> writeAndLook(number, random, threads));
      SplittableRandom other = seeds.split();
      threads.start(() -> look(other, threads));
    }
    for (long i = 0; i < LOAD_SECONDS * 10 && !threads.isOver(); i++) {
      Thread.sleep(100);
    }
    threads.over();
    threads.join();
    assertTrue(server().keyspace().longRun().writes() > 100, "few writes were made elsewhere");
  }

  /** Writes the same number into a string, a hash, a list's head and a sorted set at once. */
  private void writeAndLook(int number, SplittableRandom random, TestThreads threads)
      throws IOException {
    try (RawClient client = new RawClient(server().port())) {
      for (int written = 1; !threads.isOver(); written++) {
        String key = number + ":" + random.nextInt(KEYS);
        client.send(
            ("MULTI|SET s%1$s %2$d|HSET h%1$s f %2$d|LPUSH l%1$s %2$d|ZADD z%1$s %2$d m|SADD t%1$s"
                    + " %2$d|EXEC|"
                    + twins(key, written)
                    + "MGET s%1$s nothing|HGET h%1$s f|LINDEX l%1$s 0|ZSCORE z%1$s m|")
                .formatted(key, written));
        client.replies(8);
        String value = "$" + Integer.toString(written).length() + "|" + written + "|";
        assertEquals("*2|" + value + "$-1|" + value + value + value, client.replies(4));
        assertEquals(":1|", client.ask("SISMEMBER t" + key + " " + written));
      }
    }
  }

  private static String twins(String key, int written) {
    StringBuilder request = new StringBuilder("MSET");
    for (int i = 0; i < TWINS; i++) {
      request.append(" twin").append(i).append(':').append(key).append(' ').append(written);
    }
    return request.append('|').toString();
  }

  /** Sees the same in all of them. */
  private void look(SplittableRandom random, TestThreads threads) throws IOException {
    try (RawClient client = new RawClient(server().port())) {
      while (!threads.isOver()) {
        String key = random.nextInt(CLIENTS) + ":" + random.nextInt(KEYS);
        client.send(
            "MULTI|GET s%1$s|HGET h%1$s f|LINDEX l%1$s 0|ZSCORE z%1$s m|EXEC|".formatted(key));
        String replies = client.replies(6);
        String read = replies.substring(replies.indexOf("*4|") + 3);
        String first = read.substring(0, read.length() / 4);
        assertEquals(first.repeat(4), read);
        StringBuilder request = new StringBuilder("MGET");
        // The last first, so that what is written meanwhile shows.
        for (int i = TWINS - 1; i >= 0; i--) {
          request.append(" twin").append(i).append(':').append(key);
        }
        String twins = client.ask(request.toString()).substring(("*" + TWINS + "|").length());
        assertEquals(twins.substring(0, twins.length() / TWINS).repeat(TWINS), twins);
      }
    }
  }
}
