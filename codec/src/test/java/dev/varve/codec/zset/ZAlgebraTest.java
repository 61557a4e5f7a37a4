package dev.varve.codec.zset;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.member.Sets;
import dev.varve.codec.zset.ZAlgebra.Aggregate;
import dev.varve.codec.zset.ZAlgebra.Operation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ZAlgebraTest extends ZSetFixture {
  private String compute(
      Operation operation, Aggregate aggregate, double @Nullable [] weights, String... keys) {
    return keyspace
        .run(t -> ZAlgebra.compute(t, 0, operation, names(keys), weights, aggregate))
        .toString();
  }

  private String compute(Operation operation, String... keys) {
    return compute(operation, Aggregate.SUM, null, keys);
  }

  @Test
  void unionsAddUpWeightedScores() {
    add("a", 1, "x", 2, "y", INFINITY, "i");
    add("b", 10, "y", 20, "z", -INFINITY, "i");
    addSet("s", "x", "z");
    assertEquals("[i=0.0, x=1.0, y=12.0, z=20.0]", compute(Operation.UNION, "a", "b", "none"));
    assertEquals(
        "[i=0.0, y=0.0, x=2.0, z=2.0]",
        compute(Operation.UNION, Aggregate.SUM, new double[] {2, 0}, "s", "b"));
    assertEquals(
        "[i=-Infinity, x=1.0, y=2.0, z=20.0]",
        compute(Operation.UNION, Aggregate.MIN, null, "a", "b"));
    assertEquals(
        "[x=1.0, y=10.0, z=20.0, i=Infinity]",
        compute(Operation.UNION, Aggregate.MAX, null, "a", "b"));
  }

  @Test
  void intersectionsAndDifferencesTakeSetsToo() {
    add("a", 1, "x", 2, "y", 3, "z");
    fill("big", 300);
    add("big", 10, "y", 20, "z");
    addSet("s", "z", "m00003");
    assertEquals("[y=12.0, z=23.0]", compute(Operation.INTERSECTION, "a", "big"));
    assertEquals("[z=24.0]", compute(Operation.INTERSECTION, "big", "s", "a"));
    assertEquals("[]", compute(Operation.INTERSECTION, "a", "none"));
    assertEquals("[x=1.0]", compute(Operation.DIFFERENCE, "a", "big", "s"));
    assertEquals("[]", compute(Operation.DIFFERENCE, "none", "a"));
    assertEquals("[]", compute(Operation.DIFFERENCE, "a", "a"));
    assertEquals(2, (long) keyspace.run(t -> ZAlgebra.countIntersection(t, 0, both(), 0)));
    assertEquals(1, (long) keyspace.run(t -> ZAlgebra.countIntersection(t, 0, both(), 1)));
    keyspace.apply(t -> t.save(0, bytes("text"), Meta.ofString(bytes("x"))));
    assertThrows(DataException.class, () -> compute(Operation.UNION, "none", "text"));
  }

  private static List<byte[]> both() {
    return names("big", "a");
  }

  @Test
  void spreadSetsAreInputsLikePackedOnes() {
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      members.add(bytes("m" + i));
    }
    keyspace.run(t -> Sets.add(t, 0, bytes("s"), members.toArray(byte[][]::new)));
    add("a", 5, "m7", 6, "m299", 7, "other", 8, "m300");
    assertEquals("[m7=6.0, m299=7.0]", compute(Operation.INTERSECTION, "s", "a"));
    assertEquals("[other=7.0, m300=8.0]", compute(Operation.DIFFERENCE, "a", "s"));
    assertEquals(298, keyspace.run(t -> difference(t, "s", "a")).size());
    assertEquals(300 + 2, (long) storeUnion("s", "a"));
  }

  private static List<ScoredMember> difference(Transaction transaction, String... keys) {
    return ZAlgebra.compute(transaction, 0, Operation.DIFFERENCE, names(keys), null, Aggregate.SUM);
  }

  @Test
  void intersectionsWeightEachSet() {
    add("a", 3, "x");
    add("b", 5, "x", 1, "y");
    double[] weights = {10, 100};
    assertEquals("[x=530.0]", compute(Operation.INTERSECTION, Aggregate.SUM, weights, "a", "b"));
    assertEquals("[x=350.0]", compute(Operation.INTERSECTION, Aggregate.SUM, weights, "b", "a"));
    assertEquals("[x=500.0]", compute(Operation.INTERSECTION, Aggregate.MAX, weights, "a", "b"));
  }

  /** Where infinities meet, the order of adding up is seen in the sum. */
  @Test
  void scoresAddUpFromTheSmallestSetOn() {
    add("one", INFINITY, "x");
    add("two", -INFINITY, "x", 0, "y");
    add("three", 5, "x", 1, "y", 2, "z");
    assertEquals("[x=5.0]", compute(Operation.INTERSECTION, "three", "one", "two"));
    assertEquals("[y=1.0, z=2.0, x=5.0]", compute(Operation.UNION, "three", "one", "two"));
  }

  @Test
  void storingOverwritesWhateverTheTargetHeld() {
    add("a", 1, "x", 2, "y");
    addSet("target", "something");
    keyspace.takeEvents();
    assertEquals(2, (long) storeUnion("a", "none"));
    assertEquals("[x=1.0, y=2.0]", all("target"));
    assertEquals(List.of("zunionstore:target"), keyspace.takeEvents());
    assertEquals(0, (long) storeUnion("none"));
    assertEquals(List.of("del:target"), keyspace.takeEvents());
    assertEquals(0, (long) storeUnion("none"));
    assertEquals(List.of(), keyspace.takeEvents());
    fill("big", 60_000);
    assertEquals(60_000, (long) storeUnion("big"));
    assertEquals(2, meta("target").rankLevels());
    assertEquals(20_000, (long) rank("target", "m20000"));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void storedSetsArePackedUpToTheLimits() {
    fill("count", 128);
    assertEquals(128, (long) storeUnion("count"));
    assertFalse(meta("target").isSpread());
    add("count", 1, "one more");
    storeUnion("count");
    assertTrue(meta("target").isSpread());
    add("length", 1, "x".repeat(64));
    storeUnion("length");
    assertFalse(meta("target").isSpread());
    add("length", 1, "x".repeat(65));
    storeUnion("length");
    assertTrue(meta("target").isSpread());
  }

  @Test
  void resultsHaveRoomWhileTheyArePutInOrder() {
    fill("big", 3_000);
    for (Operation operation : Operation.values()) {
      try (RoomyView view = new RoomyView(keyspace.store.view())) {
        ZAlgebra.compute(
            keyspace.transaction(view), 0, operation, names("big"), null, Aggregate.SUM);
        assertTrue(view.bytesMax > 3_000 * 30, operation + " " + view.bytesMax);
      }
    }
  }

  private Long storeUnion(String... keys) {
    return keyspace.run(
        t ->
            ZAlgebra.store(
                t, 0, bytes("target"), Operation.UNION, names(keys), null, Aggregate.SUM));
  }
}
