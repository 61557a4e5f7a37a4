package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.wal.CorruptionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class CompactionPassTest {
  private static final BooleanSupplier NEVER = () -> false;

  private static final CompactionOptions OPTIONS =
      new CompactionOptions(4, 100_000, 10, 10_000, 2, 1_000_000, 0.25, 0.02, 0.25);

  private final MemoryStore store = new MemoryStore();
  private final Graveyard graveyard = new Graveyard();

  @Test
  void theInsideOfADeadRangeIsNotRead() throws IOException {
    List<Entry> entries = members(1, 0, 100);
    entries.addAll(members(2, 0, 20_000));
    entries.addAll(members(3, 0, 100));
    TableMeta table = store.addTable(6, entries, 0);
    die(2);

    PassResult result = pass(graveyard).run(merge(6, table), NEVER);

    assertEquals(20_000, result.deadEntries());
    assertEquals(200, store.totalEntries());
    assertTrue(
        result.bytesRead() < 0.05 * result.deadRawBytes(),
        result.bytesRead() + " read for " + result.deadRawBytes());
  }

  @Test
  void tablesInsideADeadRangeAreNotOpened() throws IOException {
    List<PlacedTable> inputs = new ArrayList<>();
    inputs.add(new PlacedTable(5, store.addTable(5, members(1, 0, 100), 0)));
    List<Entry> spanning = members(1, 100, 200);
    spanning.addAll(members(2, 0, 50));
    inputs.add(new PlacedTable(5, store.addTable(5, spanning, 0)));
    for (int i = 1; i < 6; i++) {
      inputs.add(new PlacedTable(5, store.addTable(5, members(2, 100 * i, 100 * i + 100), 0)));
    }
    inputs.add(new PlacedTable(5, store.addTable(5, members(3, 0, 100), 0)));
    die(2);

    pass(graveyard).run(new Plan.Merge(Reason.REQUESTED, inputs, 6), NEVER);

    assertEquals(3, store.tablesOpened().size(), store.tablesOpened().toString());
    assertEquals(300, store.totalEntries());
  }

  @Test
  void versionsOfOneKeyStayInOneTable() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (int key = 0; key < 5; key++) {
      for (int i = 0; i < 400; i++) {
        entries.add(entry(1, key, 32));
      }
    }
    TableMeta table = store.addTable(6, entries, 0);
    store.published = 0;

    pass(DeadEntryRule.NONE).run(merge(6, table), NEVER);

    assertEquals(5, store.version().level(6).size());
    assertEquals(2000, store.totalEntries());
  }

  @Test
  void tablesOfASmallLevelAreSmall() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 100), 0);
    store.publishAll();

    pass(DeadEntryRule.NONE).run(merge(6, table), NEVER);

    List<TableMeta> outputs = store.version().level(6);
    assertTrue(outputs.size() >= 4, outputs.toString());
    for (TableMeta output : outputs) {
      assertTrue(output.fileBytes() < OPTIONS.tableBytes() / 4, output.toString());
    }
  }

  @Test
  void whatIsApartComesIntoTablesOfItsOwn() throws IOException {
    store.order(new CollectionsApart());
    List<Entry> entries = members(1, 0, 10);
    entries.addAll(members(2, 0, 10));
    entries.addAll(members(3, 0, 10));
    TableMeta table = store.addTable(0, entries, 0);
    store.publishAll();

    pass(DeadEntryRule.NONE).run(merge(0, table), NEVER);

    assertEquals(3, store.version().level(0).size());
    assertEquals(30, store.totalEntries());
  }

  @Test
  void outputsOverlapABoundedPartOfTheLevelBelow() throws IOException {
    for (int i = 0; i < 40; i++) {
      store.addTable(6, members(1, 1000 * i, 1000 * i + 150), 0);
    }
    List<Entry> sparse = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sparse.add(entry(1, 1000 * i + 500, 16));
    }
    TableMeta table = store.addTable(4, sparse, 0);
    store.publishAll();

    pass(DeadEntryRule.NONE)
        .run(new Plan.Merge(Reason.LEVEL_SIZE, List.of(new PlacedTable(4, table)), 5), NEVER);

    long largest = store.version().level(6).get(0).fileBytes();
    for (TableMeta output : store.version().level(5)) {
      long overlap =
          Shape.fileBytes(
              store.version().overlapping(6, output.smallestKey(), output.largestKey()));
      assertTrue(overlap <= 2 * OPTIONS.tableBytes() + largest, "overlaps " + overlap);
    }
  }

  @Test
  void outputsSayThroughWhichSequenceTheyAreFreeOfDeadEntries() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 10), 0);
    store.publishAll();

    pass(DeadEntryRule.NONE).run(merge(6, table), NEVER);

    assertEquals(store.published, store.version().level(6).get(0).deadThrough());
  }

  @Test
  void mergeOfNothingButDeadEntriesLeavesNoTable() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 1000), 0);
    die(1);

    PassResult result = pass(graveyard).run(merge(6, table), NEVER);

    assertEquals(0, store.version().tableCount());
    assertEquals(1000, result.deadEntries());
    assertEquals(table.fileBytes(), result.bytesFreed());
  }

  @Test
  void damagedInputFailsThePassAndChangesNothing() throws IOException {
    TableMeta upper = store.addTable(5, members(1, 0, 1000), 0);
    TableMeta lower = store.addTable(6, members(1, 0, 1000), 0);
    store.publishAll();
    store.damagedTable = lower.number();
    Version before = store.version();
    Plan plan =
        new Plan.Merge(
            Reason.LEVEL_SIZE, List.of(new PlacedTable(5, upper), new PlacedTable(6, lower)), 6);

    assertThrows(CorruptionException.class, () -> pass(DeadEntryRule.NONE).run(plan, NEVER));

    assertEquals(before, store.version());
    assertEquals(2, store.fileCount());
  }

  @Test
  void fullDiskFailsThePassAndLeavesNoFile() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 5000), 0);
    store.publishAll();
    store.tablesLeft = 3;
    Version before = store.version();

    assertThrows(IOException.class, () -> pass(DeadEntryRule.NONE).run(merge(6, table), NEVER));

    assertEquals(before, store.version());
    assertEquals(1, store.fileCount());
  }

  @Test
  void outputsStayWhenTheirEditMayBeInForceAfterARestart() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 10), 0);
    store.publishAll();
    store.installFails = true;

    assertThrows(IOException.class, () -> pass(DeadEntryRule.NONE).run(merge(6, table), NEVER));

    assertEquals(2, store.fileCount());
  }

  @Test
  void cancelledPassLeavesNothingBehind() throws IOException {
    TableMeta table = store.addTable(6, members(1, 0, 20_000), 0);
    store.publishAll();
    Version before = store.version();
    AtomicInteger asked = new AtomicInteger();

    PassResult result =
        pass(DeadEntryRule.NONE, () -> asked.incrementAndGet() > 5).run(merge(6, table), NEVER);

    assertFalse(result.installed());
    assertEquals(before, store.version());
    assertEquals(1, store.fileCount());
  }

  private CompactionPass pass(DeadEntryRule rule) {
    return pass(rule, NEVER);
  }

  private CompactionPass pass(DeadEntryRule rule, BooleanSupplier cancelled) {
    return new CompactionPass(
        store,
        rule,
        OPTIONS,
        new Pacer(Pace.UNLIMITED, () -> 0, WorkTime.alone(() -> 0L, nanos -> {})),
        cancelled);
  }

  private static Plan merge(int level, TableMeta table) {
    return new Plan.Merge(Reason.REQUESTED, List.of(new PlacedTable(level, table)), level);
  }

  private void die(int collection) {
    store.publishAll();
    graveyard.bury(Keys.collection(collection), Keys.collection(collection + 1), store.published);
  }

  private List<Entry> members(int collection, int from, int to) {
    List<Entry> entries = new ArrayList<>();
    for (int member = from; member < to; member++) {
      entries.add(entry(collection, member, 92));
    }
    return entries;
  }

  private Entry entry(int collection, int member, int valueBytes) {
    long sequence = store.nextSequence++;
    return new Entry(
        Keys.member(collection, member), sequence, false, Keys.value(sequence, valueBytes));
  }
}
