package dev.varve.server.command.lead;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.MasterPosition;
import dev.varve.server.resp.RespEncoder;
import org.junit.jupiter.api.Test;

/** Under which names the stream is known, and up to where. */
class ReplicationStreamTest {
  private static final String THEIRS = "a".repeat(40);
  private static final String NEXT = "b".repeat(40);

  private final ReplicationStream stream = new ReplicationStream();

  private void tell(String word) {
    stream.tell(word);
    publish();
  }

  private void publish() {
    stream.publish(requireNonNull(stream.backlog()), stream.written(), stream.database());
  }

  private void handOn(String word, int database) {
    RespEncoder request = new RespEncoder();
    request.array(1);
    request.bulk(word);
    stream.handOn(request, database);
    publish();
  }

  private boolean goesOn(String history, long offset) {
    return stream.goesOn(history, offset) != null;
  }

  @Test
  void nobodyGoesOnInWhatHasNotBegunOrHasEnded() {
    assertFalse(goesOn(stream.history(), 0));
    assertNull(stream.position());
    stream.begin();
    tell("A");
    String before = stream.history();
    assertTrue(goesOn(before, stream.written()));
    long end = stream.written();
    stream.end();
    assertEquals(end, stream.offset());
    assertNotEquals(before, stream.history());
    stream.begin();
    assertFalse(goesOn(before, end));
    assertNull(stream.former());
  }

  @Test
  void whoTakesOverIsKnownByBothNamesUpToThere() {
    stream.relay(new MasterPosition(THEIRS, 100, 3));
    handOn("A", 5);
    assertFalse(stream.isTold());
    stream.tell("IGNORED");
    long end = stream.written();
    assertEquals(111, end);
    assertEquals(new MasterPosition(THEIRS, end, 5), stream.position());
    stream.takeOver();
    assertTrue(stream.isTold());
    assertEquals(new ReplicationStream.Former(THEIRS, end), stream.former());
    // As long as nothing was written the other name says the same, and more servers know it.
    assertEquals(new MasterPosition(THEIRS, end, 5), stream.position());
    tell("B");
    assertTrue(goesOn(THEIRS, 100));
    assertTrue(goesOn(THEIRS, end));
    assertFalse(goesOn(THEIRS, end + 1));
    assertFalse(goesOn(THEIRS, 99));
    assertTrue(goesOn(stream.history(), stream.written()));
    assertEquals(new MasterPosition(stream.history(), stream.written(), 5), stream.position());
  }

  @Test
  void theOtherServerMayHaveAnotherNameForIt() {
    stream.begin();
    tell("A");
    String ours = stream.history();
    long end = stream.written();
    stream.follow();
    stream.relay(new MasterPosition(NEXT, end, 0));
    assertEquals(NEXT, stream.history());
    assertTrue(goesOn(ours, end));
    assertTrue(goesOn(ours, 0));
    handOn("B", 0);
    assertTrue(goesOn(NEXT, stream.written()));
    assertFalse(goesOn(ours, stream.written()));
    // The same connection again.
    stream.relay(new MasterPosition(NEXT, stream.written(), 0));
    assertTrue(goesOn(ours, end));
  }

  @Test
  void elsewhereItBeginsAnew() {
    stream.begin();
    tell("A");
    String ours = stream.history();
    stream.relay(new MasterPosition(THEIRS, 1000, 7));
    assertFalse(goesOn(ours, 0));
    assertNull(stream.former());
    assertEquals(1000, stream.start());
    assertEquals(1000, stream.offset());
    assertEquals(7, stream.publishedDatabase());
  }

  @Test
  void theDatabaseIsThatOfWhatIsPublished() {
    stream.relay(new MasterPosition(THEIRS, 0, 7));
    RespEncoder request = new RespEncoder();
    request.array(0);
    stream.handOn(request, 2);
    assertEquals(2, stream.database());
    assertEquals(7, stream.publishedDatabase());
    publish();
    assertEquals(2, stream.publishedDatabase());
  }
}
