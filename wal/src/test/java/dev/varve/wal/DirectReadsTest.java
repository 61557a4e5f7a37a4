package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads past the page cache give what was written, wherever they begin and end. */
class DirectReadsTest {
  private static final String NAME = "table";

  @TempDir Path path;

  /** Whether there are such reads depends on where tests put their files. */
  private StorageDirectory open() {
    try {
      return RealStorageDirectory.openForDirectReads(path);
    } catch (IOException e) {
      return abort(e.toString());
    }
  }

  private static byte[] write(StorageDirectory directory, int length) throws IOException {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    try (StorageFile file = directory.create(NAME)) {
      file.writeFully(ByteBuffer.wrap(content), 0);
    }
    return content;
  }

  private static void assertReads(StorageFile file, byte[] content, int from, int to)
      throws IOException {
    // A few bytes more, which must stay as they are.
    ByteBuffer target = ByteBuffer.allocateDirect(to - from + 5).position(2).limit(to - from + 2);
    file.readFully(target, from);
    assertEquals(0, target.remaining());
    byte[] read = new byte[to - from + 5];
    target.clear().get(read);
    byte[] wanted = new byte[read.length];
    System.arraycopy(content, from, wanted, 2, to - from);
    assertArrayEquals(wanted, read);
  }

  @Test
  void anyRangeOfAnyFileIsReadAsItWasWritten() throws IOException {
    long seed = System.nanoTime();
    System.out.println("DirectReadsTest seed " + seed);
    Random random = new Random(seed);
    int piece = AlignedReads.PIECE_BYTES;
    int[] lengths = {1, 4095, 4096, 4097, piece, piece + 1, 3 * piece + random.nextInt(9000)};
    try (StorageDirectory directory = open()) {
      for (int length : lengths) {
        byte[] content = write(directory, length);
        try (StorageFile file = directory.openForRandomReads(NAME)) {
          assertEquals(length, file.length());
          assertReads(file, content, 0, length);
          for (int i = 0; i < 50; i++) {
            int from = random.nextInt(length);
            assertReads(file, content, from, from + 1 + random.nextInt(length - from));
          }
        }
        directory.delete(NAME);
      }
    }
  }

  @Test
  void aFileSystemWithBlocksThatAreTooLargeIsRefusedWithAReason() {
    IOException refused =
        assertThrows(
            IOException.class, () -> RealStorageDirectory.openForDirectReads(path, 128 << 10));
    assertEquals(
        "the file system of "
            + path
            + " has blocks of 131072 bytes: direct reads take at most 65536",
        refused.getMessage());
  }

  /** Else a start would take the directory for somebody else's. */
  @Test
  void whatAKilledStartHasLeftOfItsProbeIsNoFileOfTheDirectory() throws IOException {
    Files.createTempFile(path, "probe-", ".tmp");
    try (StorageDirectory directory = RealStorageDirectory.open(path)) {
      assertEquals(List.of(), directory.list());
      write(directory, 1);
      assertEquals(List.of(NAME), directory.list());
    }
  }

  @Test
  void whatIsBehindTheEndIsAnError() throws IOException {
    try (StorageDirectory directory = open()) {
      write(directory, 5000);
      try (StorageFile file = directory.openForRandomReads(NAME)) {
        for (int from : new int[] {0, 1, 4095, 4096, 4999, 5000, 8192, 70_000}) {
          ByteBuffer beyond = ByteBuffer.allocate(Math.max(1, 5001 - from));
          assertThrows(EOFException.class, () -> file.readFully(beyond, from), "from " + from);
        }
      }
    }
  }

  @Test
  void manyThreadsReadBesideEachOther() throws Exception {
    try (StorageDirectory directory = open()) {
      byte[] content = write(directory, 500_000);
      ExecutorService threads = Executors.newFixedThreadPool(24);
      try (StorageFile file = directory.openForRandomReads(NAME)) {
        List<Future<?>> readers = new ArrayList<>();
        for (int t = 0; t < 24; t++) {
          Random random = new Random(t);
          readers.add(
              threads.submit(
                  () -> {
                    for (int i = 0; i < 100; i++) {
                      int from = random.nextInt(480_000);
                      byte[] read = new byte[16_000];
                      file.readFully(ByteBuffer.wrap(read), from);
                      assertArrayEquals(Arrays.copyOfRange(content, from, from + 16_000), read);
                    }
                    return null;
                  }));
        }
        for (Future<?> reader : readers) {
          reader.get();
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }
}
