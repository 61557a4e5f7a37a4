package dev.varve.server.net.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Upcoming;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final List<String> ran = new ArrayList<>();
  private final List<Integer> looks = new ArrayList<>();
  private int watched;
  private boolean doesLookFail;

  private final Arrivals arrivals =
      new Arrivals(
          loop::add,
          task -> {
            watched++;
            task.run();
          },
          this::look);

  private void look(Collection<? extends Upcoming> clients) {
    looks.add(clients.stream().mapToInt(Upcoming::count).sum());
    if (doesLookFail) {
      throw new IllegalStateException("no look");
    }
  }

  private class Client implements Arrivals.Client {
    private final String name;
    private final int count;

    Client(String name, int count) {
      this.name = name;
      this.count = count;
    }

    @Override
    public void run() {
      ran.add(name);
    }

    @Override
    public Session session() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Iterable<Object> requests() {
      return Collections.nCopies(count, name);
    }

    @Override
    public int count() {
      return count;
    }
  }

  private void arrive(int clients, int requestsOfEach) {
    for (int i = 0; i < clients; i++) {
      arrivals.add(new Client("client " + i, requestsOfEach));
    }
  }

  private void passEnds() {
    List<Runnable> now = new ArrayList<>(loop);
    loop.clear();
    now.forEach(Runnable::run);
  }

  @Test
  void nobodyRunsBeforeTheSocketsHaveBeenRead() {
    arrive(3, 1);
    assertEquals(List.of(), ran);
    passEnds();
    assertEquals(List.of("client 0", "client 1", "client 2"), ran);
  }

  @Test
  void allWhoComeInAPassRunInOneTask() {
    arrive(100, 1);
    assertEquals(1, loop.size());
    passEnds();
    assertEquals(100, ran.size());
    assertEquals(0, loop.size());
  }

  @Test
  void aGroupIsLookedAtTogetherAndNamesNoMoreThanALookTakes() {
    arrive(40, 1);
    passEnds();
    assertEquals(List.of(16, 16, 8), looks);
    assertEquals(3, watched, "each group is a task by itself for who watches the loop");

    looks.clear();
    arrive(16, 3);
    passEnds();
    assertEquals(48, looks.stream().mapToInt(Integer::intValue).sum());
    for (int look : looks) {
      assertTrue(look < CommandExecutor.LOOK_AHEAD + CommandExecutor.PIPELINE_MIN, "" + look);
    }
  }

  @Test
  void whoArrivesWhileOthersRunIsNotForgotten() {
    arrivals.add(
        new Client("first", 1) {
          @Override
          public void run() {
            super.run();
            arrivals.add(new Client("second", 1));
          }
        });
    passEnds();
    passEnds();
    assertEquals(List.of("first", "second"), ran);
  }

  @Test
  void aLookThatFailsKeepsNobodyFromRunning() {
    doesLookFail = true;
    arrive(20, 1);
    passEnds();
    assertEquals(20, ran.size());
  }

  @Test
  void aClientThatFailsKeepsNobodyElseFromRunning() {
    arrive(2, 1);
    arrivals.add(
        new Client("broken", 1) {
          @Override
          public void run() {
            throw new IllegalStateException("broken");
          }
        });
    arrive(20, 1);
    assertThrows(IllegalStateException.class, this::passEnds);
    assertEquals(2, ran.size());
    passEnds();
    assertEquals(22, ran.size());
    assertEquals("client 2", ran.get(4), "in their order");
  }
}
