package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.member.Hashes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SAVE writes what was there when it was asked, and no more. */
@Timeout(60)
class EngineFlushTest {
  private static final String ROTATED = "immutable_memtables";

  @Test
  void whatIsWrittenAfterAFlushStaysInMemory()
      throws IOException, InterruptedException, ExecutionException {
    ExecutorService worker = Executors.newSingleThreadExecutor();
    try (EngineRig rig = new EngineRig(1 << 20)) {
      write(rig, "before");
      Future<Void> flush = flush(rig, worker);
      // The loop takes one turn in which it rotates, and its next only when the flush has ended:
      // meanwhile the flush finds what it waits for still unwritten.
      while (rig.figure(ROTATED) == 0 && !flush.isDone()) {
        rig.keepHouse();
      }
      flush.get();
      assertEquals(0, rig.figure(ROTATED));
      long tables = rig.tableEntries();
      assertTrue(tables > 0, "nothing was flushed");

      write(rig, "after");
      rig.keepHouse();
      rig.work();
      assertEquals(tables, rig.tableEntries(), "what came later was flushed too");
    } finally {
      worker.shutdownNow();
    }
  }

  @Test
  void aFlushEndsWithTheServerAlthoughNobodyMakesWayForIt()
      throws IOException, InterruptedException {
    ExecutorService worker = Executors.newSingleThreadExecutor();
    try (EngineRig rig = new EngineRig(1 << 20)) {
      write(rig, "before");
      Future<Void> flush = flush(rig, worker);
      rig.engine().endBackgroundWork();
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> flush.get(20, TimeUnit.SECONDS));
      assertInstanceOf(IOException.class, failure.getCause());
    } finally {
      worker.shutdownNow();
    }
  }

  private static Future<Void> flush(EngineRig rig, ExecutorService worker) {
    return worker.submit(
        () -> {
          rig.engine().flush();
          return null;
        });
  }

  private static void write(EngineRig rig, String field) throws IOException {
    rig.write(transaction -> Hashes.set(transaction, 0, bytes("key"), bytes(field), bytes("1")));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
