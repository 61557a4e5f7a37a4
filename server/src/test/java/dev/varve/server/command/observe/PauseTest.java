package dev.varve.server.command.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.observe.Pause.Cause;
import dev.varve.server.command.observe.Pause.Kind;
import org.junit.jupiter.api.Test;

class PauseTest {
  private final Pause pause = new Pause();
  private int ran;

  @Test
  void holdsNothingBeforeItBegins() {
    assertFalse(pause.mayBeOn());
    assertFalse(pause.holds(true, 0));
    assertEquals(0, pause.nextEndMillis(0));
    pause.await(() -> ran++, 0);
    assertEquals(1, ran);
  }

  @Test
  void ofWritesLetsReadsRun() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.WRITES, 100, 0);
    assertTrue(pause.holds(true, 99));
    assertFalse(pause.holds(false, 99));
    assertFalse(pause.holds(true, 100));
  }

  @Test
  void oneCauseGrowsAndNeverShrinks() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.ALL, 100, 0);
    pause.begin(Cause.CLIENT_PAUSE, Kind.WRITES, 50, 0);
    assertTrue(pause.holds(false, 99));
    pause.begin(Cause.CLIENT_PAUSE, Kind.WRITES, 200, 0);
    assertTrue(pause.holds(false, 199));
  }

  @Test
  void oneThatIsOverDoesNotGrow() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.ALL, 100, 0);
    pause.begin(Cause.CLIENT_PAUSE, Kind.WRITES, 200, 100);
    assertFalse(pause.holds(false, 150));
    assertTrue(pause.holds(true, 150));
  }

  @Test
  void endsForOneCauseAndGoesOnForAnother() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.ALL, 100, 0);
    pause.begin(Cause.FAILOVER, Kind.WRITES, 1000, 0);
    pause.end(Cause.CLIENT_PAUSE);
    assertFalse(pause.holds(false, 50));
    assertTrue(pause.holds(true, 50));
    pause.end(Cause.FAILOVER);
    assertFalse(pause.mayBeOn());
  }

  @Test
  void allWhoWaitLookAgainWhenOneOfThemIsOver() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.ALL, 100, 0);
    pause.begin(Cause.FAILOVER, Kind.WRITES, 1000, 0);
    pause.await(() -> ran++, 0);
    assertEquals(100, pause.nextEndMillis(0));
    pause.check(99);
    assertEquals(0, ran);
    pause.check(100);
    assertEquals(1, ran);
    assertEquals(1000, pause.nextEndMillis(100));
  }

  @Test
  void whatIsOverIsNotTheNextEnd() {
    pause.begin(Cause.CLIENT_PAUSE, Kind.ALL, 100, 0);
    pause.begin(Cause.FAILOVER, Kind.WRITES, 1000, 0);
    assertEquals(1000, pause.nextEndMillis(500));
  }

  @Test
  void whatIsForgottenDoesNotRun() {
    pause.begin(Cause.FAILOVER, Kind.WRITES, 1000, 0);
    Runnable task = () -> ran++;
    pause.await(task, 0);
    assertEquals(1, pause.count());
    assertTrue(pause.forget(task));
    pause.end(Cause.FAILOVER);
    assertEquals(0, ran);
    assertFalse(pause.forget(task));
  }
}
