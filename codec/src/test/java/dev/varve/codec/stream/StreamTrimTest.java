package dev.varve.codec.stream;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a stream knows of its first node, beside what a walk over all of it finds. */
class StreamTrimTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final byte[] KEY = bytes("s");
  private static final int NODE_ENTRIES = 5;
  private static final int STEPS = 3_000;

  /** The first node as its entries say: how many there are, and how far it reaches. */
  private record Front(long entries, StreamId reach) {}

  private final Keyspace keyspace = new Keyspace();
  private long lastMillis;

  StreamTrimTest() {
    keyspace.packedLimits = PackedLimits.DEFAULT.withStreamNodes(NODE_ENTRIES, 4096);
  }

  private void add(@Nullable StreamTrim trim) {
    Streams.NewId id = new Streams.NewId(++lastMillis, 0, false, false);
    List<byte[]> items = List.of(bytes("f"), bytes("v"));
    keyspace.apply(t -> Streams.add(t, 0, KEY, id, items, true, trim));
  }

  private long trim(StreamTrim trim) {
    return keyspace.number(t -> Streams.trim(t, 0, KEY, trim));
  }

  private void delete(long millis) {
    List<StreamId> ids = List.of(new StreamId(millis, 0));
    keyspace.apply(t -> Streams.delete(t, 0, KEY, ids));
  }

  private static Front front(StreamTable stream) {
    List<StreamId> reaches = new ArrayList<>();
    boolean[] isSecond = new boolean[1];
    stream.walkNodes(
        Long.MAX_VALUE,
        (id, items, startsNode, reach) -> {
          isSecond[0] |= startsNode && !reaches.isEmpty();
          if (!isSecond[0]) {
            reaches.add(reach);
          }
        });
    return new Front(reaches.size(), reaches.get(reaches.size() - 1));
  }

  private Boolean isFrontKnown(Transaction transaction, String where) {
    StreamTable stream = StreamTable.find(transaction, 0, KEY);
    if (stream == null || !stream.state().isFrontKnown()) {
      return false;
    }
    StreamState state = stream.state();
    assertEquals(front(stream), new Front(state.frontEntries, state.frontReach), where);
    return true;
  }

  @Test
  void theFirstNodeIsAsItIsRememberedWhateverHappens() {
    System.out.println("StreamTrimTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int known = 0;
    for (int step = 0; step < STEPS; step++) {
      long length = random.nextInt(1, 20);
      boolean isApproximate = random.nextInt(3) > 0;
      StreamTrim trim =
          random.nextBoolean()
              ? StreamTrim.toLength(length, isApproximate, StreamTrim.USUAL)
              : StreamTrim.toId(
                  new StreamId(Math.max(0, lastMillis - length), 0), isApproximate, 0);
      switch (random.nextInt(8)) {
        case 0 -> trim(trim);
        case 1 -> delete(lastMillis - random.nextInt(25));
        case 2 -> delete(lastMillis);
        case 3, 4, 5 -> add(trim);
        default -> add(null);
      }
      String where = "seed " + SEED + ", step " + step;
      known += keyspace.run(t -> isFrontKnown(t, where)) ? 1 : 0;
      if (step % 100 == 0) {
        KeyspaceCheck.assertConsistent(keyspace);
      }
    }
    assertTrue(known > STEPS / 4, "the front was hardly ever known: " + known);
  }

  @Test
  void whatStaysOfAnInexactTrimIsReadOnce() {
    for (int entry = 0; entry < 4 * NODE_ENTRIES; entry++) {
      add(null);
    }
    StreamTrim trim = StreamTrim.toLength(3 * NODE_ENTRIES - 1, true, StreamTrim.USUAL);
    assertEquals(NODE_ENTRIES, trim(trim));
    assertEquals(0, trim(trim));
    add(trim);
    keyspace.apply(
        t -> {
          StreamTable stream = stream(t);
          assertEquals(NODE_ENTRIES, stream.state().frontEntries);
          assertEquals(new StreamId(2 * NODE_ENTRIES, 0), stream.state().frontReach);
        });
    delete(NODE_ENTRIES + 1);
    delete(4 * NODE_ENTRIES);
    keyspace.apply(t -> assertEquals(NODE_ENTRIES - 1, stream(t).state().frontEntries));
  }

  /** The last entry of a node is deleted, and XSETID goes back behind what is left. */
  @Test
  void aFirstNodeThatReachesPastTheNextOneIsNotRemembered() {
    for (boolean isKnownBefore : new boolean[] {true, false}) {
      keyspace.apply(t -> Keys.delete(t, 0, KEY));
      lastMillis = 0;
      for (int entry = 1; entry < NODE_ENTRIES; entry++) {
        add(null);
      }
      lastMillis = 999;
      add(null);
      delete(1000);
      StreamTrim trim = StreamTrim.toId(new StreamId(1, 0), true, StreamTrim.USUAL);
      keyspace.apply(t -> Streams.setId(t, 0, KEY, new StreamId(NODE_ENTRIES, 0), -1, null));
      lastMillis = NODE_ENTRIES;
      if (isKnownBefore) {
        keyspace.apply(
            t -> {
              StreamTable stream = stream(t);
              assertEquals(0, stream.trim(trim));
              assertEquals(new StreamId(1000, 0), stream.state().frontReach);
              stream.save();
            });
      }
      for (int more = 0; more < NODE_ENTRIES + 1; more++) {
        add(trim);
        KeyspaceCheck.assertConsistent(keyspace);
      }
      delete(NODE_ENTRIES + 1);
      KeyspaceCheck.assertConsistent(keyspace);
      keyspace.apply(t -> assertEquals(NODE_ENTRIES - 1, front(stream(t)).entries));
    }
  }

  /** As in Redis, whose usual limit is that of a hundred nodes, and this where they have none. */
  @Test
  void anInexactTrimTakesTenThousandAtOnceWhereNodesMayHaveAnyNumber() {
    keyspace.packedLimits = PackedLimits.DEFAULT.withStreamNodes(0, 300);
    for (int entry = 0; entry < 12_000; entry++) {
      add(null);
    }
    StreamTrim trim = StreamTrim.toLength(100, true, StreamTrim.USUAL);
    long first = trim(trim);
    assertTrue(first > 9_900 && first <= 10_000, () -> first + " are gone");
    assertTrue(trim(trim) > 1_800);
  }

  /** At once what is left is written anew, in steps what goes is deleted. */
  @Test
  void aLongStreamIsTrimmedAtOnceAsItIsInSteps() {
    byte[] other = bytes("other");
    for (int kept : new int[] {0, 1, 3, 57, 200}) {
      for (byte[] key : List.of(KEY, other)) {
        keyspace.apply(t -> Keys.delete(t, 0, key));
        for (long millis = 1; millis <= 1000; millis++) {
          add(key, millis);
        }
        // One in the midst of a node, a whole one, and the end.
        delete(key, 942, 951, 952, 953, 954, 955, 999, 1000);
        Meta meta = keyspace.held(0, key);
        meta.setExpiryMillis(keyspace.nowMillis + 1000);
        keyspace.apply(t -> t.save(0, key, meta));
      }
      keyspace.takeEvents();
      long length = described(KEY).length();
      assertEquals(992 - kept, trim(KEY, kept));
      assertEquals(List.of("xtrim:s"), keyspace.takeEvents());
      for (int left = 992 - 100; left > kept; left -= 100) {
        trim(other, left);
      }
      trim(other, kept);
      assertTrue(described(KEY).length() < length);
      for (int more = 0; more < 2 * NODE_ENTRIES; more++) {
        assertEquals(described(other), described(KEY), kept + " and " + more);
        add(KEY, 2000 + more);
        add(other, 2000 + more);
      }
      StreamTrim inexact = StreamTrim.toLength(NODE_ENTRIES, true, StreamTrim.USUAL);
      keyspace.apply(t -> Streams.trim(t, 0, KEY, inexact));
      keyspace.apply(t -> Streams.trim(t, 0, other, inexact));
      assertEquals(described(other), described(KEY), "" + kept);
      KeyspaceCheck.assertConsistent(keyspace);
    }
  }

  private void add(byte[] key, long millis) {
    Streams.NewId id = new Streams.NewId(millis, 0, false, false);
    List<byte[]> items = List.of(bytes("f"), bytes("v" + millis));
    keyspace.apply(t -> Streams.add(t, 0, key, id, items, true, null));
  }

  private void delete(byte[] key, long... millis) {
    List<StreamId> ids = Arrays.stream(millis).mapToObj(each -> new StreamId(each, 0)).toList();
    keyspace.apply(t -> Streams.delete(t, 0, key, ids));
  }

  private long trim(byte[] key, long length) {
    return keyspace.number(t -> Streams.trim(t, 0, key, StreamTrim.toLength(length, false, 0)));
  }

  /** All that can be seen of a stream. */
  private String described(byte[] key) {
    return keyspace.run(
        t -> {
          StreamTable stream = StreamTable.find(t, 0, key);
          assertNotNull(stream);
          StringBuilder text = new StringBuilder();
          stream.walkNodes(
              Long.MAX_VALUE,
              (id, items, startsNode, reach) ->
                  text.append(id)
                      .append(startsNode)
                      .append(reach)
                      .append(items.size())
                      .append(' '));
          StreamState state = stream.state();
          return text.append(List.of(state.last, state.first, state.top, state.maxDeleted))
              .append(List.of(state.added, state.nodeEntries, state.nodeBytes, state.groups))
              .append(List.of(stream.length(), stream.meta.bytes(), stream.meta.expiryMillis()))
              .toString();
        });
  }

  private static StreamTable stream(Transaction transaction) {
    StreamTable stream = StreamTable.find(transaction, 0, KEY);
    assertNotNull(stream);
    return stream;
  }
}
