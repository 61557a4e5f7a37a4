package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that stops while it has something to do. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StopTest {
  private static final int DATABASES = 1;

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  private RespServer start() throws IOException {
    return RespServer.start(
        ServerFixture.settings("databases", Integer.toString(DATABASES)),
        TreeEngine.open(directory, TreeOptions.builder(), new OffHeap(), DATABASES),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }

  @Test
  void aSaveThatHasJustBegunDoesNotKeepItFromStopping() throws IOException {
    RespServer server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("+OK|", client.ask("SET key value"));
      assertEquals("+Background saving started|", client.ask("BGSAVE"));
    }
    server.stop();

    server = start();
    try (RawClient client = new RawClient(server.port())) {
      assertEquals("$5|value|", client.ask("GET key"));
    }
    server.stop();
  }
}
