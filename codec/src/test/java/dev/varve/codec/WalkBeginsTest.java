package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.varve.codec.format.StreamId;
import dev.varve.codec.stream.StreamClaims;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.StreamTrim;
import dev.varve.codec.stream.Streams;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
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

  /** What comes first in a group is looked for now and then: what has gone since is passed. */
  private static final int GONE_MAX = ENTRIES / 8;

  private static final byte[] KEY = bytes("stream");
  private static final byte[] GROUP = bytes("group");
  private static final byte[] CONSUMER = bytes("consumer");
  private static final byte[] OTHER = bytes("other");

  private final Keyspace keyspace = new Keyspace();
  private final CountedWalks walks = new CountedWalks(keyspace);

  private static StreamId id(int millis) {
    return new StreamId(millis, 0);
  }

  private void addEntries(int from, int to) {
    for (int i = from; i <= to; i++) {
      int millis = i;
      keyspace.apply(t -> addTo(t, millis));
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

  private void deliverAll(byte[] consumer, int count) {
    keyspace.number(
        t -> StreamGroups.readNew(t, 0, KEY, GROUP, consumer, count, false, (id, items) -> {}));
  }

  private void acknowledge(List<Integer> millis) {
    for (int each : millis) {
      List<StreamId> ids = List.of(id(each));
      assertEquals(1, keyspace.number(t -> StreamGroups.acknowledge(t, 0, KEY, GROUP, ids)));
    }
  }

  private void walksOfAGroup() {
    StreamId min = StreamId.MIN;
    StreamId max = StreamId.MAX;
    StreamClaims.Terms terms = new StreamClaims.Terms(1_000, 0, -1, false, false, null);
    walks.put("XPENDING", t -> StreamClaims.summary(t, 0, KEY, GROUP));
    walks.put(
        "XPENDING of all",
        t -> StreamClaims.pending(t, 0, KEY, GROUP, null, min, max, entry -> true));
    walks.put(
        "XPENDING of one",
        t -> StreamClaims.pending(t, 0, KEY, GROUP, CONSUMER, min, max, entry -> true));
    walks.put(
        "XREADGROUP again",
        t -> StreamGroups.readPending(t, 0, KEY, GROUP, CONSUMER, min, 0, (id, items) -> {}));
    walks.put(
        "XAUTOCLAIM of what is not idle",
        t -> StreamClaims.claimFrom(t, 0, KEY, GROUP, OTHER, terms, min, 100));
    walks.put("XINFO CONSUMERS", t -> StreamGroups.consumers(t, 0, KEY, GROUP));
    walks.put("XGROUP DELCONSUMER", t -> StreamGroups.deleteConsumer(t, 0, KEY, GROUP, CONSUMER));
    walks.put("XGROUP DESTROY", t -> StreamGroups.destroy(t, 0, KEY, GROUP));
  }

  private static List<Integer> ids(int from, int to) {
    List<Integer> ids = new ArrayList<>();
    for (int i = from; i <= to; i++) {
      ids.add(i);
    }
    return ids;
  }

  private void createGroup() {
    addEntries(1, ENTRIES);
    keyspace.apply(t -> StreamGroups.create(t, 0, KEY, GROUP, StreamId.MIN, -1, false));
  }

  @Test
  void ofAGroupWhoseEntriesWereAcknowledgedInTheirOrder() {
    createGroup();
    deliverAll(CONSUMER, 0);
    acknowledge(ids(1, ENTRIES - LEFT));
    walksOfAGroup();
    walks.passAtMost(GONE_MAX);
  }

  @Test
  void ofAGroupWhoseEntriesWereClaimedByAnother() {
    createGroup();
    deliverAll(CONSUMER, 0);
    StreamClaims.Terms terms = new StreamClaims.Terms(0, 0, -1, false, false, null);
    for (int i = 1; i <= ENTRIES - LEFT; i++) {
      List<StreamId> ids = List.of(id(i));
      keyspace.run(t -> StreamClaims.claim(t, 0, KEY, GROUP, OTHER, terms, ids));
    }
    walksOfAGroup();
    walks.passAtMost(GONE_MAX);
  }

  @Test
  void ofAGroupOfWhichOnlyTheFirstEntryIsLeft() {
    createGroup();
    deliverAll(CONSUMER, 0);
    acknowledge(ids(2, ENTRIES));
    walksOfAGroup();
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofAGroupWhoseEntriesWereAcknowledgedByTheWayInTurns() {
    createGroup();
    deliverAll(CONSUMER, ENTRIES / 2);
    deliverAll(OTHER, 0);
    List<Integer> mixed = ids(1, ENTRIES - 100);
    Random random = new Random(7);
    for (int at = 0; at < mixed.size(); at += 10) {
      Collections.shuffle(mixed.subList(at, Math.min(mixed.size(), at + 10)), random);
    }
    acknowledge(mixed);
    walksOfAGroup();
    walks.passAtMost(GONE_MAX);
  }
}
