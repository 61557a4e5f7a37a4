package dev.varve.server.net.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadAttemptsTest {
  private final LoadAttempts attempts = new LoadAttempts();

  /** How many seconds go by before the next one, after one that has failed. */
  private int pause() {
    attempts.failed();
    int seconds = 1;
    while (!attempts.isNextDue()) {
      seconds++;
    }
    return seconds;
  }

  @Test
  void thePauseIsTwiceAsLongEachTimeUpToAQuarterOfAMinute() {
    List<Integer> pauses = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      pauses.add(pause());
    }
    assertEquals(List.of(1, 2, 4, 8, 16, 16, 16), pauses);
  }

  @Test
  void onceOneHasSucceededTheFirstPauseIsShortAgain() {
    pause();
    pause();
    attempts.forget();
    assertEquals(1, pause());
  }
}
