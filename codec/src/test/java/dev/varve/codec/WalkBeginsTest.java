package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.varve.codec.format.StreamId;
import dev.varve.codec.stream.StreamTrim;
import dev.varve.codec.stream.Streams;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Walks that begin at an end of their collection at which most was deleted: none looks at what was
 * there, and that may be millions.
 */
class WalkBeginsTest {
  private static final int ENTRIES = 2_000;
  private static final int LEFT = 10;

  /** What a command has left behind itself, a walk of the next one may pass. */
  private static final int OWN_MAX = 2;

  private static final byte[] KEY = bytes("stream");

  private final Keyspace keyspace = new Keyspace();
  private final CountedWalks walks = new CountedWalks(keyspace);

  private static StreamId id(int millis) {
    return new StreamId(millis, 0);
  }

  private void addEntries(int from, int to) {
    for (int i = from; i <= to; i++) {
      Streams.NewId newId = new Streams.NewId(i, 0, false, false);
      List<byte[]> items = List.of(bytes("field"), bytes("value"));
      keyspace.apply(t -> Streams.add(t, 0, KEY, newId, items, true, null));
    }
  }

  private void deleteEntries(int from, int to) {
    for (int i = from; i <= to; i++) {
      List<StreamId> ids = List.of(id(i));
      keyspace.apply(t -> Streams.delete(t, 0, KEY, ids));
    }
  }

  private void walksOfAStream() {
    for (boolean reverse : new boolean[] {false, true}) {
      String way = reverse ? " back" : "";
      walks.put(
          "XRANGE" + way,
          t -> Streams.walk(t, 0, KEY, StreamId.MIN, StreamId.MAX, reverse, (id, items) -> true));
      walks.put(
          "XRANGE of one" + way,
          t -> Streams.walk(t, 0, KEY, StreamId.MIN, StreamId.MAX, reverse, (id, items) -> false));
    }
    walks.put("XREAD", t -> assertNotNull(Streams.firstAfter(t, 0, KEY, StreamId.MIN)));
    walks.put("XREAD at the end", t -> Streams.firstAfter(t, 0, KEY, id(ENTRIES - 1)));
    walks.put("XINFO", t -> Streams.info(t, 0, KEY));
    walks.put("XSETID", t -> Streams.setId(t, 0, KEY, id(ENTRIES), -1, null));
    walks.put("COPY", t -> Keys.copy(t, 0, KEY, 1, bytes("copy"), true));
    walks.put("XTRIM", t -> Streams.trim(t, 0, KEY, StreamTrim.toLength(LEFT / 2, false, 0)));
    walks.put("XTRIM of all", t -> Streams.trim(t, 0, KEY, StreamTrim.toLength(0, false, 0)));
    walks.put("XADD", t -> addTo(t, ENTRIES + 1));
  }

  private static void addTo(Transaction transaction, int millis) {
    Streams.NewId newId = new Streams.NewId(millis, 0, false, false);
    Streams.add(transaction, 0, KEY, newId, List.of(bytes("field"), bytes("value")), true, null);
  }

  @Test
  void ofAStreamWhoseFrontWasDeleted() {
    addEntries(1, ENTRIES);
    deleteEntries(1, ENTRIES - LEFT);
    walksOfAStream();
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofAStreamWhoseTailWasDeleted() {
    addEntries(1, ENTRIES);
    deleteEntries(LEFT + 1, ENTRIES);
    walksOfAStream();
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofAStreamWhoseTailWasDeletedFromItsEnd() {
    addEntries(1, ENTRIES);
    for (int i = ENTRIES; i > LEFT; i--) {
      List<StreamId> ids = List.of(id(i));
      walks.put("XDEL of " + i, t -> Streams.delete(t, 0, KEY, ids));
    }
    walksOfAStream();
    walks.passAtMost(OWN_MAX);
  }
}
