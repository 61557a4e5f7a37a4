package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Replies that are longer than the server's heap: they leave as clients read them. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LongRepliesProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);
  private static final long WAIT_SECONDS_MAX = 60;

  /** 160 MB of values: more than heap and maxmemory together. */
  private static final int FIELDS = 16_000;

  /** 24 MB: more than sockets hold. */
  private static final int FEWER_FIELDS = 2_400;

  /** That does not get smaller on disk. */
  private static final String VALUE = randomText(10_000);

  private static final int LOADED_AT_ONCE = 50;
  private static final int READERS = 6;

  /** 40 MB: more than maxmemory. */
  private static final int ELEMENTS = 4_000;

  /** Each asks for 3.5 MB, which is not much for one. */
  private static final int MANY_ELEMENTS = 350;

  private static final int MANY_READERS = 40;

  /** So late is read: all that a server would send at once is made by then. */
  private static final int LATE_MILLIS = 500;

  /** All of them together are less than maxmemory, those of all readers twice the heap. */
  private static final int LONG_STRING_BYTES = 3_000_000;

  private static final int LONG_STRINGS = 6;

  /** More than is made whole. */
  private static final int LONG_VALUE_BYTES = 5_000_000;

  /** 150 MB: more than heap and maxmemory together. */
  private static final int LONG_VALUES = 30;

  /** Some hundred milliseconds, in which a server that goes on would have sent several. */
  private static final int LOOKS = 500;

  @TempDir static Path directory;

  private static @Nullable ServerProcess process;

  private static String randomText(int length) {
    return new Random(1)
        .ints(length, 'A', 'z' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @BeforeAll
  static void startServer() throws IOException, InterruptedException {
    process = ServerProcess.startWithin(BUDGET, directory);
    load(process, "big", FIELDS);
  }

  @AfterAll
  static void stopServer() throws InterruptedException {
    try (ServerProcess running = server()) {
      assertNoReplyFailed(running.stop());
    }
  }

  /** Vert.x may say that a flush which was due had no thread any more. */
  private static void assertNoReplyFailed(ServerProcess.End end) {
    assertFalse(end.err().contains("varve-reply"), end.err());
  }

  private static ServerProcess server() {
    ServerProcess running = process;
    if (running == null) {
      throw new AssertionError("not started");
    }
    return running;
  }

  private static void load(ServerProcess server, String key, int fields) throws IOException {
    try (RawClient client = server.client()) {
      for (int i = 0; i < fields; i += LOADED_AT_ONCE) {
        StringBuilder set = new StringBuilder("hset " + key);
        for (int j = i; j < i + LOADED_AT_ONCE; j++) {
          set.append(" field:").append(j).append(' ').append(VALUE);
        }
        assertEquals(":" + LOADED_AT_ONCE + "|", client.send(request(set)).reply());
      }
    }
  }

  private static void loadList(ServerProcess server, String key, int elements) throws IOException {
    try (RawClient client = server.client()) {
      for (int i = 0; i < elements; i += LOADED_AT_ONCE) {
        String push = "rpush " + key + (" " + VALUE).repeat(LOADED_AT_ONCE);
        assertEquals(":" + (i + LOADED_AT_ONCE) + "|", client.send(request(push)).reply());
      }
    }
  }

  /** Inline requests end at 64 KiB. */
  private static String request(CharSequence inline) {
    String[] words = inline.toString().split(" ");
    StringBuilder request = new StringBuilder("*" + words.length + "|");
    for (String word : words) {
      request.append('$').append(word.length()).append('|').append(word).append('|');
    }
    return request.toString();
  }

  /** Reads the rest of an HGETALL, so many pairs. */
  private static void readPairs(ReplyReader reader, int pairs) throws IOException {
    for (int i = 0; i < pairs; i++) {
      assertTrue(reader.bulk().startsWith("field:"));
      assertEquals(VALUE.length(), reader.bulk().length());
    }
  }

  /** What the client of a number reads on a connection of its own. */
  private interface Reading {
    void by(ReplyReader reader, int number) throws Exception;
  }

  /** So many clients read at the same time, and all come to their end. */
  private static void atOnce(int clients, Reading reading) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int number = i;
        readers.add(
            threads.submit(
                () -> {
                  try (ReplyReader reader = new ReplyReader(server())) {
                    reading.by(reader, number);
                  }
                  return true;
                }));
      }
      for (Future<?> each : readers) {
        each.get(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void readElements(ReplyReader reader) throws IOException {
    assertEquals("*" + MANY_ELEMENTS, reader.line());
    for (int i = 0; i < MANY_ELEMENTS; i++) {
      assertEquals(VALUE.length(), reader.bulk().length());
    }
  }

  @Test
  void whatManyReadFromTheDiskAtTheSameTimeTakesNoMoreHeapThanThereIs() throws Exception {
    loadList(server(), "list", ELEMENTS);
    atOnce(
        MANY_READERS,
        (reader, number) -> {
          int first = number * (ELEMENTS - MANY_ELEMENTS) / MANY_READERS;
          reader.send("lrange list " + first + ' ' + (first + MANY_ELEMENTS - 1) + '|');
          readElements(reader);
        });
  }

  @Test
  void whatManyReadLateOfMemoryIsSentToEachToItsEnd() throws Exception {
    loadList(server(), "fresh", MANY_ELEMENTS);
    CountDownLatch asked = new CountDownLatch(MANY_READERS);
    atOnce(
        MANY_READERS,
        (reader, number) -> {
          reader.send("lrange fresh 0 -1|");
          asked.countDown();
          assertTrue(asked.await(WAIT_SECONDS_MAX, TimeUnit.SECONDS));
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS));
          readElements(reader);
        });
  }

  @Test
  void longStringsThatManyGetAtTheSameTimeAreNeverInMemoryAsAWhole() throws Exception {
    String value = VALUE.repeat(LONG_STRING_BYTES / VALUE.length());
    try (RawClient client = server().client()) {
      for (int i = 0; i < LONG_STRINGS; i++) {
        assertEquals("+OK|", client.send(request("set string:" + i + ' ' + value)).reply());
      }
    }
    atOnce(
        MANY_READERS,
        (reader, number) -> {
          for (int times = 0; times < LONG_STRINGS; times++) {
            reader.send("get string:" + (number + times) % LONG_STRINGS + "|");
            assertEquals(value.length(), reader.bulk().length());
          }
        });
  }

  @Test
  void aHashLargerThanTheHeapIsReadByASlowClient() throws IOException {
    ProcessStatus status = ProcessStatus.of(server());
    try (ReplyReader reader = new ReplyReader(server());
        RawClient other = server().client()) {
      reader.send("hgetall big|ping|hlen big|");
      assertEquals("*" + 2 * FIELDS, reader.line());
      for (int i = 0; i < FIELDS / 100; i++) {
        readPairs(reader, 100);
        if (i % 20 == 0) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          assertEquals("+PONG|", other.ask("ping"));
          BUDGET.assertKept(other, status, "a hash that is read");
        }
      }
      // What was asked for behind it comes behind it.
      assertEquals("+PONG", reader.line());
      assertEquals(":" + FIELDS, reader.line());
    }
  }

  @Test
  void fieldsOfItThatAreNamedAreReadOneAfterTheOther() throws IOException {
    StringBuilder request = new StringBuilder("hmget big");
    for (int i = 0; i < FIELDS; i++) {
      request.append(" field:").append(i);
    }
    try (ReplyReader reader = new ReplyReader(server())) {
      reader.send(request(request));
      assertEquals("*" + FIELDS, reader.line());
      for (int i = 0; i < FIELDS; i++) {
        assertEquals(VALUE.length(), reader.bulk().length());
      }
    }
  }

  @Test
  void manyReadItAtOnce() throws Exception {
    ProcessStatus status = ProcessStatus.of(server());
    try (RawClient other = server().client()) {
      atOnce(
          READERS,
          (reader, number) -> {
            String command = number % 2 == 0 ? "hvals" : "hkeys";
            reader.send(command + " big|" + command + " big|");
            for (int times = 0; times < 2; times++) {
              assertEquals("*" + FIELDS, reader.line());
              for (int item = 0; item < FIELDS; item++) {
                reader.bulk();
              }
            }
          });
      BUDGET.assertKept(other, status, READERS + " readers of a hash");
    }
  }

  /** Each would fit into the heap, all of them would not. */
  @Test
  void longValuesThatAreAskedForAtOnceLeaveOneAfterTheOther() throws IOException {
    ProcessStatus status = ProcessStatus.of(server());
    String value = VALUE.repeat(LONG_VALUE_BYTES / VALUE.length());
    try (ReplyReader reader = new ReplyReader(server());
        RawClient other = server().client()) {
      assertEquals("+OK|", other.send(request("set long " + value)).reply());
      reader.send("client setname late|" + "get long|".repeat(LONG_VALUES));
      assertEquals("+OK", reader.line());
      Await.until(() -> unread(other, "late") > 0, WAIT_SECONDS_MAX, () -> "nothing is sent");
      for (int i = 0; i < LOOKS; i++) {
        assertTrue(unread(other, "late") <= LONG_VALUE_BYTES, "more than one is sent");
      }
      for (int i = 0; i < LONG_VALUES; i++) {
        assertEquals(value.length(), reader.bulk().length());
        assertEquals("+PONG|", other.ask("ping"));
      }
      BUDGET.assertKept(other, status, "long values that are read");
    }
  }

  private static long unread(RawClient other, String name) throws IOException {
    Matcher omem =
        Pattern.compile("name=" + name + " .* omem=(\\d+)").matcher(other.ask("client list"));
    return omem.find() ? Long.parseLong(omem.group(1)) : 0;
  }

  @Test
  void messagesWaitForTheEndOfALongReply() throws IOException {
    load(server(), "messaged", FEWER_FIELDS);
    try (ReplyReader reader = new ReplyReader(server());
        RawClient other = server().client()) {
      reader.send("hello 3|");
      while (!reader.line().equals("*0")) {
        // The properties of the server, up to its modules, which are none.
      }
      reader.send("subscribe channel|hgetall messaged|ping|");
      assertEquals(">3", reader.line());
      assertEquals("subscribe", reader.bulk());
      assertEquals("channel", reader.bulk());
      assertEquals(":1", reader.line());
      assertEquals("%" + FEWER_FIELDS, reader.line());
      readPairs(reader, 1);
      assertEquals(":1|", other.ask("publish channel message"));
      readPairs(reader, FEWER_FIELDS - 1);
      assertEquals(">3", reader.line());
      assertEquals("message", reader.bulk());
      assertEquals("channel", reader.bulk());
      assertEquals("message", reader.bulk());
      assertEquals("+PONG", reader.line());
    }
  }

  @Test
  void aClientThatStopsReadingIsCutOff() throws IOException {
    try (ReplyReader deaf = new ReplyReader(server());
        RawClient other = server().client()) {
      assertEquals("+OK|", other.ask("config set long-reply-timeout 1"));
      deaf.send("client setname deaf|hgetall big|");
      assertEquals("+OK", deaf.line());
      assertEquals("*" + 2 * FIELDS, deaf.line());
      Await.until(
          () -> !other.ask("client list").contains("name=deaf"),
          WAIT_SECONDS_MAX,
          () -> "still connected");
      assertThrows(IOException.class, () -> readPairs(deaf, FIELDS));
      assertEquals("+OK|", other.ask("config set long-reply-timeout 60"));
      assertEquals(":" + FIELDS + "|", other.ask("hlen big"));
    }
  }

  @Test
  void whatIsDeletedMeanwhileIsReadToItsEndAndItsSpaceComesBackAfterwards() throws IOException {
    load(server(), "deleted", FEWER_FIELDS);
    long before = bytesOnDisk();
    try (ReplyReader reader = new ReplyReader(server());
        ReplyReader leaver = new ReplyReader(server());
        RawClient other = server().client()) {
      reader.send("hgetall deleted|exists deleted|");
      leaver.send("hgetall deleted|");
      assertEquals("*" + 2 * FEWER_FIELDS, reader.line());
      assertEquals("*" + 2 * FEWER_FIELDS, leaver.line());
      assertEquals(":1|", other.ask("del deleted"));
      other.ask("save");
      readPairs(reader, FEWER_FIELDS);
      assertEquals(":0", reader.line());
    }
    long half = (long) FEWER_FIELDS * VALUE.length() / 2;
    try (RawClient other = server().client()) {
      Await.until(
          () -> {
            other.ask("save");
            return bytesOnDisk() < before - half;
          },
          WAIT_SECONDS_MAX,
          () -> "still held: " + before + " bytes before");
    }
  }

  private static long bytesOnDisk() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        try {
          bytes += Files.size(file);
        } catch (NoSuchFileException gone) {
          // Deleted since it was listed.
        }
      }
    }
    return bytes;
  }

  @Test
  void theServerStopsInTheMiddleOfOne(@TempDir Path other) throws Exception {
    try (ServerProcess stopping = ServerProcess.startWithin(BUDGET, other)) {
      load(stopping, "some", FEWER_FIELDS);
      try (ReplyReader reader = new ReplyReader(stopping);
          ReplyReader second = new ReplyReader(stopping)) {
        reader.send("hgetall some|");
        second.send("zadd zset 1 a|zrange zset 0 -1|hvals some|");
        assertEquals("*" + 2 * FEWER_FIELDS, reader.line());
        assertNoReplyFailed(stopping.stop());
      }
    }
  }
}
