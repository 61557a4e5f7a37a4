package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferCountTest {
  private static final int THREADS = 3;
  private static final int TRANSFERS = 100_000;

  @Test
  void bothAreRightFarBeyondWhatTheSumHolds() {
    TransferCount count = new TransferCount();
    long bytes = 0;
    for (int i = 1; i <= 1000; i++) {
      count.add((1L << 37) + i);
      bytes += (1L << 37) + i;
      count.add(0);
      assertEquals(bytes, count.bytes());
    }
    assertEquals(2000, count.transfers());
  }

  @Test
  void whatIsCountedWhileSomebodyLooksIsCountedOnce() throws InterruptedException {
    TransferCount count = new TransferCount();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < TRANSFERS; i++) {
                  count.add(7);
                }
              });
      threads.add(thread);
      thread.start();
    }
    while (count.transfers() < THREADS * TRANSFERS / 2) {
      Thread.onSpinWait();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(THREADS * TRANSFERS, count.transfers());
    assertEquals(THREADS * TRANSFERS * 7L, count.bytes());
  }

  @Test
  void bothBeginAgainFromZero() {
    TransferCount count = new TransferCount();
    count.add(5);
    count.reset();
    count.add(3);
    assertEquals(3, count.bytes());
    assertEquals(1, count.transfers());
  }
}
