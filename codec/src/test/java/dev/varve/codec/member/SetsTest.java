package dev.varve.codec.member;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Members;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberHash;
import dev.varve.codec.format.Slice;
import dev.varve.codec.member.SetAlgebra.Operation;
import dev.varve.codec.string.Strings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SetsTest {
  private static final byte[] KEY = bytes("key");
  private static final byte[][] KEYS = Members.bytes("a", "b", "c");
  private static final int DIFFERENT = 40;

  private Keyspace keyspace = new Keyspace();

  @Test
  void operationsDoWhatSetsWouldDo() {
    for (int seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      keyspace = new Keyspace(seed);
      if (random.nextInt(4) > 0) {
        keyspace.packedLimits = Members.SMALL_LIMITS;
      }
      List<Set<String>> models = List.of(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
      try {
        for (int step = 0; step < 80; step++) {
          operate(random, models);
          assertSame(models, random);
        }
        KeyspaceCheck.assertConsistent(keyspace);
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  private void operate(SplittableRandom random, List<Set<String>> models) {
    int which = random.nextInt(KEYS.length);
    byte[] key = KEYS[which];
    Set<String> model = models.get(which);
    List<String> members = Members.randoms(random, DIFFERENT, Members.countMax(random, 12));
    byte[][] arguments = Members.bytes(members);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        int before = model.size();
        model.addAll(members);
        assertEquals(model.size() - before, keyspace.number(tx -> Sets.add(tx, 0, key, arguments)));
      }
      case 3 -> {
        int before = model.size();
        members.forEach(model::remove);
        assertEquals(
            before - model.size(), keyspace.number(tx -> Sets.remove(tx, 0, key, arguments)));
      }
      case 4 -> {
        int to = random.nextInt(KEYS.length);
        String member = members.get(0);
        boolean moved = model.contains(member);
        if (moved) {
          model.remove(member);
          models.get(to).add(member);
        }
        assertEquals(moved, keyspace.test(tx -> Sets.move(tx, 0, key, KEYS[to], bytes(member))));
      }
      case 5 -> {
        Operation operation = Operation.values()[random.nextInt(3)];
        byte[][] operands = operands(random);
        Set<String> result = result(operation, operands, models);
        assertEquals(
            result.size(),
            keyspace.number(tx -> SetAlgebra.store(tx, 0, operation, key, operands)));
        model.clear();
        model.addAll(result);
      }
      case 6 -> pop(random, key, model);
      default -> {
        if (random.nextInt(6) == 0) {
          keyspace.apply(tx -> Keys.delete(tx, 0, key));
          model.clear();
        }
      }
    }
  }

  private void pop(SplittableRandom random, byte[] key, Set<String> model) {
    int before = model.size();
    if (random.nextBoolean()) {
      byte[] popped = keyspace.<byte @Nullable []>run(tx -> Sets.pop(tx, 0, key));
      assertEquals(before == 0, popped == null);
      assertTrue(popped == null || model.remove(Keyspace.text(popped)));
      return;
    }
    int count = random.nextInt(12);
    for (byte[] popped : keyspace.run(tx -> Sets.pop(tx, 0, key, count))) {
      assertTrue(model.remove(Keyspace.text(popped)));
    }
    assertEquals(Math.max(0, before - count), model.size());
  }

  private static byte[][] operands(SplittableRandom random) {
    byte[][] operands = new byte[1 + random.nextInt(4)][];
    for (int i = 0; i < operands.length; i++) {
      operands[i] = KEYS[random.nextInt(KEYS.length)];
    }
    return operands;
  }

  private static Set<String> result(
      Operation operation, byte[][] operands, List<Set<String>> models) {
    Set<String> result = new TreeSet<>(models.get(operands[0][0] - 'a'));
    for (int i = 1; i < operands.length; i++) {
      Set<String> other = models.get(operands[i][0] - 'a');
      switch (operation) {
        case INTERSECTION -> result.retainAll(other);
        case UNION -> result.addAll(other);
        case DIFFERENCE -> result.removeAll(other);
      }
    }
    return result;
  }

  private void assertSame(List<Set<String>> models, SplittableRandom random) {
    for (int i = 0; i < KEYS.length; i++) {
      byte[] key = KEYS[i];
      Set<String> model = models.get(i);
      assertDistinct(model, Members.walk(keyspace, tx -> Sets.members(tx, 0, key), false));
      assertEquals(model.size(), keyspace.number(tx -> Sets.size(tx, 0, key)));
      assertDistinct(model, scanned(key, 1 + random.nextInt(4)));
      int count = random.nextInt(12);
      List<String> sample =
          Members.texts(keyspace.run(tx -> Sets.randomMembers(tx, 0, key, count)));
      assertEquals(Math.min(count, model.size()), new HashSet<>(sample).size());
      assertTrue(model.containsAll(sample));
      Members.assertBytesCounted(keyspace, key);
    }
    String member = Members.random(random, DIFFERENT);
    assertEquals(
        models.get(0).contains(member),
        keyspace.test(tx -> Sets.contains(tx, 0, KEYS[0], bytes(member))));
    assertArrayEquals(
        new boolean[] {models.get(1).contains(member), false},
        keyspace.run(tx -> Sets.containsEach(tx, 0, KEYS[1], bytes(member), bytes("none"))));
    byte[][] operands = operands(random);
    for (Operation operation : Operation.values()) {
      assertDistinct(
          result(operation, operands, models),
          Members.walk(keyspace, tx -> SetAlgebra.members(tx, 0, operation, operands), false));
    }
    int limit = random.nextInt(5);
    int size = result(Operation.INTERSECTION, operands, models).size();
    assertEquals(
        limit == 0 ? size : Math.min(limit, size),
        keyspace.number(tx -> SetAlgebra.intersectionSize(tx, 0, limit, operands)));
  }

  private static void assertDistinct(Set<String> expected, List<String> found) {
    assertEquals(expected, new TreeSet<>(found));
    assertEquals(expected.size(), found.size());
  }

  private List<String> scanned(byte[] key, int countMax) {
    List<String> found = new ArrayList<>();
    long position = MemberPage.END;
    do {
      long from = position;
      MemberPage page = keyspace.run(tx -> Sets.scan(tx, 0, key, from, countMax, null));
      found.addAll(Members.texts(page.items()));
      position = page.next();
    } while (position != MemberPage.END);
    return found;
  }

  private void fill(int members) {
    for (int i = 0; i < members; i++) {
      byte[] member = bytes("user:" + i);
      keyspace.number(tx -> Sets.add(tx, 0, KEY, member));
    }
  }

  private static int number(String member) {
    return Integer.parseInt(member, "user:".length(), member.length(), 10);
  }

  @Test
  void everyMemberIsAsLikelyAsAnyOther() {
    for (int members : new int[] {5, 100, 800}) {
      keyspace = new Keyspace(members);
      keyspace.packedLimits = members == 5 ? Members.SMALL_LIMITS : PackedLimits.DEFAULT;
      fill(members);
      int[] alone = new int[members];
      int[] repeating = new int[members];
      int[] distinct = new int[members];
      int rounds = 20;
      for (int i = 0; i < rounds * members; i++) {
        Slice one = keyspace.<@Nullable Slice>run(tx -> Sets.randomMember(tx, 0, KEY));
        alone[number(String.valueOf(Members.text(one)))]++;
      }
      for (String member :
          Members.walk(
              keyspace, tx -> Sets.repeatingMembers(tx, 0, KEY, rounds * (long) members), false)) {
        repeating[number(member)]++;
      }
      for (int i = 0; i < 5 * rounds; i++) {
        for (String member :
            Members.texts(keyspace.run(tx -> Sets.randomMembers(tx, 0, KEY, members / 5)))) {
          distinct[number(member)]++;
        }
      }
      // Far beyond what chance gives, and far below what unequal gaps would give.
      assertTrue(Members.unevenness(alone) < (members == 5 ? 6 : 2), members + " alone");
      assertTrue(Members.unevenness(repeating) < (members == 5 ? 6 : 2), members + " repeating");
      assertTrue(Members.unevenness(distinct) < (members == 5 ? 6 : 2), members + " distinct");
    }
  }

  @Test
  void popEmptiesALargeSetInAnOrderOfItsOwn() {
    fill(3000);
    Set<String> popped = new HashSet<>();
    long firstThousand = 0;
    for (int i = 0; i < 3000; i++) {
      byte[] member = keyspace.<byte @Nullable []>run(tx -> Sets.pop(tx, 0, KEY));
      String text = Keyspace.text(member == null ? new byte[0] : member);
      assertTrue(popped.add(text));
      firstThousand += i < 1000 ? number(text) : 0;
    }
    // The mean of a thousand numbers below 3000 has a standard deviation of 22.
    assertEquals(1500, firstThousand / 1000.0, 120);
    assertNull(keyspace.<byte @Nullable []>run(tx -> Sets.pop(tx, 0, KEY)));
    assertEquals(0, keyspace.store.size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void randomMembersOfManyHashesAlikeAreStillFound() {
    keyspace.packedLimits = new PackedLimits(0, 0, 0, 0, 0, 0, 0, 0);
    // All within a narrow arc of the circle of hashes: an attacker could find these.
    SplittableRandom random = new SplittableRandom(3);
    List<byte[]> crowd = new ArrayList<>();
    while (crowd.size() < 40) {
      byte[] member = bytes("m" + random.nextLong());
      if (MemberHash.of(member, 0, member.length) >>> 20 == 0xABC) {
        crowd.add(member);
      }
    }
    keyspace.number(tx -> Sets.add(tx, 0, KEY, crowd.toArray(byte[][]::new)));
    assertEquals(20, keyspace.run(tx -> Sets.randomMembers(tx, 0, KEY, 20)).size());
    assertEquals(10, keyspace.run(tx -> Sets.pop(tx, 0, KEY, 10)).size());
    for (int i = 0; i < 30; i++) {
      assertTrue(keyspace.<byte @Nullable []>run(tx -> Sets.pop(tx, 0, KEY)) != null);
    }
    assertEquals(0, keyspace.store.size());
  }

  @Test
  void poppingAllOfALargeSetWritesNothingPerMember() {
    fill(1000);
    int writes =
        keyspace.run(
            tx -> {
              assertEquals(1000, Sets.pop(tx, 0, KEY, 5000).size());
              return tx.batch().writeCount();
            });
    assertEquals(2, writes);
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void aSetIsOfIntegersUntilOneMemberIsNot() {
    keyspace.number(tx -> Sets.add(tx, 0, KEY, Members.bytes("1", "-5", "9223372036854775807")));
    assertTrue(keyspace.held(0, KEY).isIntegers());
    keyspace.number(tx -> Sets.add(tx, 0, KEY, Members.bytes("01")));
    assertFalse(keyspace.held(0, KEY).isIntegers());
    keyspace.number(tx -> Sets.remove(tx, 0, KEY, Members.bytes("01")));
    assertFalse(keyspace.held(0, KEY).isIntegers());
    keyspace.apply(tx -> Keys.delete(tx, 0, KEY));
    for (int i = 0; i < Sets.INTEGERS_MAX; i++) {
      byte[] member = bytes(Integer.toString(i));
      keyspace.number(tx -> Sets.add(tx, 0, KEY, member));
    }
    assertTrue(keyspace.held(0, KEY).isIntegers());
    keyspace.number(tx -> Sets.add(tx, 0, KEY, Members.bytes("512")));
    assertFalse(keyspace.held(0, KEY).isIntegers());
  }

  @Test
  void eventsAreRedis() {
    keyspace.number(tx -> Sets.add(tx, 0, KEYS[0], Members.bytes("1", "2")));
    keyspace.number(tx -> Sets.add(tx, 0, KEYS[0], Members.bytes("1", "2")));
    keyspace.test(tx -> Sets.move(tx, 0, KEYS[0], KEYS[1], bytes("1")));
    keyspace.test(tx -> Sets.move(tx, 0, KEYS[0], KEYS[1], bytes("2")));
    assertEquals(
        List.of("sadd:a", "srem:a", "sadd:b", "srem:a", "del:a", "sadd:b"), keyspace.takeEvents());
    keyspace.number(tx -> SetAlgebra.store(tx, 0, Operation.UNION, KEYS[2], KEYS));
    keyspace.number(tx -> SetAlgebra.store(tx, 0, Operation.DIFFERENCE, KEYS[2], KEYS));
    keyspace.number(tx -> SetAlgebra.store(tx, 0, Operation.INTERSECTION, KEYS[2], KEYS));
    assertEquals(List.of("sunionstore:c", "del:c"), keyspace.takeEvents());
    keyspace.run(tx -> Sets.pop(tx, 0, KEYS[1], 1));
    keyspace.<byte @Nullable []>run(tx -> Sets.pop(tx, 0, KEYS[1]));
    assertEquals(List.of("spop:b", "spop:b", "del:b"), keyspace.takeEvents());
  }

  @Test
  void everyOperandMustBeASet() {
    keyspace.apply(tx -> Strings.set(tx, 0, KEYS[1], bytes("text")));
    for (Operation operation : Operation.values()) {
      assertThrows(
          DataException.class,
          () -> keyspace.number(tx -> SetAlgebra.store(tx, 0, operation, KEYS[2], KEYS)));
    }
    keyspace.number(tx -> Sets.add(tx, 0, KEYS[0], KEYS));
    assertThrows(
        DataException.class,
        () -> keyspace.test(tx -> Sets.move(tx, 0, KEYS[0], KEYS[1], KEYS[0])));
    // A result replaces whatever its key held, and its expiry.
    keyspace.apply(tx -> Keys.expireAt(tx, 0, KEYS[1], Long.MAX_VALUE - 1, ExpireCondition.ALWAYS));
    keyspace.number(tx -> SetAlgebra.store(tx, 0, Operation.UNION, KEYS[1], KEYS[0]));
    assertEquals(3, keyspace.held(0, KEYS[1]).count());
    assertFalse(keyspace.held(0, KEYS[1]).hasExpiry());
    assertEquals(List.of(), keyspace.stored(KeyFormat.EXPIRY));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void aLargeAndASmallSetMakeTheSameInEitherOrder() {
    fill(5000);
    keyspace.number(tx -> Sets.add(tx, 0, KEYS[0], Members.bytes("user:77", "user:4999", "x")));
    assertDistinct(
        Set.of("user:77", "user:4999"),
        Members.walk(
            keyspace,
            tx -> SetAlgebra.members(tx, 0, Operation.INTERSECTION, KEY, KEYS[0]),
            false));
    assertDistinct(
        Set.of("x"),
        Members.walk(
            keyspace, tx -> SetAlgebra.members(tx, 0, Operation.DIFFERENCE, KEYS[0], KEY), false));
  }
}
