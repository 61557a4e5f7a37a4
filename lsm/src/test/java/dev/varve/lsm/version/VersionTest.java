package dev.varve.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.KeyComparator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VersionTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static int number(byte[] key) {
    return ByteBuffer.wrap(key).getInt();
  }

  private static TableMeta table(int number, int from, int to) {
    return new TableMeta(number, 1, 1, key(from), key(to), number, number, 1, 0, 0);
  }

  private static Version withLevelZero(List<TableMeta> tables) {
    VersionEdit edit = new VersionEdit();
    tables.forEach(table -> edit.add(0, table));
    return Version.empty(KeyComparator.BYTEWISE).apply(edit);
  }

  @Test
  void runsOfLevelZeroAreDisjointAndNoMoreThanTablesOverEachOther() {
    System.out.println("VersionTest -Dvarve.seed=" + SEED);
    Random random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      List<TableMeta> tables = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        int from = random.nextInt(60);
        tables.add(table(i, from, from + random.nextInt(15)));
      }
      List<List<TableMeta>> runs = withLevelZero(tables).levelZeroRuns();
      List<TableMeta> all = new ArrayList<>();
      for (List<TableMeta> run : runs) {
        all.addAll(run);
        for (int i = 1; i < run.size(); i++) {
          assertTrue(
              number(run.get(i - 1).largestKey()) < number(run.get(i).smallestKey()),
              run.toString());
        }
      }
      assertEquals(tables.size(), all.size());
      assertEquals(new HashSet<>(tables), new HashSet<>(all));
      assertEquals(overEachOther(tables), runs.size(), tables.toString());
    }
  }

  private static int overEachOther(List<TableMeta> tables) {
    int most = 0;
    for (int at = 0; at < 100; at++) {
      int here = 0;
      for (TableMeta table : tables) {
        if (number(table.smallestKey()) <= at && at <= number(table.largestKey())) {
          here++;
        }
      }
      most = Math.max(most, here);
    }
    return most;
  }
}
