package dev.varve.codec.string;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.SpreadHash;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StringsTest {
  private static final byte[] KEY = bytes("key");
  private final Keyspace keyspace = new Keyspace();

  private static @Nullable String text(@Nullable Slice slice) {
    return slice == null ? null : Keyspace.text(slice.toBytes());
  }

  private static @Nullable String text(@Nullable StringRange range) {
    return range == null ? null : text(range.whole());
  }

  private @Nullable String get() {
    return keyspace.<@Nullable String>run(tx -> text(Strings.getBriefly(tx, 0, KEY)));
  }

  private void set(String value) {
    keyspace.apply(transaction -> Strings.set(transaction, 0, KEY, bytes(value)));
  }

  private long expiry() {
    return keyspace.held(0, KEY).expiryMillis();
  }

  private DataException refused(Function<Transaction, ?> operation) {
    String before = get();
    int entries = keyspace.store.size();
    DataException refused =
        assertThrows(DataException.class, () -> keyspace.<@Nullable Object>run(operation::apply));
    assertEquals(before, get());
    assertEquals(entries, keyspace.store.size());
    return refused;
  }

  @Test
  void whatIsTooLongForACommandIsNotReadToLearnThat() {
    keyspace.number(tx -> Strings.setRange(tx, 0, KEY, 50_000_000, bytes("1"), Strings.BYTES_MAX));
    keyspace.number(tx -> Strings.setRange(tx, 0, KEY, 0, new byte[2_000_000], Strings.BYTES_MAX));
    keyspace.store.takeCursorsOpened();
    Function<Transaction, ?> increment = tx -> Strings.increment(tx, 0, KEY, 1);
    Function<Transaction, ?> incrementByFloat =
        tx -> Strings.incrementByFloat(tx, 0, KEY, bytes("1"));
    Function<Transaction, ?> common =
        tx -> {
          Meta meta = tx.find(0, KEY);
          return Strings.commonSubsequence(tx, 0, KEY, meta, KEY, meta, true);
        };
    for (Function<Transaction, ?> command : List.of(increment, incrementByFloat, common)) {
      assertThrows(DataException.class, () -> keyspace.<@Nullable Object>run(command::apply));
    }
    SetOptions.Comparison isOne = new SetOptions.Comparison(true, bytes("1"));
    assertFalse(
        keyspace
            .run(tx -> Strings.setComparing(tx, 0, KEY, bytes("2"), SetOptions.PLAIN, isOne, false))
            .set());
    assertFalse(keyspace.test(tx -> Strings.deleteComparing(tx, 0, KEY, isOne)));
    assertEquals(0, keyspace.store.takeCursorsOpened());
  }

  @Test
  void conditionsOfSet() {
    SetOptions ifPresent = new SetOptions(SetOptions.Condition.IF_PRESENT, Meta.NO_EXPIRY, false);
    assertFalse(keyspace.test(tx -> Strings.set(tx, 0, KEY, bytes("1"), ifPresent)));
    assertTrue(keyspace.test(tx -> Strings.set(tx, 0, KEY, bytes("2"), SetOptions.IF_ABSENT)));
    assertFalse(keyspace.test(tx -> Strings.set(tx, 0, KEY, bytes("3"), SetOptions.IF_ABSENT)));
    assertTrue(keyspace.test(tx -> Strings.set(tx, 0, KEY, bytes("4"), ifPresent)));
    SetOutcome outcome =
        keyspace.run(tx -> Strings.setAndGet(tx, 0, KEY, bytes("5"), SetOptions.IF_ABSENT));
    assertFalse(outcome.set());
    assertEquals("4", text(outcome.previous()));
    assertEquals("4", get());
    assertEquals(List.of("set:key", "set:key"), keyspace.takeEvents());
  }

  @Test
  void setTakesOrKeepsTheExpiry() {
    long at = keyspace.nowMillis + 100;
    SetOptions expiring = new SetOptions(SetOptions.Condition.ALWAYS, at, false);
    SetOptions keeping = new SetOptions(SetOptions.Condition.ALWAYS, Meta.NO_EXPIRY, true);
    keyspace.apply(tx -> Strings.set(tx, 0, KEY, bytes("1"), expiring));
    assertEquals(List.of("set:key", "expire:key"), keyspace.takeEvents());
    keyspace.apply(tx -> Strings.set(tx, 0, KEY, bytes("2"), keeping));
    assertEquals(at, expiry());
    keyspace.apply(tx -> Strings.append(tx, 0, KEY, bytes("0"), Strings.BYTES_MAX));
    keyspace.apply(tx -> Strings.increment(tx, 0, KEY, 5));
    assertEquals(at, expiry());
    assertEquals("25", get());
    KeyspaceCheck.assertConsistent(keyspace);
    set("3");
    assertEquals(Meta.NO_EXPIRY, expiry());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void otherTypesAreRefusedAndUntouched() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, KEY, 2));
    List<Function<Transaction, ?>> operations =
        List.of(
            tx -> Strings.length(tx, 0, KEY),
            tx -> Strings.append(tx, 0, KEY, KEY, Strings.BYTES_MAX),
            tx -> Strings.setRange(tx, 0, KEY, 0, KEY, Strings.BYTES_MAX),
            tx -> Strings.getRange(tx, 0, KEY, 0, 1),
            tx -> Strings.increment(tx, 0, KEY, 1),
            tx -> Strings.incrementByFloat(tx, 0, KEY, bytes("1")),
            tx -> Strings.setAndGet(tx, 0, KEY, KEY, SetOptions.PLAIN),
            tx -> Strings.getAndDelete(tx, 0, KEY),
            tx -> Strings.getAndExpire(tx, 0, KEY, () -> 1));
    for (Function<Transaction, ?> operation : operations) {
      assertSame(
          DataException.WRONG_TYPE,
          assertThrows(
              DataException.class, () -> keyspace.<@Nullable Object>run(operation::apply)));
    }
    keyspace.apply(tx -> assertNull(Strings.getIfString(tx, 0, KEY)));
    KeyspaceCheck.assertConsistent(keyspace);
    set("now a string");
    assertEquals("now a string", get());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void integers() {
    assertEquals(5L, keyspace.<Long>run(tx -> Strings.increment(tx, 0, KEY, 5)).longValue());
    assertEquals(-2L, keyspace.<Long>run(tx -> Strings.increment(tx, 0, KEY, -7)).longValue());
    set("9223372036854775806");
    keyspace.apply(tx -> Strings.increment(tx, 0, KEY, 1));
    assertEquals(
        "ERR increment or decrement would overflow",
        refused(tx -> Strings.increment(tx, 0, KEY, 1)).error());
    set("-9223372036854775808");
    refused(tx -> Strings.increment(tx, 0, KEY, -1));
    set("1 ");
    assertSame(DataException.NOT_AN_INTEGER, refused(tx -> Strings.increment(tx, 0, KEY, 1)));
  }

  /** Every expectation was read off redis-server 7.0.15. */
  @Test
  void floatsAreRedisToTheLastDigit() {
    assertSum("0", "3.0e3", "3000");
    assertSum("3000", "0.1", "3000.10000000000000009");
    assertSum("3000.10000000000000009", "1e-20", "3000.10000000000000009");
    assertSum("0", "0x10", "16");
    assertSum("0", "10.123456789012345678901", "10.12345678901234568");
    assertSum("10.12345678901234568", "+1", "11.12345678901234568");
    assertSum("11.12345678901234568", ".5", "11.62345678901234568");
    assertSum("11.62345678901234568", "5.", "16.62345678901234568");
    assertSum("0", "-0.00000000000000000001", "0");
    assertSum("10.50", "0.1", "10.6");
    assertSum("5.0e3", "2.0e2", "5200");
    for (String wrong :
        new String[] {"1e4933", "1e-5000", "nan", " 1", "1 ", "", "1e", "0x", "."}) {
      assertSame(
          DataException.NOT_A_FLOAT,
          refused(tx -> Strings.incrementByFloat(tx, 0, KEY, bytes(wrong))),
          wrong);
    }
    for (String infinite : new String[] {"inf", "-Infinity"}) {
      assertEquals(
          "ERR increment would produce NaN or Infinity",
          refused(tx -> Strings.incrementByFloat(tx, 0, KEY, bytes(infinite))).error());
    }
    set("not a float");
    refused(tx -> Strings.incrementByFloat(tx, 0, KEY, bytes("1")));
  }

  private void assertSum(String old, String by, String expected) {
    set(old);
    byte[] sum = keyspace.run(tx -> Strings.incrementByFloat(tx, 0, KEY, bytes(by)));
    assertEquals(expected, Keyspace.text(sum));
    assertEquals(expected, get());
  }

  @Test
  void rangesOutsideTheValue() {
    assertEquals(
        3,
        keyspace.<Integer>run(
            tx -> Strings.setRange(tx, 0, KEY, 2, bytes("x"), Strings.BYTES_MAX)));
    assertEquals("\0\0x", get());
    set("Hello World");
    keyspace.apply(tx -> Strings.setRange(tx, 0, KEY, 6, bytes("Redis"), Strings.BYTES_MAX));
    assertEquals("Hello Redis", get());
    assertEquals(
        11,
        keyspace.<Integer>run(
            tx -> Strings.setRange(tx, 0, KEY, 99, bytes(""), Strings.BYTES_MAX)));
    assertRange("Hello Redis", 0, -1);
    assertRange("dis", -3, 100);
    assertRange("", 5, 3);
    assertRange("", -1, -5);
    assertRange("H", -100, -100);
    assertRange("", 11, 20);
    refused(tx -> Strings.setRange(tx, 0, KEY, -1, bytes("x"), Strings.BYTES_MAX));
    refused(tx -> Strings.setRange(tx, 0, KEY, Strings.BYTES_MAX, bytes("x"), Strings.BYTES_MAX));
    refused(tx -> Strings.setRange(tx, 0, KEY, Long.MAX_VALUE, bytes("x"), Strings.BYTES_MAX));
  }

  private void assertRange(String expected, long start, long end) {
    assertEquals(
        expected,
        keyspace.<@Nullable String>run(tx -> text(Strings.getRange(tx, 0, KEY, start, end))));
  }

  @Test
  void getAndExpire() {
    LongSupplier refuses =
        () -> {
          throw DataException.NOT_AN_INTEGER;
        };
    keyspace.apply(tx -> assertNull(Strings.getAndExpire(tx, 0, KEY, refuses)));
    set("v");
    refused(tx -> Strings.getAndExpire(tx, 0, KEY, refuses));
    long at = keyspace.nowMillis + 5;
    keyspace.apply(tx -> assertEquals("v", text(Strings.getAndExpire(tx, 0, KEY, () -> at))));
    assertEquals(at, expiry());
    keyspace.apply(tx -> Strings.getAndExpire(tx, 0, KEY, () -> Meta.NO_EXPIRY));
    assertEquals(Meta.NO_EXPIRY, expiry());
    keyspace.apply(tx -> assertEquals("v", text(Strings.getAndExpire(tx, 0, KEY, () -> 1))));
    assertNull(get());
    assertEquals(List.of("set:key", "expire:key", "persist:key", "del:key"), keyspace.takeEvents());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void setAllIfAbsentSetsAllOrNone() {
    byte[] other = bytes("other");
    assertTrue(keyspace.test(tx -> Strings.setAllIfAbsent(tx, 0, List.of(KEY, KEY, other, KEY))));
    keyspace.apply(tx -> assertTrue(Keys.delete(tx, 0, other)));
    assertFalse(
        keyspace.test(tx -> Strings.setAllIfAbsent(tx, 0, List.of(other, KEY, KEY, other))));
    keyspace.apply(tx -> assertFalse(Keys.exists(tx, 0, other)));
  }

  @Test
  void longestCommonSubsequence() {
    CommonSubsequence found =
        CommonSubsequence.of(Slice.of(bytes("ohmytext")), Slice.of(bytes("mynewtext")), false);
    assertEquals("mytext", Keyspace.text(found.bytes()));
    assertEquals(6, found.length());
    assertEquals(
        List.of(new CommonSubsequence.Range(4, 7, 5, 8), new CommonSubsequence.Range(2, 3, 0, 1)),
        found.ranges());
    Slice empty = Slice.of(bytes(""));
    assertEquals(0, CommonSubsequence.of(empty, Slice.of(bytes("a")), false).length());
    Slice big = Slice.of(new byte[20_000]);
    assertThrows(DataException.class, () -> CommonSubsequence.of(big, big, true));
  }

  @Test
  void randomOperationsDoWhatAMapWouldDo() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Keyspace tried = new Keyspace(seed);
      TreeMap<String, String> model = new TreeMap<>();
      TreeMap<String, Long> expiries = new TreeMap<>();
      for (int step = 0; step < 200; step++) {
        step(random, tried, model, expiries, "seed " + seed + " step " + step);
      }
      KeyspaceCheck.assertConsistent(tried);
    }
  }

  private static void step(
      SplittableRandom random,
      Keyspace tried,
      TreeMap<String, String> model,
      TreeMap<String, Long> expiries,
      String message) {
    tried.nowMillis += random.nextInt(3);
    expiries.values().removeIf(at -> at <= tried.nowMillis);
    model.keySet().removeIf(name -> !expiries.containsKey(name));
    String name = "k" + random.nextInt(4);
    byte[] key = bytes(name);
    String value = Integer.toString(random.nextInt(200));
    String old = model.get(name);
    long kept = expiries.getOrDefault(name, Meta.NO_EXPIRY);
    switch (random.nextInt(6)) {
      case 0 -> {
        tried.apply(tx -> Strings.set(tx, 0, key, bytes(value)));
        model.put(name, value);
        expiries.put(name, Meta.NO_EXPIRY);
      }
      case 1 -> {
        long at = tried.nowMillis + 1 + random.nextInt(20);
        SetOptions options = new SetOptions(SetOptions.Condition.IF_PRESENT, at, false);
        if (tried.test(tx -> Strings.set(tx, 0, key, bytes(value), options))) {
          model.put(name, value);
          expiries.put(name, at);
        }
      }
      case 2 -> {
        tried.apply(tx -> Strings.append(tx, 0, key, bytes("7"), Strings.BYTES_MAX));
        model.put(name, old == null ? "7" : old + "7");
        expiries.put(name, kept);
      }
      case 3 -> {
        boolean fits = old == null || IntegerText.isInteger(bytes(old)) && old.length() < 18;
        if (fits) {
          tried.apply(tx -> Strings.increment(tx, 0, key, -3));
          model.put(name, Long.toString((old == null ? 0 : Long.parseLong(old)) - 3));
          expiries.put(name, kept);
        }
      }
      case 4 -> {
        String gone = text(tried.<@Nullable Slice>run(tx -> Strings.getAndDelete(tx, 0, key)));
        assertEquals(model.remove(name), gone, message);
        expiries.remove(name);
      }
      default ->
          assertEquals(
              old,
              tried.<@Nullable String>run(tx -> text(Strings.getBriefly(tx, 0, key))),
              message);
    }
  }
}
