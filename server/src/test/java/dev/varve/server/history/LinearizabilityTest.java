package dev.varve.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a checker of histories must let pass, and what it must not. */
class LinearizabilityTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private final List<Operation> history = new ArrayList<>();

  private LinearizabilityTest did(long from, long to, String words, String reply) {
    history.add(new Operation("k", List.of(words.split(" ")), from, to, reply));
    return this;
  }

  private LinearizabilityTest lost(long from, long deadBy, String words) {
    history.add(new Operation("k", List.of(words.split(" ")), from, deadBy, null));
    return this;
  }

  private void holds() {
    assertEquals("", Linearizability.violation(history));
  }

  private void isRefused() {
    assertNotEquals("", Linearizability.violation(history));
  }

  @Test
  void oneAfterTheOtherIsFine() {
    did(1, 2, "SET 1", "+OK|").did(3, 4, "INCR", ":2|").did(5, 6, "GET", "$1|2|").holds();
  }

  @Test
  void aReadBesideAWriteMaySeeEither() {
    did(1, 2, "SET 1", "+OK|").did(3, 6, "SET 2", "+OK|").did(4, 5, "GET", "$1|1|").holds();
    did(4, 5, "GET", "$1|2|").holds();
  }

  @Test
  void aStaleReadIsRefused() {
    did(1, 2, "SET 1", "+OK|").did(3, 4, "SET 2", "+OK|").did(5, 6, "GET", "$1|1|").isRefused();
  }

  @Test
  void aReadThatGoesBackIsRefused() {
    did(1, 2, "SET 1", "+OK|").did(3, 9, "SET 2", "+OK|");
    did(4, 5, "GET", "$1|2|").did(6, 7, "GET", "$1|1|").isRefused();
  }

  @Test
  void anAcknowledgedWriteThatIsGoneAfterACrashIsRefused() {
    did(1, 2, "SET 1", "+OK|").did(3, 4, "SET 2", "+OK|").lost(4, 9, "INCR");
    did(10, 11, "GET", "$1|1|").isRefused();
  }

  @Test
  void anElementThatIsPoppedTwiceIsRefused() {
    did(1, 2, "LPUSH a", ":1|").did(3, 6, "RPOP", "$1|a|").did(4, 7, "RPOP", "$1|a|").isRefused();
  }

  @Test
  void twoIncrementsWithOneResultAreRefused() {
    did(1, 4, "INCR", ":1|").did(2, 5, "INCR", ":1|").isRefused();
  }

  @Test
  void aLostWriteMayHaveHappenedOrNot() {
    did(1, 2, "SET 1", "+OK|").lost(3, 9, "SET 2");
    did(10, 11, "GET", "$1|1|").holds();
    history.remove(2);
    did(10, 11, "GET", "$1|2|").holds();
  }

  @Test
  void aLostWriteThatAppearsAfterItsServerWasDeadIsRefused() {
    did(1, 2, "SET 1", "+OK|").lost(3, 9, "SET 2");
    did(10, 11, "GET", "$1|1|").did(12, 13, "GET", "$1|2|").isRefused();
  }

  @Test
  void aLostWriteOfUnknownEndMayHappenAtAnyTime() {
    did(1, 2, "SET 1", "+OK|").lost(3, Long.MAX_VALUE, "SET 2");
    did(10, 11, "GET", "$1|1|").did(12, 13, "GET", "$1|2|").holds();
    did(14, 15, "GET", "$1|1|").isRefused();
  }

  @Test
  void aWriteThatHappensHalfIsRefused() {
    did(1, 2, "SET 1", "+OK|").lost(3, 9, "CAS 1 23").did(10, 11, "GET", "$1|2|").isRefused();
  }

  /** A few operations at a time, so that all their orders can be tried. */
  @Test
  void theVerdictIsThatOfTryingAllOrders() {
    System.out.println("LinearizabilityTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] verdicts = new int[2];
    for (int round = 0; round < 20_000; round++) {
      history.clear();
      history.addAll(new SimulatedServer(random, 3, 1).run(1 + random.nextInt(6)));
      if (random.nextBoolean()) {
        int at = random.nextInt(history.size());
        Operation changed = history.get(at);
        if (!changed.isLost()) {
          String other = history.get(random.nextInt(history.size())).reply();
          history.set(at, changed.withReply(other == null ? ":1|" : other));
        }
      }
      boolean expected = isExplained("", new ArrayList<>(history));
      assertEquals(
          expected,
          Linearizability.violation(history).isEmpty(),
          () -> "seed " + SEED + ": " + history);
      verdicts[expected ? 1 : 0]++;
    }
    assertTrue(verdicts[0] > 1_000 && verdicts[1] > 1_000, "of both kinds");
  }

  private static boolean isExplained(String state, List<Operation> left) {
    if (left.stream().allMatch(Operation::isLost)) {
      return true;
    }
    for (int i = 0; i < left.size(); i++) {
      Operation next = left.get(i);
      List<Operation> others = new ArrayList<>(left);
      others.remove(i);
      if (others.stream().anyMatch(other -> other.endedNanos() < next.invokedNanos())) {
        // Only a lost one can be passed over for ever.
        if (others.stream()
            .anyMatch(other -> !other.isLost() && other.endedNanos() < next.invokedNanos())) {
          continue;
        }
        others.removeIf(other -> other.endedNanos() < next.invokedNanos());
      }
      KeyModel.Step step = KeyModel.step(state, next.words());
      if ((next.reply() == null || next.reply().equals(step.reply()))
          && isExplained(step.state(), others)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aLongHistoryIsJudgedAndOneForgottenWriteInItIsFound() {
    System.out.println("LinearizabilityTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    history.addAll(new SimulatedServer(random, 16, 6).run(10_000));
    holds();
    for (int i = 0; i < 5; i++) {
      assertNotEquals("", Linearizability.violation(PlantedLoss.in(history, random)));
    }
  }
}
