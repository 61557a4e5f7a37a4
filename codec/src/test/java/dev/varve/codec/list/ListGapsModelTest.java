package dev.varve.codec.list;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Members;
import dev.varve.codec.SimulatedPass;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Long lists of different elements that are edited anywhere are what an array list would be,
 * however gaps are opened, taken and closed.
 */
class ListGapsModelTest {
  private static final byte[] KEY = bytes("jobs");
  private static final int SEEDS = 6;
  private static final int STEPS = 300;

  private final List<String> model = new ArrayList<>();
  private Keyspace keyspace = new Keyspace();
  private SplittableRandom random = new SplittableRandom(0);
  private int pushed;

  @Test
  void editsAnywhereDoWhatAnArrayListWouldDo() {
    for (int seed = 0; seed < SEEDS; seed++) {
      begin(seed);
      try {
        for (int step = 0; step < STEPS; step++) {
          operate();
          if (random.nextInt(40) == 0) {
            SimulatedPass.drop(keyspace);
            assertSame();
          }
        }
        assertSame();
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  private void begin(int seed) {
    random = new SplittableRandom(seed);
    keyspace = new Keyspace(seed);
    model.clear();
    push(ListEnd.TAIL, random.nextInt(200, 6_000));
  }

  private void push(ListEnd end, int count) {
    List<String> elements =
        IntStream.range(pushed, pushed + count).mapToObj(number -> "element" + number).toList();
    pushed += count;
    keyspace.apply(tx -> Lists.push(tx, 0, KEY, end, Members.bytes(elements)));
    for (String element : elements) {
      model.add(end == ListEnd.HEAD ? 0 : model.size(), element);
    }
  }

  private void operate() {
    if (model.size() < 200) {
      push(ListEnd.TAIL, 300);
    }
    ListEnd end = random.nextBoolean() ? ListEnd.HEAD : ListEnd.TAIL;
    switch (random.nextInt(20)) {
      case 0 -> push(end, random.nextInt(1, 100));
      case 1 -> pop(end);
      case 2 -> trim();
      case 3, 4 -> set();
      case 5 -> removeRun();
      case 6 -> {
        // To where its gaps are those that the copy has.
        keyspace.apply(tx -> Keys.copy(tx, 0, KEY, 0, bytes("copy"), true));
        keyspace.apply(tx -> Keys.rename(tx, 0, bytes("copy"), KEY, true));
      }
      case 7, 8, 9, 10, 11, 12 -> remove(1, List.of(anyElement()));
      default -> insert();
    }
    assertEquals(model.size(), keyspace.number(tx -> Lists.size(tx, 0, KEY)));
    int index = random.nextInt(model.size());
    assertEquals(
        model.get(index),
        Members.text(keyspace.<@Nullable Slice>run(tx -> Lists.get(tx, 0, KEY, index))));
  }

  private String anyElement() {
    return model.get(random.nextInt(model.size()));
  }

  private void pop(ListEnd end) {
    int count = random.nextInt(1, 120);
    keyspace.apply(tx -> Lists.pop(tx, 0, KEY, end, count));
    List<String> gone =
        end == ListEnd.HEAD
            ? model.subList(0, count)
            : model.subList(model.size() - count, model.size());
    gone.clear();
  }

  private void trim() {
    int first = random.nextInt(30);
    int last = model.size() - 1 - random.nextInt(30);
    keyspace.apply(tx -> Lists.trim(tx, 0, KEY, first, last));
    model.subList(last + 1, model.size()).clear();
    model.subList(0, first).clear();
  }

  private void set() {
    int index = random.nextInt(model.size());
    String element = "set" + pushed++;
    keyspace.apply(tx -> Lists.set(tx, 0, KEY, index, bytes(element)));
    model.set(index, element);
  }

  /** Neighbours, one by one or all at once. */
  private void removeRun() {
    int from = random.nextInt(model.size() - 90);
    List<String> run = List.copyOf(model.subList(from, from + random.nextInt(1, 90)));
    if (random.nextBoolean()) {
      remove(1, run);
      return;
    }
    for (int i = from; i < from + run.size(); i++) {
      int index = i;
      keyspace.apply(tx -> Lists.set(tx, 0, KEY, index, bytes("same")));
      model.set(index, "same");
    }
    remove(0, List.of("same"));
  }

  private void remove(long count, List<String> elements) {
    for (String element : elements) {
      keyspace.apply(tx -> Lists.remove(tx, 0, KEY, count, bytes(element)));
      model.removeAll(Collections.singleton(element));
    }
  }

  private void insert() {
    String pivot = anyElement();
    String element = "inserted" + pushed++;
    boolean isBefore = random.nextBoolean();
    keyspace.apply(tx -> Lists.insert(tx, 0, KEY, isBefore, bytes(pivot), bytes(element)));
    model.add(model.indexOf(pivot) + (isBefore ? 0 : 1), element);
  }

  private void assertSame() {
    assertEquals(model, Members.walk(keyspace, tx -> Lists.elements(tx, 0, KEY), false));
    int first = random.nextInt(model.size());
    int last = random.nextInt(first, model.size());
    assertEquals(
        model.subList(first, last + 1),
        Members.walk(keyspace, tx -> Lists.range(tx, 0, KEY, first, last), false));
    String element = anyElement();
    long[] found = keyspace.run(tx -> Lists.indexes(tx, 0, KEY, bytes(element), -1, 1, 0));
    assertEquals(model.lastIndexOf(element), found[0]);
    Members.assertBytesCounted(keyspace, KEY);
    KeyspaceCheck.assertConsistent(keyspace);
  }
}
