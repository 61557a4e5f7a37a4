package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class SharedHeapTest {
  private final SharedHeap heap = new SharedHeap(1_000, 3_000);
  private final Deque<Runnable> hereTasks = new ArrayDeque<>();
  private final Deque<Runnable> thereTasks = new ArrayDeque<>();
  private final Executor here = hereTasks::add;
  private final Executor there = thereTasks::add;
  private final List<String> closed = new ArrayList<>();

  private class Its implements SharedHeap.Client {
    private final String name;
    private final Executor own;
    private long held;
    private long relieved;
    private long weightMore;

    Its(String name, Executor own) {
      this.name = name;
      this.own = own;
    }

    Its holds(long bytes) {
      long before = held;
      held = bytes;
      heap.changed(this, before, bytes);
      return this;
    }

    @Override
    public long heldBytes() {
      return held;
    }

    @Override
    public long weight() {
      return held + weightMore;
    }

    @Override
    public Executor own() {
      return own;
    }

    @Override
    public void relieve() {
      if (relieved > 0) {
        holds(held - relieved);
        relieved = 0;
      }
    }

    @Override
    public void closeForRoom() {
      closed.add(name);
      holds(0);
    }
  }

  @Test
  void whoTakesMostIsClosedUntilThereIsRoom() {
    new Its("small", here).holds(400);
    new Its("largest", here).holds(600);
    new Its("large", here).holds(500);
    heap.makeRoom(here);
    assertEquals(List.of("largest"), closed);
    heap.makeRoom(here);
    assertEquals(List.of("largest"), closed);
  }

  @Test
  void whoHasAReasonToIsClosedBeforeWhoTakesMost() {
    new Its("largest", here).holds(600);
    new Its("idle", here).holds(500).weightMore = 200;
    heap.makeRoom(here);
    assertEquals(List.of("idle"), closed);
  }

  @Test
  void nobodyIsClosedWhereSomebodyCanTakeLess() {
    new Its("one", here).holds(600);
    new Its("two", here).holds(500).relieved = 400;
    heap.makeRoom(here);
    assertEquals(List.of(), closed);
  }

  @Test
  void oneMayTakeMoreBesideWhomOthersTakeLittleButNotAll() {
    Its one = new Its("one", here).holds(2_900);
    new Its("other", here).holds(200);
    heap.makeRoom(here);
    assertEquals(List.of(), closed);
    one.holds(3_001);
    heap.makeRoom(here);
    assertEquals(List.of("one"), closed);
  }

  @Test
  void whoLeavesTheMostOfMessagesIsClosedThoughTheyAreNobodysAlone() {
    Its slow = new Its("slow", here);
    slow.weightMore = 600;
    heap.takes(slow, true);
    Message first = new Message(new byte[600]);
    Message second = new Message(new byte[600]);
    Its slower =
        new Its("slower", here) {
          @Override
          public void closeForRoom() {
            super.closeForRoom();
            heap.takes(this, false);
            heap.letGo(first);
            heap.letGo(second);
          }
        };
    slower.weightMore = 1_200;
    heap.takes(slower, true);
    heap.keep(first);
    heap.keep(first);
    heap.makeRoom(here);
    assertEquals(first.memory(), heap.bytes());
    assertEquals(List.of(), closed);
    heap.keep(second);
    heap.makeRoom(here);
    assertEquals(List.of("slower"), closed);
    assertEquals(first.memory(), heap.bytes());
  }

  @Test
  void oneOfAnotherLoopIsClosedThere() {
    new Its("here", here).holds(500);
    new Its("there", there).holds(700);
    heap.makeRoom(here);
    heap.makeRoom(here);
    assertEquals(List.of(), closed);
    assertEquals(1, thereTasks.size());
    thereTasks.remove().run();
    assertEquals(List.of("there"), closed);
  }
}
