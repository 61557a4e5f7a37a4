package dev.varve.server.net.follow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DumpPipeTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private final AtomicInteger rooms = new AtomicInteger();
  private final DumpPipe pipe = new DumpPipe(100, rooms::incrementAndGet);

  @Test
  void isFullUntilHalfIsRead() throws IOException {
    pipe.add(new byte[60]);
    assertEquals(false, pipe.isFull());
    pipe.add(new byte[60]);
    assertEquals(true, pipe.isFull());
    assertEquals(60, pipe.read(new byte[100], 0, 100));
    assertEquals(true, pipe.isFull());
    assertEquals(0, rooms.get());
    assertEquals(11, pipe.read(new byte[100], 0, 11));
    assertEquals(false, pipe.isFull());
    assertEquals(1, rooms.get());
  }

  @Test
  void whoReadsGetsAllOfItInOrder() throws Exception {
    System.out.println("DumpPipeTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] all = new byte[100_000];
    random.nextBytes(all);
    CompletableFuture<byte[]> read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return pipe.readAllBytes();
              } catch (IOException failure) {
                throw new AssertionError(failure);
              }
            });
    for (int at = 0; at < all.length; ) {
      int to = Math.min(all.length, at + 1 + random.nextInt(1000));
      byte[] piece = new byte[to - at];
      System.arraycopy(all, at, piece, 0, piece.length);
      pipe.add(piece);
      at = to;
    }
    pipe.end();
    assertArrayEquals(all, read.get());
    assertEquals(-1, pipe.read());
  }

  @Test
  void whoReadsIsToldThatThereWillBeNoMore() {
    pipe.add(new byte[10]);
    pipe.fail(new IOException("gone"));
    pipe.fail(new IOException("once more"));
    IOException failure = assertThrows(IOException.class, pipe::read);
    assertEquals("gone", failure.getMessage());
  }
}
