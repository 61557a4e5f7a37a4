package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.version.TableMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class GarbageMeasureTest {
  private final MemoryStore store = new MemoryStore();
  private final List<Death> deaths = new ArrayList<>();

  @Test
  void countsWhatOfEachTableIsDead() throws IOException {
    TableMeta partly = table(1, 2, 0);
    TableMeta wholly = table(2, 2, 0);
    TableMeta untouched = table(3, 3, 0);
    dead(2, store.nextSequence, Long.MAX_VALUE);

    TableGarbage garbage = measure();

    assertEquals(partly.fileBytes() / 2, garbage.deadBytes(partly));
    assertFalse(garbage.in(partly).whole());
    assertEquals(wholly.fileBytes(), garbage.deadBytes(wholly));
    assertTrue(garbage.in(wholly).whole());
    assertEquals(0, garbage.deadBytes(untouched));
    assertEquals(1, garbage.pendingDeaths());
  }

  @Test
  void aTableWrittenAfterTheDeathHoldsNoGarbage() throws IOException {
    TableMeta rewritten = table(2, 2, 1000);
    dead(2, 500, Long.MAX_VALUE);

    assertEquals(0, measure().deadBytes(rewritten));
  }

  @Test
  void aTableWithNewerEntriesIsNotWhollyDead() throws IOException {
    TableMeta table = table(2, 2, 0);
    dead(2, table.largestSequence() - 1, Long.MAX_VALUE);

    assertFalse(measure().in(table).whole());
  }

  @Test
  void noMoreIsCountedThanDied() throws IOException {
    TableMeta first = table(2, 2, 0);
    TableMeta second = table(2, 2, 0);
    dead(2, store.nextSequence - 200, 100);

    TableGarbage garbage = measure();

    assertTrue(garbage.deadBytes(first) + garbage.deadBytes(second) <= 102);
    assertEquals(100, garbage.pendingRawBytes());
  }

  private TableGarbage measure() {
    GarbageSource source =
        new GarbageSource() {
          @Override
          public long generation() {
            return 1;
          }

          @Override
          public void forEach(Consumer<Death> visitor) {
            deaths.forEach(visitor);
          }
        };
    return GarbageMeasure.of(store.version(), source, store, sequence -> 0);
  }

  private void dead(int collection, long deathSequence, long rawBytes) {
    KeyRange range = new KeyRange(Keys.collection(collection), Keys.collection(collection + 1));
    deaths.add(new Death(range.start(), List.of(range), deathSequence, rawBytes));
  }

  private TableMeta table(int from, int to, long deadThrough) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (int collection = from; collection <= to; collection++) {
      for (int member = 0; member < 100; member++) {
        byte[] value = Keys.value(member, 20);
        entries.add(new Entry(Keys.member(collection, member), store.nextSequence++, false, value));
      }
    }
    return store.addTable(0, entries, deadThrough);
  }
}
