package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long replies behind writes of the same pass, which wait for their commit: more than the heap. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class HeldRepliesProcessTest {
  private static final int BIG_BYTES = 1 << 20;
  private static final int CLIENTS = 200;

  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"everysec", "always"})
  void noneIsRefusedForWhatOthersWaitFor(String policy)
      throws IOException, InterruptedException, ExecutionException {
    ExecutorService readers = Executors.newFixedThreadPool(CLIENTS);
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--appendfsync", policy);
        RawClient other = server.client()) {
      assertEquals(":" + BIG_BYTES + "|", other.ask("setrange big " + (BIG_BYTES - 1) + " b"));
      List<Future<Boolean>> whole = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        String key = "key:" + i;
        whole.add(
            readers.submit(
                () -> {
                  try (RawClient client = server.client()) {
                    return writesAndReads(client, key);
                  }
                }));
      }
      int wholes = 0;
      for (Future<Boolean> its : whole) {
        wholes += its.get() ? 1 : 0;
      }
      assertTrue(wholes > CLIENTS / 2, wholes + " were served");
      assertEquals("+PONG|", other.ask("ping"));
      server.stop();
    } finally {
      readers.shutdownNow();
    }
  }

  /** False if it was closed, as one may be who reads more slowly than all others. */
  private static boolean writesAndReads(RawClient client, String key) throws IOException {
    client.send(("set " + key + " x|get big|").repeat(5));
    try {
      for (int i = 0; i < 5; i++) {
        assertEquals("+OK|", client.reply());
        assertEquals("$" + BIG_BYTES, client.firstLine());
        client.skip(BIG_BYTES + 2);
      }
      return true;
    } catch (EOFException | SocketException closed) {
      return false;
    }
  }
}
