package dev.varve.codec.list;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Members;
import dev.varve.codec.SimulatedPass;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random operations on lists do what they would do to array lists, whatever passes drop. */
class ListsModelTest {
  private static final int DIFFERENT = 12;

  private Keyspace keyspace = new Keyspace();
  private Map<String, List<String>> model = new TreeMap<>();
  private SplittableRandom random = new SplittableRandom(0);

  @Test
  void operationsDoWhatAnArrayListWouldDo() {
    for (int seed = 0; seed < 80; seed++) {
      random = new SplittableRandom(seed);
      keyspace = new Keyspace(seed);
      model = new TreeMap<>();
      boolean isLong = seed % 4 == 0;
      if (seed % 3 > 0) {
        keyspace.packedLimits = Members.SMALL_LIMITS;
      }
      try {
        for (int step = 0; step < 120; step++) {
          operate(isLong ? 150 : 5);
          if (random.nextInt(8) == 0) {
            SimulatedPass.drop(keyspace);
            if (random.nextBoolean()) {
              SimulatedPass.retire(keyspace);
            }
          }
          assertSame();
          KeyspaceCheck.assertConsistent(keyspace);
        }
        KeyspaceCheck.assertConsistent(keyspace);
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  private void operate(int countMax) {
    String name = "k" + random.nextInt(3);
    byte[] key = bytes(name);
    List<String> list = model.computeIfAbsent(name, none -> new ArrayList<>());
    String element = Members.random(random, DIFFERENT);
    String other = Members.random(random, DIFFERENT);
    ListEnd end = random.nextBoolean() ? ListEnd.HEAD : ListEnd.TAIL;
    switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> push(key, end, list, countMax);
      case 4 -> {
        byte[] popped = keyspace.<byte @Nullable []>run(tx -> Lists.pop(tx, 0, key, end));
        assertEquals(
            list.isEmpty() ? null : take(list, end), popped == null ? null : Keyspace.text(popped));
      }
      case 5 -> popMany(key, end, list, random.nextInt(countMax));
      case 6 -> {
        if (!list.isEmpty()) {
          int index = random.nextInt(list.size());
          long given = random.nextBoolean() ? index : index - list.size();
          keyspace.apply(tx -> Lists.set(tx, 0, key, given, bytes(element)));
          list.set(index, element);
        }
      }
      case 7, 8 -> {
        boolean isBefore = random.nextBoolean();
        int at = list.indexOf(element);
        long size =
            keyspace.number(tx -> Lists.insert(tx, 0, key, isBefore, bytes(element), bytes(other)));
        if (at >= 0) {
          list.add(isBefore ? at : at + 1, other);
        }
        assertEquals(at >= 0 || list.isEmpty() ? list.size() : Lists.NO_PIVOT, size);
      }
      case 9, 10 -> remove(key, list, element);
      case 11 -> trim(key, list);
      case 12 -> move(key, end, list);
      default -> live(name, list);
    }
  }

  private void push(byte[] key, ListEnd end, List<String> list, int countMax) {
    List<String> pushed = Members.randoms(random, DIFFERENT, countMax);
    long size = keyspace.number(tx -> Lists.push(tx, 0, key, end, Members.bytes(pushed)));
    for (String each : pushed) {
      list.add(end == ListEnd.HEAD ? 0 : list.size(), each);
    }
    assertEquals(list.size(), size);
  }

  private static String take(List<String> list, ListEnd end) {
    return list.remove(end == ListEnd.HEAD ? 0 : list.size() - 1);
  }

  private void popMany(byte[] key, ListEnd end, List<String> list, int count) {
    @Nullable List<byte[]> popped =
        keyspace.<@Nullable List<byte[]>>run(tx -> Lists.pop(tx, 0, key, end, count));
    if (list.isEmpty()) {
      assertEquals(null, popped);
      return;
    }
    List<String> expected = new ArrayList<>();
    while (expected.size() < count && !list.isEmpty()) {
      expected.add(take(list, end));
    }
    assertEquals(expected, popped == null ? null : popped.stream().map(Keyspace::text).toList());
  }

  private void remove(byte[] key, List<String> list, String element) {
    int count = random.nextInt(-3, 4);
    long removed = keyspace.number(tx -> Lists.remove(tx, 0, key, count, bytes(element)));
    int expected = 0;
    if (count < 0) {
      Collections.reverse(list);
    }
    while ((count == 0 || expected < Math.abs(count)) && list.remove(element)) {
      expected++;
    }
    if (count < 0) {
      Collections.reverse(list);
    }
    assertEquals(expected, removed);
  }

  private void trim(byte[] key, List<String> list) {
    int size = list.size();
    int first = random.nextInt(Math.max(1, size));
    int last = first + random.nextInt(size + 1) - 1;
    long start = random.nextBoolean() ? first : first - size;
    long stop = random.nextBoolean() || last >= size ? last : last - size;
    // The index -1 of nothing means the last element.
    if (stop < 0 && last < 0) {
      return;
    }
    keyspace.apply(tx -> Lists.trim(tx, 0, key, start, stop));
    List<String> kept =
        List.copyOf(list.subList(Math.min(first, size), Math.max(first, Math.min(last + 1, size))));
    list.clear();
    list.addAll(kept);
  }

  private void move(byte[] key, ListEnd end, List<String> list) {
    String target = "k" + random.nextInt(3);
    ListEnd to = random.nextBoolean() ? ListEnd.HEAD : ListEnd.TAIL;
    byte[] moved =
        keyspace.<byte @Nullable []>run(tx -> Lists.move(tx, 0, key, end, bytes(target), to));
    if (list.isEmpty()) {
      assertEquals(null, moved);
      return;
    }
    String element = take(list, end);
    assertEquals(element, moved == null ? null : Keyspace.text(moved));
    List<String> pushed = model.computeIfAbsent(target, none -> new ArrayList<>());
    pushed.add(to == ListEnd.HEAD ? 0 : pushed.size(), element);
  }

  /** What can happen to a key whatever it holds. */
  private void live(String name, List<String> list) {
    byte[] key = bytes(name);
    String target = "k" + random.nextInt(3);
    boolean isOther = !target.equals(name) && !list.isEmpty();
    switch (random.nextInt(5)) {
      case 0 -> {
        keyspace.apply(tx -> Keys.delete(tx, 0, key));
        list.clear();
      }
      case 1 -> {
        if (isOther) {
          keyspace.apply(tx -> Keys.rename(tx, 0, key, bytes(target), true));
          model.put(target, new ArrayList<>(list));
          list.clear();
        }
      }
      case 2, 3 -> {
        if (isOther) {
          keyspace.apply(tx -> Keys.copy(tx, 0, key, 0, bytes(target), true));
          model.put(target, new ArrayList<>(list));
        }
      }
      default -> {
        keyspace.apply(tx -> Keys.expireAt(tx, 0, key, tx.nowMillis() + 1, ExpireCondition.ALWAYS));
        keyspace.nowMillis++;
        list.clear();
      }
    }
  }

  private void assertSame() {
    for (Map.Entry<String, List<String>> entry : model.entrySet()) {
      byte[] key = bytes(entry.getKey());
      List<String> list = entry.getValue();
      assertEquals(list, Members.walk(keyspace, tx -> Lists.elements(tx, 0, key), false));
      assertEquals(list.size(), keyspace.number(tx -> Lists.size(tx, 0, key)));
      Members.assertBytesCounted(keyspace, key);
      if (!list.isEmpty()) {
        assertPartsAreSame(key, list);
      }
    }
  }

  private void assertPartsAreSame(byte[] key, List<String> list) {
    int first = random.nextInt(list.size());
    int last = random.nextInt(first, list.size());
    assertEquals(
        list.subList(first, last + 1),
        Members.walk(keyspace, tx -> Lists.range(tx, 0, key, first, last - list.size()), false));
    assertEquals(
        list.get(first),
        Members.text(keyspace.<@Nullable Slice>run(tx -> Lists.get(tx, 0, key, first))));
    String element = Members.random(random, DIFFERENT);
    List<Long> expected = new ArrayList<>();
    for (int i = list.size() - 1; i >= 0; i--) {
      if (list.get(i).equals(element)) {
        expected.add((long) i);
      }
    }
    long[] found = keyspace.run(tx -> Lists.indexes(tx, 0, key, bytes(element), -1, 0, 0));
    assertEquals(expected, Arrays.stream(found).boxed().toList());
  }
}
