package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestRoomTest {
  private final Deque<Runnable> looks = new ArrayDeque<>();
  private final Deque<Integer> lookMillis = new ArrayDeque<>();
  private final RequestRoom room =
      new RequestRoom(
          1_000_000,
          2_000_000,
          (millis, look) -> {
            lookMillis.add(millis);
            looks.add(look);
          });
  private final List<String> told = new ArrayList<>();

  private final class Its {
    private final RequestRoom.Place place;
    private boolean isIdle = true;

    Its(String name) {
      place = room.place(() -> told.add(name), () -> isIdle);
    }

    Its has(long bytes) {
      assertTrue(place.ask(bytes));
      return this;
    }

    Its waitsFor(long bytes) {
      assertFalse(place.ask(bytes));
      return this;
    }
  }

  private void look() {
    lookMillis.remove();
    looks.remove().run();
  }

  @Test
  void whoFindsNoRoomHasItOnceOthersNeedItNoLonger() {
    Its one = new Its("one").has(600_000);
    Its two = new Its("two").has(400_000);
    Its three = new Its("three").waitsFor(500_000);
    two.place.keep(0);
    assertEquals(List.of(), told);
    one.place.keep(0);
    assertEquals(List.of("three"), told);
    three.has(500_000);
  }

  @Test
  void whatIsSentAndHasNoPlaceTakesFromTheRoom() {
    Its outside = new Its("outside");
    outside.place.holds(1_500_000);
    Its one = new Its("one").has(400_000);
    one.place.holds(300_000);
    Its two = new Its("two").waitsFor(200_000);
    one.place.holds(100_000);
    two.waitsFor(200_000);
    outside.place.holds(1_400_000);
    assertEquals(List.of("two"), told);
    two.has(200_000);
    new Its("three").waitsFor(100_000);
  }

  @Test
  void whoLosesItsPlaceStillTakesWhatItHasSent() {
    Its slow = new Its("slow").has(900_000);
    slow.place.holds(900_000);
    Its outside = new Its("outside");
    outside.place.holds(600_000);
    new Its("next").waitsFor(400_000);
    new Its("last").waitsFor(300_000);
    look();
    look();
    assertEquals(List.of("next", "slow"), told);
    slow.place.holds(500_000);
    assertEquals(List.of("next", "slow", "last"), told);
  }

  @Test
  void nobodyOvertakesWhoNeedsMoreThanThereIs() {
    Its one = new Its("one").has(600_000);
    Its large = new Its("large").waitsFor(1_500_000);
    Its small = new Its("small").waitsFor(100_000);
    one.place.keep(0);
    assertEquals(List.of("large"), told);
    large.has(1_500_000);
    small.waitsFor(100_000);
    large.place.keep(900_000);
    assertEquals(List.of("large", "small"), told);
    small.has(100_000);
  }

  @Test
  void whoNeedsMoreThanItWasKnownToHasItFirstAndTheOldestAlways() {
    Its oldest = new Its("oldest").has(500_000);
    Its young = new Its("young").has(400_000);
    Its other = new Its("other").waitsFor(300_000);
    young.waitsFor(700_000);
    oldest.has(900_000);
    oldest.has(1_200_000);
    oldest.place.keep(0);
    assertEquals(List.of("young", "other"), told);
    young.has(700_000);
    other.has(300_000);
  }

  @Test
  void whoSendsNothingWhileOthersWaitGoesToTheEndOfTheLine() {
    Its slow = new Its("slow").has(600_000);
    Its other = new Its("other").has(400_000);
    Its next = new Its("next").waitsFor(1_000_000);
    for (int i = 0; i < 3; i++) {
      other.place.came(RequestRoom.LOOK_MILLIS_MAX * RequestRoom.PROGRESS_BYTES_PER_MILLI);
      look();
    }
    assertEquals(List.of("slow"), told);
    assertTrue(slow.place.wasSlow());
    slow.waitsFor(100_000);
    other.place.keep(0);
    assertEquals(List.of("slow", "next"), told);
    next.place.keep(0);
    slow.has(100_000);
    slow.place.keep(0);
    assertFalse(slow.place.wasSlow());
  }

  @Test
  void aByteNowAndThenIsNothing() {
    Its slow = new Its("slow").has(1_000_000);
    Its next = new Its("next").waitsFor(1_000_000);
    look();
    slow.place.came(1);
    look();
    assertTrue(slow.place.wasSlow());
    next.has(1_000_000);
  }

  @Test
  void whoWaitsForTheServerKeepsItsPlace() {
    Its one = new Its("one").has(1_000_000);
    one.isIdle = false;
    Its next = new Its("next").waitsFor(1_000_000);
    for (int i = 0; i < 10; i++) {
      look();
    }
    next.waitsFor(1_000_000);
    one.isIdle = true;
    look();
    assertTrue(one.place.wasSlow());
    assertEquals(List.of("next", "one"), told);
  }

  @Test
  void nobodyIsSlowWhereNobodyWaits() {
    Its slow = new Its("slow").has(1_000_000);
    assertEquals(0, looks.size());
    Its gone = new Its("gone").waitsFor(1);
    gone.place.keep(0);
    look();
    assertEquals(0, looks.size());
    assertFalse(slow.place.wasSlow());
    new Its("next").waitsFor(1);
    look();
    assertTrue(slow.place.wasSlow());
  }

  @Test
  void theMoreWaitTheLessTimeIsGiven() {
    new Its("busy").has(1_000_000).isIdle = false;
    new Its("first").waitsFor(1_000_000);
    assertEquals(List.of(100), List.copyOf(lookMillis));
    for (int i = 1; i < 40; i++) {
      new Its("next").waitsFor(1_000_000);
    }
    look();
    assertEquals(List.of(50), List.copyOf(lookMillis));
    for (int i = 40; i < 1_000; i++) {
      new Its("next").waitsFor(1_000_000);
    }
    look();
    assertEquals(List.of(10), List.copyOf(lookMillis));
  }

  @Test
  void whoLeavesWhileItWaitsKeepsNobodyBack() {
    Its one = new Its("one").has(800_000);
    Its gone = new Its("gone").waitsFor(900_000);
    Its next = new Its("next").waitsFor(200_000);
    gone.place.keep(0);
    assertEquals(List.of("next"), told);
    next.has(200_000);
    one.place.keep(0);
    assertEquals(List.of("next"), told);
  }
}
