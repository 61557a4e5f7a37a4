package dev.varve.server.command.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClientsTest {
  private static final int LOOPS = 2;
  private static final int ROUNDS = 20_000;
  private static final int SPINS_MAX = 1_000;

  private final Clients clients = new Clients();
  private final AtomicInteger arrived = new AtomicInteger();

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void loopsTogetherLetInNoMoreThanThereMayBe() throws Exception {
    ExecutorService loops = Executors.newFixedThreadPool(LOOPS);
    try {
      List<Future<Integer>> letIn = new ArrayList<>();
      for (int loop = 0; loop < LOOPS; loop++) {
        letIn.add(loops.submit(this::letIn));
      }
      int sum = 0;
      for (Future<Integer> each : letIn) {
        sum += each.get();
      }
      assertEquals(ROUNDS, sum);
      assertEquals(ROUNDS, clients.accepted());
      assertEquals((LOOPS - 1) * ROUNDS, clients.rejected());
    } finally {
      loops.shutdownNow();
    }
  }

  /** In each round there is room for one. */
  private int letIn() {
    int letIn = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Session session = new Session(clients.nextId(), "?:0", "?:0", 0, true);
      meet(2 * round + 1);
      boolean isIn = clients.add(session, () -> {}, 1);
      meet(2 * round + 2);
      if (isIn) {
        letIn++;
        clients.remove(session);
      }
    }
    return letIn;
  }

  /** Goes on when all have come, at the same time as far as that is possible. */
  private void meet(int times) {
    arrived.incrementAndGet();
    for (int spins = 0; arrived.get() < times * LOOPS; spins++) {
      if (spins < SPINS_MAX) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }
}
