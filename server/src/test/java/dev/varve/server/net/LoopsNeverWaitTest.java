package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server whose data does not fit its memory, under all kinds of commands, while the virtual
 * machine records what waits: an event loop never reads a file, writes none but the log, never
 * syncs one, never sleeps.
 *
 * <p>How long a loop was busy is not asserted, because a machine with other work may take its
 * processor away at any time; the harness shows it ({@code event_loop_blocked_total}). Nor are
 * waits for locks: they are for the selector's own, for classes that are loaded, and for threads
 * that lost their processor while they had one for a moment.
 */
class LoopsNeverWaitTest {
  private static final String LOOP_THREADS = "vert.x-eventloop";
  private static final Duration SAMPLE_PERIOD = Duration.ofMillis(10);
  private static final int SECONDS = 5;
  private static final int CLIENTS = 4;
  private static final int KEYS = 3_000;
  private static final int PIPELINE = 40;
  private static final String VALUE = "v".repeat(900);

  private final List<String> waits = Collections.synchronizedList(new ArrayList<>());
  private final Set<String> loopsSeen = ConcurrentHashMap.newKeySet();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong syncs = new AtomicLong();

  private static Settings settings(String appendfsync, String transport) {
    return ServerFixture.settings(
        "io-transport", transport, "io-threads", "2", "appendfsync", appendfsync);
  }

  private static boolean isLoop(@Nullable RecordedThread thread) {
    return thread != null
        && thread.getJavaName() != null
        && thread.getJavaName().startsWith(LOOP_THREADS);
  }

  /** Of samples of what runs: what is called a loop here is what the server's loops are called. */
  private void ran(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    if (thread != null && isLoop(thread)) {
      loopsSeen.add(thread.getJavaName());
    }
  }

  private void waited(RecordedEvent event) {
    if (isLoop(event.getThread())) {
      waits.add(event.toString());
    }
  }

  /** Files elsewhere do not count: the virtual machine loads classes as they are first used. */
  private void waitedForFile(RecordedEvent event, Path directory, AtomicLong seen) {
    String path = event.getString("path");
    if (path != null && path.startsWith(directory.toString())) {
      waited(event);
      seen.incrementAndGet();
    }
  }

  /** The log goes to the page cache, by the loop that writes; nothing else does. */
  private void wroteFile(RecordedEvent event, Path directory) {
    String path = event.getString("path");
    if (path != null && path.startsWith(directory.toString()) && !path.endsWith(".log")) {
      waited(event);
    }
  }

  @Test
  void noLoopWaitsForADiskWhenEverySecondIsSynced(@TempDir Path directory) throws Exception {
    underLoad(directory, "everysec", "nio");
  }

  @Test
  void noLoopWaitsForADiskWhenEachWriteIsSynced(@TempDir Path directory) throws Exception {
    underLoad(directory, "always", "nio");
  }

  @Test
  void noLoopWaitsForADiskThatItsOwnRingReads(@TempDir Path directory) throws Exception {
    underLoad(directory, "everysec", "io_uring");
  }

  private void underLoad(Path directory, String appendfsync, String transport) throws Exception {
    TreeEngine engine =
        TreeEngine.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder()
                .memtableBytesMax(256 << 10)
                .flushedTableBytes(256 << 10)
                .blockCacheBytesMax(256 << 10),
            new OffHeap(),
            16);
    RespServer server =
        RespServer.start(
            settings(appendfsync, transport),
            engine,
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    RecordingStream recording = new RecordingStream();
    try {
      recording.setReuse(false);
      recording.enable("jdk.FileRead").withThreshold(Duration.ZERO).withStackTrace();
      recording.enable("jdk.FileForce").withThreshold(Duration.ZERO).withStackTrace();
      recording.enable("jdk.FileWrite").withThreshold(Duration.ZERO).withStackTrace();
      recording.enable("jdk.ThreadSleep").withThreshold(Duration.ZERO).withStackTrace();
      recording.onEvent("jdk.FileRead", event -> waitedForFile(event, directory, reads));
      recording.onEvent("jdk.FileForce", event -> waitedForFile(event, directory, syncs));
      recording.onEvent("jdk.FileWrite", event -> wroteFile(event, directory));
      recording.onEvent("jdk.ThreadSleep", this::waited);
      recording.enable("jdk.ExecutionSample").withPeriod(SAMPLE_PERIOD);
      recording.onEvent("jdk.ExecutionSample", this::ran);
      recording.startAsync();
      load(server.port());
    } finally {
      recording.close();
      server.stop();
    }
    // Otherwise this shows nothing.
    assertTrue(reads.get() > 0, "nothing was read from disk");
    assertTrue(syncs.get() > 0, "nothing was synced");
    assertFalse(loopsSeen.isEmpty(), "no loop is called " + LOOP_THREADS);
    assertEquals(List.of(), waits);
  }

  private static void load(int port) throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<IOException> failures = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < CLIENTS; i++) {
      int seed = i;
      Thread thread =
          new Thread(
              () -> {
                try (RawClient client = new RawClient(port)) {
                  run(client, new SplittableRandom(seed));
                } catch (IOException failure) {
                  failures.add(failure);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), failures);
  }

  private static void run(RawClient client, SplittableRandom random) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (System.nanoTime() < deadline) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < PIPELINE; i++) {
        requests.append(request(random)).append('|');
      }
      client.send(requests.toString());
      client.replies(PIPELINE);
    }
  }

  private static String request(SplittableRandom random) {
    int n = random.nextInt(KEYS);
    return switch (random.nextInt(16)) {
      case 0, 1, 2 -> "SET s:" + n + " " + VALUE;
      case 3, 4 -> "GET s:" + n;
      case 5 -> "SET s:" + n + " " + VALUE + " PX " + (1 + random.nextInt(500));
      case 6 -> "HSET h:" + n % 5 + " f" + n + " " + VALUE;
      case 7 -> "HGET h:" + n % 5 + " f" + n;
      case 8 -> "RPUSH l:" + n % 5 + " " + VALUE;
      case 9 -> "LPOP l:" + n % 5;
      case 10 -> "ZADD z:" + n % 5 + " " + random.nextInt(1000) + " m" + n;
      case 11 -> "ZRANGE z:" + n % 5 + " 10 60";
      case 12 -> "SADD t:" + n % 5 + " m" + n;
      case 13 -> "SPOP t:" + n % 5;
      case 14 -> "SCAN " + 0 + " COUNT 50";
      default -> random.nextInt(20) == 0 ? "DEL h:" + n % 5 + " z:" + n % 5 : "INCR c:" + n;
    };
  }
}
