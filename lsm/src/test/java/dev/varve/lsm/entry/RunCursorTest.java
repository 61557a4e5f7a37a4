package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunCursorTest {

  /** A run of lists, which counts what it opens. */
  private static final class ListRun extends RunCursor {
    private final List<List<Entry>> sources;
    private final List<OracleCursor> opened = new ArrayList<>();

    ListRun(List<List<Entry>> sources) {
      super(sources.size());
      this.sources = sources;
    }

    @Override
    protected EntryCursor open(int source) {
      OracleCursor its = new OracleCursor(sources.get(source));
      opened.add(its);
      return its;
    }

    @Override
    protected int firstNotBefore(byte[] key, int offset, int length) {
      int at = 0;
      while (at < sources.size() && endsBefore(sources.get(at), key, offset, length)) {
        at++;
      }
      return at;
    }

    private static boolean endsBefore(List<Entry> source, byte[] key, int offset, int length) {
      byte[] largest = source.get(source.size() - 1).key();
      return Arrays.compareUnsigned(largest, 0, largest.length, key, offset, offset + length) < 0;
    }

    long openNow() {
      return opened.stream().filter(its -> !its.isClosed()).count();
    }
  }

  private static Entry entry(int key) {
    return new Entry(new byte[] {(byte) key}, key, false, new byte[0]);
  }

  /** Sources of one entry each, with the keys 0, 2, 4 and so on. */
  private static ListRun ofSingles(int sources) {
    List<List<Entry>> lists = new ArrayList<>();
    for (int i = 0; i < sources; i++) {
      lists.add(List.of(entry(2 * i)));
    }
    return new ListRun(lists);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 30})
  void walksAllEntriesInOrderEitherWayAndMixed(int sources) {
    long seed = 7 + sources;
    Random random = new Random(seed);
    System.out.println("RunCursorTest seed " + seed);
    RandomEntries generated = new RandomEntries(random);
    List<Entry> all = new ArrayList<>();
    for (int sequence = 1; sequence <= 300; sequence++) {
      all.add(new Entry(generated.key(), sequence, false, generated.value()));
    }
    all.sort(Entry.ORDER);
    ListRun run = new ListRun(split(all, sources));
    EntryWalk.verifyWhole(run, all);
    EntryWalk.verifyRandom(run, all, random, 3000, generated::key);
    assertTrue(run.openNow() <= 1);
    run.close();
    assertEquals(0, run.openNow());
  }

  /** Into some {@code parts}, none of which begins within the versions of a key. */
  private static List<List<Entry>> split(List<Entry> all, int parts) {
    List<List<Entry>> lists = new ArrayList<>();
    List<Entry> last = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      boolean isNewKey = i == 0 || !Arrays.equals(all.get(i - 1).key(), all.get(i).key());
      if (isNewKey && last.size() >= all.size() / parts) {
        lists.add(last);
        last = new ArrayList<>();
      }
      last.add(all.get(i));
    }
    lists.add(last);
    return lists;
  }

  @Test
  void opensNothingThatASeekGoesPast() {
    ListRun run = ofSingles(10);
    assertTrue(run.seek(new byte[] {11}, 0, 1, EntryCursor.SEQUENCE_MAX));
    assertEquals(12, run.sequence());
    assertEquals(1, run.opened.size());
    assertTrue(run.seek(new byte[] {12}, 0, 1, EntryCursor.SEQUENCE_MAX));
    assertEquals(1, run.opened.size());
    assertFalse(run.seek(new byte[] {19}, 0, 1, EntryCursor.SEQUENCE_MAX));
    assertEquals(1, run.opened.size());
    assertEquals(0, run.openNow());
  }

  @Test
  void hasOneSourceOpenAtATime() {
    ListRun run = ofSingles(5);
    for (boolean valid = run.seekToFirst(); valid; valid = run.next()) {
      assertEquals(1, run.openNow());
    }
    assertEquals(5, run.opened.size());
    assertEquals(0, run.openNow());
  }

  @Test
  void saysWhereItIsOnlyAtAnEntry() {
    ListRun run = ofSingles(0);
    assertFalse(run.seekToFirst());
    assertFalse(run.seekToLast());
    assertThrows(IllegalStateException.class, run::keyBuffer);
    run.close();
  }
}
