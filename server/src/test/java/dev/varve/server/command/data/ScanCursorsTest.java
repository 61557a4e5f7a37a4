package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ScanCursorsTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static byte[] place(Random random, int lengthMax) {
    byte[] place = new byte[random.nextInt(lengthMax + 1)];
    random.nextBytes(place);
    return place;
  }

  private static long bytes(Map<Long, byte[]> places) {
    return places.values().stream().mapToLong(place -> place.length).sum();
  }

  @Test
  void theLatestPlacesAreThoseThatWereAddedAndOlderOnesAreNotKnown() {
    System.out.println("ScanCursorsTest -Dvarve.seed=" + SEED);
    Random random = new Random(SEED);
    int forgotten = 0;
    for (int run = 0; run < 40; run++) {
      int countMax = 1 + random.nextInt(60);
      long bytesMax = 1 + random.nextInt(5000);
      ScanCursors cursors = new ScanCursors(new SplittableRandom(SEED + run), countMax, bytesMax);
      TreeMap<Long, byte[]> model = new TreeMap<>();
      for (int step = 0; step < 500; step++) {
        // Long ones that do not fit, and none at all, among those of a few bytes.
        int lengthMax = random.nextInt(40) == 0 ? 20_000 : random.nextInt(4) == 0 ? 600 : 20;
        byte[] added = place(random, lengthMax);
        long number = cursors.add(added.clone());
        assertTrue(number > 0 && (model.isEmpty() || number == model.lastKey() + 1));
        model.put(number, added);
        while (model.size() > countMax || (bytes(model) > bytesMax && model.size() > 1)) {
          long oldest = model.pollFirstEntry().getKey();
          assertNull(cursors.place(oldest));
          assertTrue(cursors.isGiven(oldest));
          forgotten++;
        }
        for (Map.Entry<Long, byte[]> known : model.entrySet()) {
          assertArrayEquals(known.getValue(), cursors.place(known.getKey()));
        }
        assertNull(cursors.place(number + 1));
      }
    }
    assertTrue(forgotten > 0);
  }
}
