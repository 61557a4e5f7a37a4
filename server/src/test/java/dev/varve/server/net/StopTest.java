package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops while it has something to do. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StopTest {
  private static final int DATABASES = 1;

  /** A stop that waits for what nobody does any more takes a minute. */
  private static final int SECONDS_MAX = 30;

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final CountDownLatch heldBackup = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private volatile boolean holdsBackups;

  @TempDir Path backups;

  private RespServer start() throws IOException {
    return RespServer.start(
        ServerFixture.settings(
            "databases", Integer.toString(DATABASES), "backup-dir", backups.toString()),
        TreeEngine.open(holding(), TreeOptions.builder(), new OffHeap(), DATABASES),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }

  /** The directory, which can hold a backup where it takes its first table. */
  private StorageDirectory holding() {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (holdsBackups && method.getName().equals("duplicate")) {
            heldBackup.countDown();
            assertTrue(goOn.await(SECONDS_MAX, TimeUnit.SECONDS), "held for too long");
          }
          try {
            return method.invoke(directory, arguments);
          } catch (InvocationTargetException failed) {
            throw failed.getCause();
          }
        };
    return (StorageDirectory)
        Proxy.newProxyInstance(
            StopTest.class.getClassLoader(), new Class<?>[] {StorageDirectory.class}, handler);
  }

  private List<String> backups() throws IOException {
    try (Stream<Path> entries = Files.list(backups)) {
      return entries.map(Path::toString).sorted().toList();
    }
  }

  private static boolean listens(int port) {
    try (RawClient client = new RawClient(port)) {
      return client.ask("PING").equals("+PONG|");
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  @Timeout(value = SECONDS_MAX, unit = TimeUnit.SECONDS)
  void aBackupUnderWayIsGivenUp() throws Exception {
    RespServer server = start();
    try (RawClient client = new RawClient(server.port())) {
      for (int table = 0; table < 2; table++) {
        assertEquals("+OK|", client.ask("SET key" + table + " value"));
        assertEquals("+OK|", client.ask("SAVE"));
      }
      List<String> before = backups();
      assertEquals(1, before.size(), before.toString());
      holdsBackups = true;
      assertEquals("+Background saving started|", client.ask("BGSAVE"));
      assertTrue(heldBackup.await(SECONDS_MAX, TimeUnit.SECONDS), "no backup began");
      AtomicReference<IOException> failure = new AtomicReference<>();
      Thread stop =
          new Thread(
              () -> {
                try {
                  server.stop();
                } catch (IOException failed) {
                  failure.set(failed);
                }
              });
      stop.start();
      Await.until(() -> !listens(server.port()), SECONDS_MAX, () -> "it still listens");
      goOn.countDown();
      stop.join();
      assertNull(failure.get());
      assertEquals(before, backups(), "one was made although the server stops");
    }
  }

  @Test
  void wishesThatContradictEachOtherDoNotStopIt() throws IOException {
    RespServer server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("-ERR syntax error|", client.ask("SHUTDOWN SAVE NOSAVE"));
      assertEquals("-ERR syntax error|", client.ask("SHUTDOWN NOSAVE NOW SAVE"));
      assertEquals("+PONG|", client.ask("PING"));
    }
    server.stop();
  }

  @Test
  @Timeout(value = SECONDS_MAX, unit = TimeUnit.SECONDS)
  void aSaveThatHasJustBegunDoesNotKeepItFromStopping() throws IOException {
    RespServer server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("+OK|", client.ask("SET key value"));
      assertEquals("+Background saving started|", client.ask("BGSAVE"));
    }
    server.stop();
    assertTrue(backups().stream().noneMatch(name -> name.endsWith(".tmp")), "half a backup");

    server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("$5|value|", client.ask("GET key"));
    }
    server.stop();
  }
}
