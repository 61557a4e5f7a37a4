package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Call;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of the disk that do not come back for long: who waits for them, and who does not. */
class HungDiskTest {
  private static final long SECONDS_MAX = 30;
  private static final int MEMORY_BYTES = 256 << 10;
  private static final int KEYS = 10_000;
  private static final int READERS = 40;
  private static final String VALUE = "v".repeat(200);

  /** Of these none needs the disk, nor what others wait for there. */
  private static final String SERVED =
      """
      PING
      SET new 1
      GET new
      INCR new
      INFO everything
      DBSIZE
      CLIENT LIST
      CONFIG GET *
      CONFIG SET maxclients 9000
      MEMORY STATS
      SLOWLOG GET
      ACL SETUSER one on nopass ~* +@all
      PUBLISH channel message
      EVAL "return redis.call('incr', 'new')" 0
      FUNCTION LIST
      LASTSAVE
      ROLE
      WAIT 0 0
      BGSAVE
      RPUSH list 1
      BLPOP list 0
      XADD stream * field value
      ZADD zset 1 member
      EXPIRE new 100
      DEL new
      SWAPDB 3 4
      SELECT 5
      SET other 1
      FLUSHDB
      SELECT 0
      SET new 2
      GET new
      """;

  @TempDir private Path path;

  private final CountDownLatch comesBack = new CountDownLatch(1);
  private final AtomicBoolean isHeld = new AtomicBoolean();
  private FailingStorageDirectory directory;
  private TreeServer varve;

  @BeforeEach
  void start() throws IOException {
    directory = new FailingStorageDirectory(RealStorageDirectory.open(path));
    TreeOptions.Builder small =
        TreeOptions.builder().memtableBytesMax(MEMORY_BYTES).blockCacheBytesMax(MEMORY_BYTES);
    varve = new TreeServer(directory, small, "appendfsync", "everysec");
  }

  @AfterEach
  void stop() throws IOException {
    comesBack.countDown();
    varve.close();
  }

  /** The log is written by the loop that writes, as far as the page cache. */
  private static boolean isLogged(Call call) {
    return call.kind() == Kind.WRITE && call.file().endsWith(".log");
  }

  private void hold(Predicate<Call> calls) {
    directory.failMatching(
        call -> {
          if (calls.test(call)) {
            isHeld.set(true);
            await();
          }
          return false;
        },
        1,
        new IOException("none fails"));
  }

  private void await() {
    try {
      comesBack.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatIsWrittenWhileASyncOfEverySecondIsLateWaitsForIt() throws Exception {
    RawClient writer = varve.client();
    RawClient reader = varve.client();
    hold(call -> call.kind() == Kind.SYNC_FILE);
    AtomicInteger shown = new AtomicInteger();
    assertEquals("+OK|", writer.ask("SET key 0"));
    Await.until(
        () -> isDelayed(writer.send("SET key " + shown.incrementAndGet() + "|"), reader),
        SECONDS_MAX,
        () -> "nothing waits for the sync");
    assertTrue(isHeld.get());
    int last = shown.decrementAndGet();
    assertEquals(reply(last), reader.ask("GET key"), "what power loss could take is not shown");
    assertTrue(persistence(reader).contains("aof_pending_bio_fsync:1|"));
    comesBack.countDown();
    assertEquals("+OK|", writer.reply());
    assertEquals(reply(last + 1), reader.ask("GET key"));
    assertEquals("+OK|", writer.ask("SET key after"));
    Await.until(
        () -> persistence(reader).contains("aof_pending_bio_fsync:0|"),
        SECONDS_MAX,
        () -> "it is synced for ever");
  }

  @Test
  void whoNeedsNoDiskIsServedThoughNoCallComesBack() throws Exception {
    RawClient loading = varve.client();
    for (int i = 0; i < KEYS; i++) {
      loading.send("SET key" + i + " " + VALUE + "|");
    }
    loading.replies(KEYS);
    // Nothing is late, nor behind.
    assertEquals("+OK|", loading.ask("CONFIG SET appendfsync no"));
    assertEquals("+OK|", loading.ask("SAVE"));
    hold(call -> !isLogged(call));
    List<RawClient> waiting = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      waiting.add(varve.client().send("GET key" + i * (KEYS / READERS) + "|"));
    }
    RawClient served = varve.client();
    for (String request : SERVED.lines().toList()) {
      String reply = served.ask(request);
      assertFalse(reply.startsWith("-"), request + ": " + reply);
    }
    assertTrue(isHeld.get() && waiting.stream().anyMatch(HungDiskTest::waits), "none is on disk");
    comesBack.countDown();
    for (RawClient client : waiting) {
      assertEquals("$" + VALUE.length() + "|" + VALUE + "|", client.reply());
    }
    assertEquals("$1|2|", served.ask("GET new"));
  }

  private static boolean waits(RawClient client) {
    try {
      return !client.hasReply();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Whether a write waits for a sync; otherwise its reply is read. */
  private static boolean isDelayed(RawClient writer, RawClient reader) throws IOException {
    while (!writer.hasReply()) {
      if (persistence(reader).contains("aof_delayed_fsync:1|")) {
        return true;
      }
    }
    assertEquals("+OK|", writer.reply());
    return false;
  }

  private static String persistence(RawClient client) throws IOException {
    return client.ask("INFO persistence");
  }

  private static String reply(int value) {
    String digits = Integer.toString(value);
    return "$" + digits.length() + "|" + digits + "|";
  }
}
