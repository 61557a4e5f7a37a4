package dev.varve.server.command.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.DataException;
import dev.varve.server.command.Replica.Phase;
import dev.varve.server.command.lead.Failover.State;
import dev.varve.server.command.lead.Failover.Step;
import dev.varve.server.command.lead.Failover.Target;
import dev.varve.server.command.lead.Failover.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailoverTest {
  private static final Target FIRST = new Target("10.0.0.1", 7001);
  private static final Target SECOND = new Target("10.0.0.2", 7002);
  private static final Wanted ANY = new Wanted(null, 0, false);

  private final Failover failover = new Failover();
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void carry() {
    failover.carrier(
        new Failover.Carrier() {
          @Override
          public void begins() {
            told.add("begins");
          }

          @Override
          public void ends(boolean isInVain) {
            told.add(isInVain ? "ends in vain" : "ends");
          }
        });
  }

  /** One who was sent everything. */
  private static ReplicaStatus at(Target target, long offset) {
    return at(target, offset, Long.MAX_VALUE);
  }

  private static ReplicaStatus at(Target target, long offset, long sent) {
    return new ReplicaStatus(target.host(), (int) target.port(), Phase.ONLINE, offset, sent, 0);
  }

  private Step next(long written, ReplicaStatus... replicas) {
    return failover.next(List.of(replicas), written, 0);
  }

  /** Begins, and asks at 100; the question takes ten bytes. */
  private void beginAndAsk(Wanted wanted) {
    failover.begin(wanted, 0);
    assertEquals(Step.ASK, next(100));
    failover.asked(110);
  }

  @Test
  void thereIsNoneAtFirst() {
    assertEquals(State.NONE, failover.state());
    assertEquals(Step.NOTHING, next(100, at(FIRST, 100)));
  }

  @Test
  void whoHasAllTakesOver() {
    beginAndAsk(ANY);
    assertEquals(State.WAITING, failover.state());
    assertEquals(Step.NOTHING, next(110, at(FIRST, 99), at(SECOND, 98)));
    assertEquals(Step.HAND_OVER, next(110, at(FIRST, 99), at(SECOND, 100)));
    assertEquals(SECOND, failover.target());
    assertEquals(State.IN_PROGRESS, failover.state());
    failover.succeeded();
    assertEquals(List.of("begins", "ends"), told);
    assertEquals(State.NONE, failover.state());
  }

  @Test
  void nobodyElseTakesOverThanWhoIsWanted() {
    beginAndAsk(new Wanted(FIRST, 0, false));
    assertEquals(Step.NOTHING, next(110, at(FIRST, 99), at(SECOND, 110)));
    assertEquals(Step.HAND_OVER, next(110, at(FIRST, 110), at(SECOND, 110)));
    assertEquals(FIRST, failover.target());
  }

  @Test
  void whoIsNotOnlineDoesNotTakeOver() {
    beginAndAsk(ANY);
    assertEquals(
        Step.NOTHING, next(110, new ReplicaStatus("10.0.0.1", 1, Phase.DUMPED, 110, 110, 0)));
  }

  @Test
  void whatIsWrittenBehindTheQuestionIsAskedForAgain() {
    beginAndAsk(ANY);
    assertEquals(Step.ASK, next(120, at(FIRST, 110)));
    failover.asked(130);
    assertEquals(Step.NOTHING, next(130, at(FIRST, 110)));
    assertEquals(Step.HAND_OVER, next(130, at(FIRST, 120)));
  }

  /** It says how far it is each second, and not only when it is asked. */
  @Test
  void whoWasNotSentTheQuestionDoesNotTakeOver() {
    beginAndAsk(ANY);
    assertEquals(Step.NOTHING, next(110, at(FIRST, 100, 109)));
    assertEquals(Step.HAND_OVER, next(110, at(FIRST, 100, 110)));
  }

  @Test
  void endsWhenItsTimeIsOver() {
    beginAndAsk(new Wanted(null, 50, false));
    assertEquals(
        Step.NOTHING,
        failover.next(List.of(at(FIRST, 99)), 110, TimeUnit.MILLISECONDS.toNanos(49)));
    assertEquals(State.WAITING, failover.state());
    assertEquals(
        Step.NOTHING,
        failover.next(List.of(at(FIRST, 99)), 110, TimeUnit.MILLISECONDS.toNanos(50)));
    assertEquals(List.of("begins", "ends"), told);
  }

  @Test
  void byForceTheTargetTakesOverWhenItsTimeIsOver() {
    beginAndAsk(new Wanted(FIRST, 50, true));
    assertEquals(Step.HAND_OVER, failover.next(List.of(), 110, TimeUnit.MILLISECONDS.toNanos(50)));
    assertEquals(FIRST, failover.target());
    assertEquals(State.IN_PROGRESS, failover.state());
  }

  @Test
  void noTimeIsTooLongWhereNoneIsSaid() {
    beginAndAsk(ANY);
    assertEquals(Step.NOTHING, failover.next(List.of(), 110, Long.MAX_VALUE));
    assertEquals(State.WAITING, failover.state());
  }

  @Test
  void endsInVainWhenTheTargetWasAskedAndDidNotTakeOver() {
    beginAndAsk(ANY);
    next(110, at(FIRST, 100));
    failover.abort("it said no");
    assertEquals(List.of("begins", "ends in vain"), told);
    assertNull(failover.target());
    failover.abort("it said no again");
    assertEquals(2, told.size());
  }

  @Test
  void successCountsOnlyOnceTheTargetWasAsked() {
    failover.begin(ANY, 0);
    failover.succeeded();
    assertEquals(State.WAITING, failover.state());
  }

  @Test
  void aClientEndsWhatIsOnAndNothingElse() {
    assertEquals(
        "ERR No failover in progress.",
        assertThrows(DataException.class, failover::abortByClient).error());
    failover.begin(ANY, 0);
    failover.abortByClient();
    assertEquals(List.of("begins", "ends"), told);
  }

  @Test
  void thereIsOneAtATime() {
    failover.begin(ANY, 0);
    assertEquals(
        "ERR FAILOVER already in progress.",
        assertThrows(DataException.class, () -> failover.begin(ANY, 0)).error());
  }
}
