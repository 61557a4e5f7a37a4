package dev.varve.codec.rank;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.Meta;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZPlace;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZSets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class EdgesTest {
  private static final byte[] QUEUE = bytes("queue");
  private static final byte[] FIRST = new byte[0];

  private final Keyspace keyspace = new Keyspace();

  private void add(double score, String member) {
    keyspace.apply(
        t ->
            ZSets.add(
                t,
                0,
                QUEUE,
                ZAddCondition.NONE,
                new double[] {score},
                new ArrayList<>(List.of(bytes(member)))));
  }

  private Edges edges() {
    Meta meta = Objects.requireNonNull(keyspace.run(t -> t.find(0, QUEUE, ValueType.ZSET)));
    return meta.edges();
  }

  private byte[] front() {
    return edges().start(FIRST);
  }

  /** A queue of 300 with the scores from 0 up, popped down from below or above. */
  private void popEach(boolean highest) {
    for (int i = 0; i < 300; i++) {
      add(i, "m" + i);
    }
    for (int i = 0; i < 299; i++) {
      var popped = keyspace.run(t -> ZSets.pop(t, 0, QUEUE, highest, 1)).get(0);
      byte[] place = ZPlace.of(popped.score(), popped.member());
      if (highest) {
        assertArrayEquals(place, edges().end(null));
      } else {
        assertArrayEquals(ZPlace.justAfter(place), front());
      }
    }
  }

  @Test
  void eachPopBeginsWhereTheLastOneEnded() {
    popEach(false);
  }

  @Test
  void eachPopFromAboveBeginsWhereTheLastOneEnded() {
    popEach(true);
  }

  @Test
  void aWindowThatSlidesTakesItsFrontAlong() {
    for (int i = 0; i < 1000; i++) {
      add(i, "m" + i);
      if (i > 200) {
        ZRange old = new ZRange.ByScore(Double.NEGATIVE_INFINITY, false, i - 200, true);
        keyspace.apply(t -> ZSets.removeRange(t, 0, QUEUE, old));
        assertArrayEquals(ZPlace.before(i - 200), front());
      }
    }
  }

  @Test
  void aMemberBeyondAnEdgeMovesIt() {
    Edges edges = new Edges();
    edges.nothingBefore(ZPlace.of(5, bytes("b")));
    edges.nothingFrom(ZPlace.of(9, bytes("b")));
    byte[] low = ZPlace.of(5, bytes("a"));
    edges.include(low, 0);
    assertArrayEquals(low, edges.start(FIRST));
    byte[] high = ZPlace.of(9, bytes("b"));
    edges.include(high, 0);
    assertArrayEquals(ZPlace.justAfter(high), edges.end(null));
  }

  @Test
  void longMembersAreBoundedFromTheOutside() {
    byte[] member = new byte[1000];
    Arrays.fill(member, (byte) 0xFF);
    byte[] place = ZPlace.of(1, member);
    Edges edges = new Edges();
    edges.nothingBefore(place);
    edges.nothingFrom(ZPlace.justAfter(place));
    assertArrayEquals(place, edges.start(place));
    assertTrue(Arrays.compareUnsigned(front(edges), place) < 0);
    byte[] back = Objects.requireNonNull(edges.end(null));
    assertTrue(Arrays.compareUnsigned(back, place) > 0);
    assertTrue(back.length <= Edges.BOUND_BYTES_MAX);
    assertEquals(2 + front(edges).length + back.length, edges.encodedBytes());
  }

  private static byte[] front(Edges edges) {
    return edges.start(FIRST);
  }

  @Test
  void randomPlacesStayWithinAndBoundsSurviveWriting() {
    SplittableRandom random = new SplittableRandom(11);
    Edges edges = new Edges();
    TreeSet<byte[]> places = new TreeSet<>(Arrays::compareUnsigned);
    assertNull(edges.end(null));
    for (int i = 0; i < 20_000; i++) {
      byte[] member = new byte[random.nextInt(100) == 0 ? 90 : 1];
      random.nextBytes(member);
      byte[] place = ZPlace.of(random.nextInt(50), member);
      if (random.nextInt(3) > 0 || places.isEmpty()) {
        places.add(place);
        edges.include(place, 0);
      } else {
        byte[] from = random.nextBoolean() ? places.first() : place;
        byte[] to = random.nextBoolean() ? ZPlace.justAfter(places.last()) : place;
        if (Arrays.compareUnsigned(from, to) < 0) {
          if (from == places.first()) {
            edges.nothingBefore(from);
          }
          places.subSet(from, to).clear();
          edges.exclude(from, to);
        }
      }
      for (byte[] end : places.isEmpty() ? List.<byte[]>of() : ends(places)) {
        assertArrayEquals(end, edges.start(end));
        assertArrayEquals(ZPlace.justAfter(end), edges.end(ZPlace.justAfter(end)));
      }
      byte[] written = new byte[edges.encodedBytes()];
      edges.write(written, 0);
      edges = Edges.read(written, 0);
    }
  }

  private static List<byte[]> ends(TreeSet<byte[]> places) {
    return List.of(places.first(), places.last());
  }
}
