package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Replies;
import dev.varve.server.command.TreeTester.Sizes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A long list that is edited in its midst is what an array list would be, whatever of it is in
 * caches, in memtables or on disk.
 *
 * <p>{@code -Dvarve.seed=…} repeats a run, {@code -Dvarve.model.rounds=…} makes more of them.
 */
class EditedListTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.model.rounds", 6);
  private static final int STEPS = 600;
  private static final long NOW_MILLIS = 1_700_000_000_000L;
  private static final int LONG_VALUE_MAX = 3_000;

  private final List<String> model = new ArrayList<>();
  private SplittableRandom random = new SplittableRandom(0);
  private int made;

  @Test
  void itIsWhatAnArrayListWouldBe() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      random = new SplittableRandom(seed);
      Sizes sizes = ModelTest.anySizes(random);
      System.out.println("EditedListTest -Dvarve.seed=" + seed + " " + sizes);
      Server server = new Server(sizes, PackedLimits.DEFAULT, NOW_MILLIS);
      model.clear();
      int step = 0;
      try {
        for (; step < STEPS; step++) {
          edit(server);
          beneath(server);
        }
        compare(server);
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed + " step " + step, failure);
      }
      server.tester().close();
    }
  }

  /** What was popped or cut off goes from the tables. */
  private static void dropDead(Server server) throws IOException {
    server.tester().flush();
    for (int i = 0; i < 50 && server.tester().work(); i++) {
      continue;
    }
    server.tester().retire();
  }

  private void beneath(Server server) throws IOException {
    switch (random.nextInt(30)) {
      case 0 -> server.tester().flush();
      case 1, 2, 3 -> server.tester().work();
      case 4 -> compare(server);
      case 5 -> dropDead(server);
      default -> {}
    }
  }

  private void compare(Server server) throws IOException {
    List<String> found =
        Replies.elements(run(server, "LRANGE", "jobs", "0", "-1")).stream()
            .map(Replies::text)
            .toList();
    assertEquals(model, found);
  }

  private String run(Server server, String... request) throws IOException {
    return server.run(0, request, random);
  }

  private String element() {
    made++;
    return switch (random.nextInt(10)) {
      case 0 -> made + "x".repeat(random.nextInt(LONG_VALUE_MAX));
      default -> Integer.toString(made);
    };
  }

  private void edit(Server server) throws IOException {
    if (model.size() < 200 || random.nextInt(10) == 0) {
      push(server, random.nextInt(1, model.size() < 200 ? 900 : 60));
      return;
    }
    int index = random.nextInt(model.size());
    String element = model.get(index);
    switch (random.nextInt(18)) {
      case 16, 17 -> neighbours(server);
      case 0, 1 -> pop(server, random.nextInt(1, 150));
      case 2 -> {
        int first = random.nextInt(100);
        int last = model.size() - 1 - random.nextInt(100);
        run(server, "LTRIM", "jobs", Integer.toString(first), Integer.toString(last));
        model.subList(last + 1, model.size()).clear();
        model.subList(0, first).clear();
      }
      case 3 -> {
        String set = element();
        assertEquals(Wire.OK, run(server, "LSET", "jobs", Integer.toString(index), set));
        model.set(index, set);
      }
      case 4, 5 ->
          assertEquals(Wire.bulk(element), run(server, "LINDEX", "jobs", Integer.toString(index)));
      case 6 ->
          assertEquals(
              Wire.integer(index),
              run(server, "LPOS", "jobs", element, "RANK", random.nextBoolean() ? "1" : "-1"));
      case 7, 8, 9, 10, 11 -> {
        String count = Integer.toString(random.nextInt(-1, 2));
        assertEquals(Wire.integer(1), run(server, "LREM", "jobs", count, element));
        model.remove(index);
      }
      default -> {
        String inserted = element();
        boolean isBefore = random.nextBoolean();
        model.add(isBefore ? index : index + 1, inserted);
        assertEquals(
            Wire.integer(model.size()),
            run(server, "LINSERT", "jobs", isBefore ? "BEFORE" : "AFTER", element, inserted));
      }
    }
  }

  /** One after the other, towards an end: what lies beyond is read ahead. */
  private void neighbours(Server server) throws IOException {
    boolean isHead = random.nextBoolean();
    for (int left = random.nextInt(2, 6); left >= 0; left--) {
      int index = isHead ? left : model.size() - 1 - left;
      String found = run(server, "LINDEX", "jobs", Integer.toString(index));
      assertEquals(Wire.bulk(model.get(index)), found);
    }
  }

  private void push(Server server, int count) throws IOException {
    boolean isHead = random.nextBoolean();
    List<String> request = new ArrayList<>(List.of(isHead ? "LPUSH" : "RPUSH", "jobs"));
    for (int i = 0; i < count; i++) {
      String element = element();
      request.add(element);
      model.add(isHead ? 0 : model.size(), element);
    }
    run(server, request.toArray(String[]::new));
  }

  private void pop(Server server, int count) throws IOException {
    boolean isHead = random.nextBoolean();
    run(server, isHead ? "LPOP" : "RPOP", "jobs", Integer.toString(count));
    if (isHead) {
      model.subList(0, count).clear();
    } else {
      model.subList(model.size() - count, model.size()).clear();
    }
  }
}
