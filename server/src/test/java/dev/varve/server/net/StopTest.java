package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops while it has something to do. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StopTest {
  private static final int DATABASES = 1;

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  @TempDir Path backups;

  private RespServer start() throws IOException {
    return RespServer.start(
        ServerFixture.settings(
            "databases", Integer.toString(DATABASES), "backup-dir", backups.toString()),
        TreeEngine.open(directory, TreeOptions.builder(), new OffHeap(), DATABASES),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
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
  void aSaveThatHasJustBegunDoesNotKeepItFromStopping() throws IOException {
    RespServer server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("+OK|", client.ask("SET key value"));
      assertEquals("+Background saving started|", client.ask("BGSAVE"));
    }
    server.stop();
    try (Stream<Path> left = Files.list(backups)) {
      assertTrue(left.noneMatch(backup -> backup.toString().endsWith(".tmp")), "half a backup");
    }

    server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("$5|value|", client.ask("GET key"));
    }
    server.stop();
  }
}
