package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Databases;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.Strings;
import dev.varve.lsm.TreeOptions;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BulkLoadTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final int KEYS = 20_000;
  private static final int FIELDS_AT_ONCE = 50;

  private final OffHeap offHeap = new OffHeap();

  /** With memtables that are full many times over, and a cache in which almost nothing is. */
  private TreeEngine open(StorageDirectory directory) throws IOException {
    return TreeEngine.open(
        directory,
        TreeOptions.builder()
            .memtableBytesMax(512 << 10)
            .flushedTableBytes(256 << 10)
            .blockCacheBytesMax(64 << 10),
        offHeap,
        16);
  }

  private BulkLoad load(TreeEngine engine) {
    return new BulkLoad(engine, PackedLimits.DEFAULT, 16, NOW);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** One hash whose fields come again and again, among keys of their own. */
  private static void fill(BulkLoad load) throws IOException {
    for (int i = 0; i < KEYS; i++) {
      byte[] key = bytes("key:" + i);
      load.write(transaction -> Strings.set(transaction, 0, key, key));
      if (i % FIELDS_AT_ONCE == 0) {
        byte[][] items = new byte[2 * FIELDS_AT_ONCE][];
        for (int field = 0; field < FIELDS_AT_ONCE; field++) {
          // Half of them are there by then, in a table of old.
          items[2 * field] = bytes("field:" + (i / 2 + field));
          items[2 * field + 1] = key;
        }
        load.write(transaction -> Hashes.set(transaction, 0, bytes("hash"), items));
      }
    }
  }

  private static long ask(TreeEngine engine, ToLongFunction<Transaction> question) {
    try (StoreView view = engine.blockingView()) {
      return question.applyAsLong(
          new Transaction(
              engine.store(),
              view,
              Databases.load(view, 16),
              PackedLimits.DEFAULT,
              NOW,
              new SplittableRandom(),
              false));
    }
  }

  @Test
  void allThatIsWrittenIsInTablesWhenItIsFinishedAndSurvivesPowerLoss() throws IOException {
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    BulkLoad load = load(open(directory));
    fill(load);
    load.finish();
    load.close();
    CrashableStorageDirectory after = directory.crash(new Random(1), 0);
    try (TreeEngine engine = open(after)) {
      assertEquals(0, engine.recovery().logBatches());
      for (int i = 0; i < KEYS; i += 37) {
        byte[] key = bytes("key:" + i);
        assertEquals(key.length, ask(engine, each -> Strings.length(each, 0, key)));
      }
      long fields = KEYS / 2 - FIELDS_AT_ONCE / 2 + FIELDS_AT_ONCE;
      assertEquals(fields, ask(engine, each -> Hashes.size(each, 0, bytes("hash"))));
    }
    assertEquals(0, offHeap.heldBytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {".log", ".sst"})
  void aDiskThatFailsEndsItWithTheReason(String files) throws IOException {
    FailingStorageDirectory directory =
        new FailingStorageDirectory(new CrashableStorageDirectory());
    try (BulkLoad load = load(open(directory))) {
      load.write(transaction -> Strings.set(transaction, 0, bytes("a"), bytes("b")));
      directory.failAll(
          call -> call.kind() == FailingStorageDirectory.Kind.WRITE && call.file().endsWith(files),
          new IOException("no space in the test"));
      IOException failure =
          assertThrows(
              IOException.class,
              () -> {
                fill(load);
                load.finish();
              });
      assertTrue(
          String.valueOf(failure.getMessage()).contains("no space in the test"), failure::toString);
      directory.heal();
    }
    assertEquals(0, offHeap.heldBytes());
  }
}
