package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.FilePlace;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not in memory, read by the rings of event loops; skipped where there are none. */
class RingReadsTest {
  private static final int KEYS = 4_000;
  private static final String REHEARSED = "/dev/null";
  private static final int CLIENTS = 8;
  private static final int PIPELINE = 100;
  private static final int ROUNDS = 10;
  private static final long SECONDS_MAX = 60;
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  @TempDir private Path directory;
  private final OffHeap offHeap = new OffHeap();
  private final SplittableRandom random = new SplittableRandom(SEED);

  @BeforeEach
  void sayWhatIsHere() {
    System.out.println("RingReadsTest -Dvarve.seed=" + SEED);
    Transport its = Transport.IO_URING;
    assumeTrue(its != null && its.available(), "io_uring is not to be had here");
  }

  private RespServer start(StorageDirectory its, String loops) throws Exception {
    TreeEngine engine =
        TreeEngine.open(
            its,
            TreeOptions.builder()
                .memtableBytesMax(64 << 10)
                .blockBytes(1 << 10)
                .flushedTableBytes(64 << 10)
                .blockCacheBytesMax(64 << 10),
            offHeap,
            16);
    return RespServer.start(
        ServerFixture.settings("io-transport", "io_uring", "io-threads", loops),
        engine,
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }

  private static String value(int key) {
    return Integer.toString(key).repeat(50);
  }

  private static String bulk(String text) {
    return "$" + text.length() + "|" + text + "|";
  }

  private static void fill(RawClient client) throws IOException {
    for (int from = 0; from < KEYS; from += PIPELINE) {
      StringBuilder requests = new StringBuilder();
      for (int key = from; key < from + PIPELINE; key++) {
        requests.append("SET k").append(key).append(' ').append(value(key)).append('|');
      }
      client.send(requests.toString());
      for (int i = 0; i < PIPELINE; i++) {
        assertEquals("+OK|", client.reply());
      }
    }
    assertEquals("+OK|", client.ask("SAVE"));
  }

  /** Gets of random keys by several clients at once, each of which asks for some twice. */
  private void getAll(List<RawClient> clients) throws IOException {
    List<List<Integer>> asked = new ArrayList<>();
    for (RawClient client : clients) {
      List<Integer> keys = new ArrayList<>();
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < PIPELINE; i++) {
        int key = random.nextInt(KEYS + KEYS / 10);
        keys.add(key);
        requests.append("GET k").append(key).append('|');
      }
      client.send(requests.toString());
      asked.add(keys);
    }
    for (int i = 0; i < clients.size(); i++) {
      for (int key : asked.get(i)) {
        assertEquals(key < KEYS ? bulk(value(key)) : "$-1|", clients.get(i).reply());
      }
    }
  }

  private void readsAreRight(RealStorageDirectory its, String loops) throws Exception {
    RespServer server = start(its, loops);
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new RawClient(server.port()));
      }
      fill(clients.get(0));
      for (int round = 0; round < ROUNDS; round++) {
        getAll(clients);
      }
      assertTrue(server.blocksReadByLoops() > KEYS / 10, server.blocksReadByLoops() + " blocks");
      String stats = clients.get(0).ask("INFO stats");
      assertTrue(stats.contains("event_loop_block_reads:" + server.blocksReadByLoops()), stats);
      for (RawClient client : clients) {
        client.close();
      }
    } finally {
      server.stop();
    }
    assertEquals(0, offHeap.heldBytes());
    assertEquals(List.of(), openFiles());
  }

  @Test
  void aRehearsalIsNoReadAndLeavesNothing() throws Exception {
    List<String> before = openFiles(REHEARSED);
    RespServer server = start(RealStorageDirectory.open(directory), "2");
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("+PONG|", client.ask("PING"));
      assertEquals(0, server.blocksReadByLoops());
    } finally {
      server.stop();
    }
    assertEquals(0, offHeap.heldBytes());
    assertEquals(List.of(), openFiles());
    assertEquals(before, openFiles(REHEARSED));
  }

  /** What of the directory this process has open, deleted files too. */
  private List<String> openFiles() throws IOException {
    return openFiles(directory.toRealPath().toString());
  }

  private static List<String> openFiles(String from) throws IOException {
    List<String> open = new ArrayList<>();
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : descriptors) {
        try {
          String target = Files.readSymbolicLink(each).toString();
          if (target.startsWith(from)) {
            open.add(target);
          }
        } catch (NoSuchFileException closedMeanwhile) {
          continue;
        }
      }
    }
    return open;
  }

  @Test
  void repliesAreThoseOfReadsThatWait() throws Exception {
    readsAreRight(RealStorageDirectory.open(directory), "1");
  }

  @Test
  void severalLoopsReadBesideEachOther() throws Exception {
    readsAreRight(RealStorageDirectory.open(directory), "3");
  }

  @Test
  void readsPastThePageCacheAreAligned() throws Exception {
    RealStorageDirectory direct;
    try {
      direct = RealStorageDirectory.openForDirectReads(directory);
    } catch (IOException notHere) {
      assumeTrue(false, notHere.getMessage());
      return;
    }
    readsAreRight(direct, "1");
  }

  @Test
  void whatARingCannotOpenWorkersRead() throws Exception {
    StorageDirectory real = RealStorageDirectory.open(directory);
    StorageDirectory lying =
        with(
            StorageDirectory.class,
            real,
            "openForRandomReads",
            args -> {
              StorageFile file = real.openForRandomReads((String) args[0]);
              FilePlace nowhere = new FilePlace(real.path() + "/nothing", false);
              return with(StorageFile.class, file, "place", ignored -> nowhere);
            });
    RespServer server = start(lying, "1");
    try (RawClient client = new RawClient(server.port())) {
      fill(client);
      getAll(List.of(client));
      assertEquals(0, server.blocksReadByLoops());
    } finally {
      server.stop();
    }
  }

  private interface Call {
    Object with(Object[] args) throws Throwable;
  }

  /** {@code real}, but for one method. */
  private static <T> T with(Class<T> type, T real, String method, Call instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, args) -> {
              if (called.getName().equals(method)) {
                return instead.with(args);
              }
              try {
                return called.invoke(real, args);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  @Test
  void filesOfTablesThatAreMergedAwayAreClosed() throws Exception {
    RespServer server = start(RealStorageDirectory.open(directory), "1");
    try (RawClient client = new RawClient(server.port())) {
      for (int round = 0; round < 3; round++) {
        fill(client);
        getAll(List.of(client));
      }
      Await.until(
          () -> openFiles().stream().noneMatch(path -> path.endsWith("(deleted)")),
          SECONDS_MAX,
          () -> "files that are gone are still open");
    } finally {
      server.stop();
    }
  }

  @Test
  void aServerStopsWhileReadsAreUnderWay() throws Exception {
    RespServer server = start(RealStorageDirectory.open(directory), "2");
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new RawClient(server.port()));
    }
    fill(clients.get(0));
    for (RawClient client : clients) {
      client.send("GET k1|GET k1000|GET k2000|GET k3000|".repeat(PIPELINE));
    }
    server.stop();
    for (RawClient client : clients) {
      client.close();
    }
    assertEquals(0, offHeap.heldBytes());
    assertEquals(List.of(), openFiles());
  }
}
