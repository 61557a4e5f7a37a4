package dev.varve.server.command.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From where on a stream is kept, for those who are here and those who are not. */
class RetentionTest {
  private final Backlog backlog = new Backlog(0);
  private final Retention retention = new Retention();

  RetentionTest() {
    byte[] bytes = new byte[100];
    backlog.add(bytes, bytes.length);
    backlog.publish(backlog.end());
  }

  private Backlog.Mark hold(long offset) {
    return retention.hold(backlog.reader(offset));
  }

  private @Nullable Long first() {
    Backlog.Mark first = retention.first(backlog);
    return first == null ? null : first.offset();
  }

  @Test
  void itIsKeptFromTheFirstOnWhoMayNeedIt() {
    assertNull(first());
    Backlog.Mark second = hold(20);
    Backlog.Mark first = hold(10);
    assertEquals(10, first());
    first.advance(50);
    assertEquals(20, first());
    retention.release(second);
    assertEquals(50, first());
    assertNull(retention.first(new Backlog(0)), "another one");
    first.advance(20);
    assertEquals(50, first(), "it is not there any more");
    first.advance(1000);
    assertEquals(100, first(), "nobody can have more than there is");
  }

  @Test
  void whoComesIsServedFromThePlaceNextToIt() {
    Backlog.Mark first = hold(10);
    Backlog.Mark second = hold(20);
    assertNull(retention.lastBefore(backlog, 9));
    assertEquals(first, retention.lastBefore(backlog, 19));
    assertEquals(second, retention.lastBefore(backlog, 20));
    assertEquals(second, retention.lastBefore(backlog, 90));
    assertNull(retention.lastBefore(new Backlog(0), 90));
  }

  @Test
  void whoHasLeftIsKeptForUntilItIsHereAgain() {
    retention.leave("a", hold(10), 1);
    retention.leave("b", hold(20), 2);
    Backlog.Mark here = hold(30);
    assertEquals(2, retention.absent());
    assertEquals(10, first());
    retention.forget("a");
    assertEquals(20, first());
    assertEquals(List.of(), retention.forgetIf(its -> its.sinceNanos() < 2));
    assertEquals("b", retention.forgetIf(its -> its.sinceNanos() < 3).get(0).who());
    assertEquals(0, retention.absent());
    assertEquals(30, first());
    retention.release(here);
    assertNull(first());
    retention.forget("never heard of");
  }

  @Test
  void someAreExpectedForLessTime() {
    retention.leave("a", hold(10), 5);
    retention.expect("b", hold(10), 5, 20);
    assertEquals(List.of(), overAfter(25));
    assertEquals(List.of("b"), overAfter(26));
    assertEquals(List.of("a", "b"), overAfter(36));
  }

  private List<String> overAfter(long nowNanos) {
    List<String> over = new ArrayList<>();
    retention.forgetIf(
        its -> {
          if (its.isLongerThan(30, nowNanos)) {
            over.add(its.who());
          }
          return false;
        });
    return over;
  }

  @Test
  void ofTwoOfOneNameTheOneThatLacksMoreIsKeptFor() {
    retention.leave("a", hold(20), 1);
    retention.leave("a", hold(10), 2);
    retention.leave("a", hold(30), 3);
    assertEquals(1, retention.absent());
    assertEquals(10, first());
    retention.forget("a");
    assertNull(first());
  }

  @Test
  void oneOfAStreamThatIsOverIsNotKeptForAnyMore() {
    retention.leave("a", retention.hold(new Backlog(0).reader(0)), 1);
    retention.leave("a", hold(20), 2);
    assertEquals(1, retention.absent());
    assertEquals(20, first());
  }

  @Test
  void noMoreAreKeptForThanThereCanBe() {
    for (int i = 0; i <= Retention.ABSENT_MAX; i++) {
      retention.leave("replica " + i, hold(Retention.ABSENT_MAX - i), i);
    }
    assertEquals(Retention.ABSENT_MAX, retention.absent());
    assertEquals(1, first());
    retention.leave("replica 1", hold(0), 100);
    assertEquals(0, assertNotNullFirst());
  }

  private long assertNotNullFirst() {
    Long first = first();
    assertNotNull(first);
    return first;
  }
}
