package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberCursor;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is written, deleted, flushed, compacted and reclaimed when the power fails: the engine
 * starts as it was after some command, and not before the last one that was synced.
 */
class PowerLossModelTest {
  private static final int STEPS = 250;
  private static final int HASHES = 5;
  private static final int FIELDS = 400;
  private static final int FIELDS_AT_A_TIME = 150;

  /** All hashes with their fields, after each command since the last sync; the first was synced. */
  private final List<TreeMap<String, TreeMap<String, String>>> past = new ArrayList<>();

  private long batches;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void theEngineStartsAsItWasAtSomeMoment(long seed) throws IOException {
    Random random = new Random(seed);
    past.add(new TreeMap<>());
    try (EngineRig rig = new EngineRig(48 << 10)) {
      for (int step = 0; step < STEPS; step++) {
        String where = "seed " + seed + ", step " + step;
        try {
          step(rig, random);
        } catch (SimulatedCrash crash) {
          restart(rig, random, where);
        }
        if (random.nextInt(40) == 0) {
          restart(rig, random, where);
        }
      }
      restart(rig, random, "seed " + seed + ", at the end");
      rig.settle();
      assertEquals(latest(), content(rig), "seed " + seed);
      assertEquals(0, rig.pendingEntries(), "seed " + seed);
      assertEquals(0, rig.pendingBytes(), "seed " + seed);
      assertEquals(latest().size(), rig.<Long>read(transaction -> Keys.size(transaction, 0)));
    }
  }

  private void step(EngineRig rig, Random random) throws IOException {
    String hash = "hash" + random.nextInt(HASHES);
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> set(rig, random, hash);
      case 4, 5 -> delete(rig, hash);
      case 6 -> deleteFields(rig, random, hash);
      case 7 -> rig.secondOfCompaction();
      case 8 -> rig.second();
      case 9 -> {
        rig.engine().sync();
        past.subList(0, past.size() - 1).clear();
      }
      case 10 -> {
        if (random.nextInt(4) == 0) {
          flushDatabase(rig);
        }
      }
      default -> {
        if (random.nextInt(3) == 0) {
          rig.directory().crashAtCall(1 + random.nextInt(40), random);
        }
      }
    }
  }

  private TreeMap<String, TreeMap<String, String>> latest() {
    return past.get(past.size() - 1);
  }

  /** The state that the next command begins with, to change; it counts as soon as it is added. */
  private TreeMap<String, TreeMap<String, String>> next() {
    TreeMap<String, TreeMap<String, String>> copy = new TreeMap<>();
    latest().forEach((hash, fields) -> copy.put(hash, new TreeMap<>(fields)));
    past.add(copy);
    return copy;
  }

  private void set(EngineRig rig, Random random, String hash) throws IOException {
    TreeMap<String, String> fields = next().computeIfAbsent(hash, unseen -> new TreeMap<>());
    String value = "value" + batches++;
    List<byte[]> pairs = new ArrayList<>();
    int from = random.nextInt(FIELDS);
    for (int i = random.nextInt(FIELDS_AT_A_TIME); i >= 0; i--) {
      String field = "field" + (from + i);
      fields.put(field, value);
      pairs.add(bytes(field));
      pairs.add(bytes(value));
    }
    rig.write(transaction -> Hashes.set(transaction, 0, bytes(hash), pairs.toArray(byte[][]::new)));
  }

  private void delete(EngineRig rig, String hash) throws IOException {
    next().remove(hash);
    rig.write(transaction -> Keys.delete(transaction, 0, bytes(hash)));
  }

  private void deleteFields(EngineRig rig, Random random, String hash) throws IOException {
    TreeMap<String, TreeMap<String, String>> state = next();
    TreeMap<String, String> fields = state.getOrDefault(hash, new TreeMap<>());
    SortedMap<String, String> some = fields.tailMap("field" + random.nextInt(FIELDS));
    byte[][] names = some.keySet().stream().map(PowerLossModelTest::bytes).toArray(byte[][]::new);
    some.clear();
    if (fields.isEmpty()) {
      state.remove(hash);
    }
    rig.write(transaction -> Hashes.delete(transaction, 0, bytes(hash), names));
  }

  private void flushDatabase(EngineRig rig) throws IOException {
    next().clear();
    rig.write(transaction -> transaction.flush(0));
  }

  private void restart(EngineRig rig, Random random, String where) throws IOException {
    rig.losePower(random.nextInt(3) == 0 ? 0 : random.nextDouble());
    TreeMap<String, TreeMap<String, String>> found = content(rig);
    int moment = past.lastIndexOf(found);
    assertTrue(moment >= 0, () -> where + ": no moment of the past, but " + sizes(found));
    // What was found on the device is durable, and what was lost will not come back.
    past.clear();
    past.add(found);
  }

  private static String sizes(TreeMap<String, TreeMap<String, String>> state) {
    StringBuilder sizes = new StringBuilder();
    state.forEach(
        (hash, fields) -> sizes.append(hash).append(' ').append(fields.size()).append(' '));
    return sizes.toString();
  }

  private static TreeMap<String, TreeMap<String, String>> content(EngineRig rig) {
    TreeMap<String, TreeMap<String, String>> content = new TreeMap<>();
    for (int i = 0; i < HASHES; i++) {
      String hash = "hash" + i;
      TreeMap<String, String> fields = new TreeMap<>();
      long size =
          rig.read(
              transaction -> {
                try (MemberCursor cursor = Hashes.fields(transaction, 0, bytes(hash))) {
                  while (cursor.next()) {
                    fields.put(text(cursor.bytes()), text(cursor.value().toBytes()));
                  }
                }
                return Hashes.size(transaction, 0, bytes(hash));
              });
      assertEquals(size, fields.size(), "the count in the meta of " + hash);
      if (size > 0) {
        content.put(hash, fields);
      }
    }
    return content;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
