package dev.varve.codec.list;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.ListGaps;
import dev.varve.codec.Members;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.Slice;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.string.Strings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ListsTest extends ListFixture {

  /** The examples of docs/formats/lists.md. */
  @Test
  void goldenBytes() {
    push(ListEnd.TAIL, "red", "blue");
    assertEquals("12000203726564" + "04626c7565", hex(stored(KeyFormat.meta(0, KEY))));

    push(ListEnd.TAIL, "\0".repeat(8192));
    push(ListEnd.HEAD, "up");
    String version = String.format("%016x", keyspace.held(0, KEY).version());
    String prefix = "6c 00000000 00000004 6a6f6273".replace(" ", "") + version;
    List<byte[]> entries = keyspace.stored(KeyFormat.LIST);
    assertEquals(
        List.of(
            prefix + "7fffffffffffffff",
            prefix + "8000000000000000",
            prefix + "8000000000000001",
            prefix + "8000000000000002"),
        entries.stream().map(ListsTest::hex).toList());
    assertEquals("7570", hex(stored(entries.get(0))));
    assertEquals("726564", hex(stored(entries.get(1))));
    assertEquals("626c7565", hex(stored(entries.get(2))));
    assertEquals("00".repeat(8192), hex(stored(entries.get(3))));
    assertEquals(
        ("12 02 " + version + " 0000000000000004 0000000000002009 7fffffffffffffff")
                .replace(" ", "")
            + "8000000000000003",
        hex(stored(KeyFormat.meta(0, KEY))));

    keyspace.number(tx -> Lists.insert(tx, 0, KEY, false, bytes("up"), bytes("new")));
    entries = keyspace.stored(KeyFormat.LIST);
    assertEquals(prefix + "7ffffffffffffffe", hex(entries.get(0)));
    assertEquals("up", Keyspace.text(stored(entries.get(0))));
    assertEquals("new", Keyspace.text(stored(entries.get(1))));
    assertEquals(5, entries.size());
  }

  @Test
  void listIsPackedUpToItsLimitsAndSpreadBeyond() {
    for (int i = 0; i < 128; i++) {
      push(ListEnd.TAIL, "e" + i);
    }
    assertFalse(keyspace.held(0, KEY).isSpread());
    push(ListEnd.HEAD, "one more");
    assertTrue(keyspace.held(0, KEY).isSpread());
    assertEquals("one more", elements().get(0));
    assertEquals("e127", elements().get(128));
    byte[] large = bytes("large");
    keyspace.number(tx -> Lists.push(tx, 0, large, ListEnd.TAIL, new byte[8192]));
    assertFalse(keyspace.held(0, large).isSpread());
    keyspace.number(tx -> Lists.push(tx, 0, large, ListEnd.TAIL, new byte[1]));
    assertTrue(keyspace.held(0, large).isSpread());
  }

  @Test
  void pushWritesTwoEntriesAndPopOneWhateverTheSize() {
    fill(5000);
    for (ListEnd end : ListEnd.values()) {
      assertEquals(2, writes(tx -> Lists.push(tx, 0, KEY, end, bytes("x"))));
      assertEquals(1, writes(tx -> Lists.pop(tx, 0, KEY, end)));
    }
    assertEquals(2, writes(tx -> Lists.set(tx, 0, KEY, 2500, bytes("longer"))));
    assertEquals(2, writes(tx -> Lists.trim(tx, 0, KEY, 2000, 2009)), "meta, garbage record");
  }

  @Test
  void editsInTheMiddleMoveTheShorterSide() {
    fill(1000);
    byte[] key = bytes("10");
    assertEquals(12, writes(tx -> Lists.insert(tx, 0, KEY, true, key, bytes("n"))));
    assertEquals(11, writes(tx -> Lists.remove(tx, 0, KEY, 0, bytes("n"))));
    byte[] late = bytes("990");
    assertEquals(12, writes(tx -> Lists.insert(tx, 0, KEY, true, late, bytes("n"))));
    assertEquals(11, writes(tx -> Lists.remove(tx, 0, KEY, -1, bytes("n"))));
    assertEquals(1000, elements().size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  /** The example of docs/formats/lists.md. */
  @Test
  void goldenBytesOfAListWithGaps() {
    fill(1000);
    for (int gone : new int[] {300, 301, 700}) {
      assertEquals(
          2, writes(tx -> Lists.remove(tx, 0, KEY, 0, bytes("" + gone))), "meta, tombstone");
    }
    String version = String.format("%016x", keyspace.held(0, KEY).version());
    assertEquals(
        ("12 42 " + version + " 00000000000003e5 0000000000000b41 8000000000000000")
                .replace(" ", "")
            + "80000000000003e8"
            + "02ac02028e0301",
        hex(stored(KeyFormat.meta(0, KEY))));
    assertEquals(2, writes(tx -> Lists.insert(tx, 0, KEY, true, bytes("302"), bytes("0"))));
    assertEquals("0", elements().get(300));
    assertEquals(998, elements().size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void editsAnywhereInALongListMoveFewElements() {
    int size = 20_000;
    fill(size);
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, size).boxed().toList());
    Collections.shuffle(numbers, new Random(1));
    int edits = 400;
    int removing = 0;
    int inserting = 0;
    for (int number : numbers.subList(0, edits)) {
      removing += writes(tx -> Lists.remove(tx, 0, KEY, 1, bytes("" + number)));
    }
    assertEquals(size - edits, elements().size());
    for (int number : numbers.subList(edits, 2 * edits)) {
      inserting += writes(tx -> Lists.insert(tx, 0, KEY, true, bytes("" + number), bytes("new")));
    }
    assertEquals(size, elements().size());
    assertTrue(removing < edits * size / 200, "removals wrote " + removing);
    assertTrue(inserting < edits * size / 50, "insertions wrote " + inserting);
    assertTrue(keyspace.held(0, KEY).ends().gaps().runs() <= ListGaps.RUNS_MAX);
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void indexesFromEitherEndAndBeyond() {
    fill(200);
    assertEquals("0", get(0));
    assertEquals("199", get(-1));
    assertEquals("0", get(-200));
    assertNull(get(200));
    assertNull(get(-201));
    assertNull(get(Long.MIN_VALUE));
    assertNull(get(Long.MAX_VALUE));
    assertEquals(List.of("198", "199"), range(-2, Long.MAX_VALUE));
    assertEquals(List.of("0", "1"), range(Long.MIN_VALUE, 1));
    assertEquals(List.of(), range(5, 4));
    assertEquals(List.of(), range(200, 300));
    assertEquals(List.of(), range(0, Long.MIN_VALUE));
  }

  private @Nullable String get(long index) {
    return Members.text(keyspace.<@Nullable Slice>run(tx -> Lists.get(tx, 0, KEY, index)));
  }

  private List<String> range(long start, long stop) {
    return Members.walk(keyspace, tx -> Lists.range(tx, 0, KEY, start, stop), false);
  }

  @Test
  void refusals() {
    byte[] text = bytes("text");
    keyspace.apply(tx -> Strings.set(tx, 0, text, bytes("x")));
    assertRefused(DataException.WRONG_TYPE.error(), tx -> Lists.push(tx, 0, text, ListEnd.HEAD));
    assertRefused(DataException.WRONG_TYPE.error(), tx -> Lists.get(tx, 0, text, 0));
    assertRefused("ERR no such key", tx -> Lists.set(tx, 0, KEY, 0, text));
    push(ListEnd.TAIL, "a", "b");
    assertRefused("ERR index out of range", tx -> Lists.set(tx, 0, KEY, 2, text));
    assertRefused("ERR index out of range", tx -> Lists.set(tx, 0, KEY, -3, text));
    assertRefused(
        DataException.WRONG_TYPE.error(),
        tx -> Lists.move(tx, 0, KEY, ListEnd.HEAD, text, ListEnd.TAIL));
    assertEquals(List.of("a", "b"), elements());
    assertEquals(0, keyspace.number(tx -> Lists.pushIfPresent(tx, 0, text(9), ListEnd.HEAD, text)));
    assertNull(keyspace.<byte @Nullable []>run(tx -> Lists.pop(tx, 0, text(9), ListEnd.HEAD)));
  }

  private static byte[] text(int number) {
    return bytes("none" + number);
  }

  private void assertRefused(String error, Consumer<Transaction> operation) {
    DataException refused = assertThrows(DataException.class, () -> keyspace.apply(operation));
    assertEquals(error, refused.error());
  }

  @Test
  void eventsTellWhatHappened() {
    push(ListEnd.HEAD, "a", "b");
    push(ListEnd.TAIL, "a");
    keyspace.apply(tx -> Lists.set(tx, 0, KEY, 0, bytes("c")));
    keyspace.apply(tx -> Lists.insert(tx, 0, KEY, true, bytes("c"), bytes("d")));
    keyspace.apply(tx -> Lists.insert(tx, 0, KEY, true, bytes("none"), bytes("d")));
    keyspace.apply(tx -> Lists.remove(tx, 0, KEY, 1, bytes("d")));
    keyspace.apply(tx -> Lists.remove(tx, 0, KEY, 1, bytes("none")));
    keyspace.apply(tx -> Lists.trim(tx, 0, KEY, 0, 0));
    keyspace.apply(tx -> Lists.move(tx, 0, KEY, ListEnd.HEAD, bytes("other"), ListEnd.TAIL));
    keyspace.apply(tx -> Lists.pop(tx, 0, bytes("other"), ListEnd.HEAD, 0));
    keyspace.apply(tx -> Lists.pop(tx, 0, bytes("other"), ListEnd.HEAD));
    assertEquals(
        List.of(
            "lpush:jobs",
            "rpush:jobs",
            "lset:jobs",
            "linsert:jobs",
            "lrem:jobs",
            "ltrim:jobs",
            "rpush:other",
            "lpop:jobs",
            "del:jobs",
            "lpop:other",
            "del:other"),
        keyspace.takeEvents());
  }

  @Test
  void missingElementIsAnErrorThatNamesItsPosition() {
    fill(200);
    CollectionKeys keys = keyspace.held(0, KEY).keys(0, KEY);
    keyspace.apply(tx -> tx.delete(keys.element(100)));
    DamagedValueException failure = assertThrows(DamagedValueException.class, () -> get(100));
    assertTrue(String.valueOf(failure.getMessage()).contains("position 100"));
    assertThrows(DamagedValueException.class, this::elements);
    List<String> handed = new ArrayList<>();
    assertThrows(
        DamagedValueException.class,
        () ->
            keyspace.run(
                tx -> {
                  try (MemberCursor cursor = Lists.elements(tx, 0, KEY)) {
                    cursor.handRest(
                        (array, offset, length) ->
                            handed.add(new Slice(array, offset, length).toString()));
                  }
                  return null;
                }));
    assertEquals(100, handed.size());
    assertThrows(
        DamagedValueException.class,
        () -> keyspace.apply(tx -> Lists.indexes(tx, 0, KEY, bytes("none"), -1, 0, 0)));
    assertEquals(List.of("98", "99"), range(98, 99));
  }

  @Test
  void matchesAreFoundByRankCountAndLength() {
    List<String> pushed = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      pushed.add(i % 3 == 0 ? "x" : "e" + i);
    }
    push(ListEnd.TAIL, pushed.toArray(String[]::new));
    assertEquals("[0, 3]", indexes(1, 2, 0));
    assertEquals("[297, 294]", indexes(-1, 2, 0));
    assertEquals("[6, 9]", indexes(3, 2, 0));
    assertEquals("[291]", indexes(-3, 1, 0));
    assertEquals("[6]", indexes(3, 0, 9));
    assertEquals("[]", indexes(Long.MAX_VALUE, 0, 0));
    assertEquals("[]", indexes(-1, 0, 2));
    assertEquals(100, indexes(1, 0, 0).split(",").length);
  }

  private String indexes(long rank, long countMax, long looksMax) {
    long[] found =
        keyspace.run(tx -> Lists.indexes(tx, 0, KEY, bytes("x"), rank, countMax, looksMax));
    return Arrays.toString(found);
  }
}
