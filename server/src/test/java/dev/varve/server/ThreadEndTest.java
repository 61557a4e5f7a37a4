package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadEndTest {
  private final List<Integer> exits = new ArrayList<>();
  private final ThreadEnd end = new ThreadEnd(exits::add);

  @Test
  void aThreadThatEndsForWantOfMemoryEndsTheProcess() {
    end.uncaughtException(Thread.currentThread(), new OutOfMemoryError("Java heap space"));
    assertEquals(List.of(ThreadEnd.EXIT_NO_MEMORY), exits);
  }

  @Test
  void anyOtherEndOfAThreadIsLoggedAndNoMore() {
    end.uncaughtException(Thread.currentThread(), new IllegalStateException("a test's"));
    assertEquals(List.of(), exits);
  }
}
