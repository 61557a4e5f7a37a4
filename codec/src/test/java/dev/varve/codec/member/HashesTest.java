package dev.varve.codec.member;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Glob;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Members;
import dev.varve.codec.Meta;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HashesTest {
  private static final byte[] KEY = bytes("key");
  private static final int DIFFERENT = 24;

  private Keyspace keyspace = new Keyspace();

  @Test
  void operationsDoWhatAMapWouldDo() {
    for (int seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      keyspace = new Keyspace(seed);
      if (random.nextInt(4) > 0) {
        keyspace.packedLimits = Members.SMALL_LIMITS;
      }
      Map<String, String> model = new TreeMap<>();
      try {
        for (int step = 0; step < 100; step++) {
          operate(random, model);
          assertSame(model, random);
        }
        KeyspaceCheck.assertConsistent(keyspace);
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  private void operate(SplittableRandom random, Map<String, String> model) {
    String field = Members.random(random, DIFFERENT);
    String value = Members.random(random, DIFFERENT);
    int countMax = Members.countMax(random, 4);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        List<String> pairs = Members.randoms(random, DIFFERENT, countMax);
        pairs.addAll(List.copyOf(pairs));
        int added = 0;
        for (int i = 0; i < pairs.size(); i += 2) {
          added += model.put(pairs.get(i), pairs.get(i + 1)) == null ? 1 : 0;
        }
        byte[][] arguments = Members.bytes(pairs);
        assertEquals(added, keyspace.number(tx -> Hashes.set(tx, 0, KEY, arguments)));
      }
      case 3 ->
          assertEquals(
              model.putIfAbsent(field, value) == null,
              keyspace.test(tx -> Hashes.setIfAbsent(tx, 0, KEY, bytes(field), bytes(value))));
      case 4, 5 -> {
        List<String> fields = Members.randoms(random, DIFFERENT, countMax);
        int deleted = 0;
        for (String each : fields) {
          deleted += model.remove(each) == null ? 0 : 1;
        }
        byte[][] arguments = Members.bytes(fields);
        assertEquals(deleted, keyspace.number(tx -> Hashes.delete(tx, 0, KEY, arguments)));
      }
      case 6 -> {
        int by = random.nextInt(2000) - 1000;
        String old = model.getOrDefault(field, "0");
        if (IntegerText.isInteger(bytes(old))) {
          long sum = Long.parseLong(old) + by;
          model.put(field, Long.toString(sum));
          assertEquals(sum, keyspace.number(tx -> Hashes.increment(tx, 0, KEY, bytes(field), by)));
        } else {
          assertThrows(
              DataException.class,
              () -> keyspace.number(tx -> Hashes.increment(tx, 0, KEY, bytes(field), by)));
        }
      }
      default -> live(random, model);
    }
  }

  /** Sometimes the hash gets an expiry, expires, or is deleted, and its name is used again. */
  private void live(SplittableRandom random, Map<String, String> model) {
    int dice = random.nextInt(12);
    if (dice == 0) {
      keyspace.apply(tx -> Keys.delete(tx, 0, KEY));
      model.clear();
    } else if (dice < 4) {
      long expiry = keyspace.nowMillis + 100;
      keyspace.apply(tx -> Keys.expireAt(tx, 0, KEY, expiry, ExpireCondition.ALWAYS));
    } else if (dice < 6) {
      keyspace.nowMillis += 99;
      keyspace.apply(tx -> Keys.persist(tx, 0, KEY));
    } else if (dice == 6) {
      Meta meta = keyspace.run(tx -> tx.find(0, KEY));
      keyspace.nowMillis += 100;
      if (meta != null && meta.hasExpiry()) {
        model.clear();
      }
    }
  }

  private void assertSame(Map<String, String> model, SplittableRandom random) {
    Map<String, String> found = map(Members.walk(keyspace, tx -> Hashes.fields(tx, 0, KEY), true));
    assertEquals(model, found);
    assertEquals(model.size(), keyspace.number(tx -> Hashes.size(tx, 0, KEY)));
    String field = Members.random(random, DIFFERENT);
    String other = Members.random(random, DIFFERENT);
    assertEquals(model.get(field), get(field));
    assertEquals(
        model.containsKey(field), keyspace.test(tx -> Hashes.contains(tx, 0, KEY, bytes(field))));
    assertEquals(
        model.getOrDefault(field, "").length(),
        keyspace.number(tx -> Hashes.valueLength(tx, 0, KEY, bytes(field))));
    keyspace.test(
        tx -> {
          Hashes.Lookup both = Hashes.lookup(tx, 0, KEY);
          assertEquals(model.get(field), Members.text(both.value(bytes(field))));
          assertEquals(model.get(other), Members.text(both.value(bytes(other))));
          return true;
        });
    assertEquals(model, map(scanned(1 + random.nextInt(4))));
    assertRandomFieldsFit(model, random.nextInt(10));
    Members.assertBytesCounted(keyspace, KEY);
  }

  private @Nullable String get(String field) {
    return Members.text(keyspace.<@Nullable Slice>run(tx -> Hashes.get(tx, 0, KEY, bytes(field))));
  }

  private void assertRandomFieldsFit(Map<String, String> model, int count) {
    List<String> distinct =
        Members.texts(keyspace.run(tx -> Hashes.randomFields(tx, 0, KEY, count, true)));
    Map<String, String> sample = map(distinct);
    assertEquals(Math.min(count, model.size()), sample.size());
    assertEquals(2 * sample.size(), distinct.size());
    assertTrue(model.entrySet().containsAll(sample.entrySet()));
    List<String> repeating =
        Members.walk(keyspace, tx -> Hashes.repeatingFields(tx, 0, KEY, count), true);
    assertEquals(model.isEmpty() ? 0 : 2 * count, repeating.size());
    assertTrue(model.entrySet().containsAll(map(repeating).entrySet()));
    String one = Members.text(keyspace.<@Nullable Slice>run(tx -> Hashes.randomField(tx, 0, KEY)));
    assertEquals(model.isEmpty(), one == null);
    assertTrue(one == null || model.containsKey(one));
  }

  private static Map<String, String> map(List<String> pairs) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      map.put(pairs.get(i), pairs.get(i + 1));
    }
    return map;
  }

  /** All that a scan finds; asserts that nothing comes twice, for nothing changes meanwhile. */
  private List<String> scanned(int countMax) {
    List<String> found = new ArrayList<>();
    Set<String> fields = new HashSet<>();
    long position = MemberPage.END;
    do {
      long from = position;
      MemberPage page = keyspace.run(tx -> Hashes.scan(tx, 0, KEY, from, countMax, null));
      List<String> items = Members.texts(page.items());
      found.addAll(items);
      for (int i = 0; i < items.size(); i += 2) {
        assertTrue(fields.add(items.get(i)));
      }
      position = page.next();
    } while (position != MemberPage.END);
    return found;
  }

  @Test
  void aHashIsSpreadWhenItOutgrowsItsLimitsAndStaysSo() {
    for (int i = 0; i < 128; i++) {
      byte[] field = bytes("f" + i);
      keyspace.number(tx -> Hashes.set(tx, 0, KEY, field, new byte[64]));
    }
    assertFalse(keyspace.held(0, KEY).isSpread());
    keyspace.number(tx -> Hashes.set(tx, 0, KEY, bytes("f1"), new byte[65]));
    assertTrue(keyspace.held(0, KEY).isSpread());
    keyspace.apply(tx -> Keys.delete(tx, 0, KEY));
    byte[][] pairs = new byte[2 * 129][];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = bytes("f" + i);
    }
    keyspace.number(tx -> Hashes.set(tx, 0, KEY, pairs));
    assertTrue(keyspace.held(0, KEY).isSpread());
    for (int i = 0; i < 128; i++) {
      byte[] field = pairs[2 * i];
      keyspace.number(tx -> Hashes.delete(tx, 0, KEY, field));
    }
    assertTrue(keyspace.held(0, KEY).isSpread());
    assertEquals(1, keyspace.held(0, KEY).count());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void overwritingWithTheSameLengthLeavesTheMetaAlone() {
    keyspace.packedLimits = Members.SMALL_LIMITS;
    byte[] field = bytes("a field of many bytes");
    keyspace.number(tx -> Hashes.set(tx, 0, KEY, field, bytes("1")));
    int writes =
        keyspace.run(
            tx -> {
              Hashes.set(tx, 0, KEY, field, bytes("2"));
              return tx.batch().writeCount();
            });
    assertEquals(1, writes);
    assertEquals("2", get("a field of many bytes"));
  }

  @Test
  void theLastFieldTakesTheKeyAndItsExpiryWithIt() {
    keyspace.number(tx -> Hashes.set(tx, 0, KEY, Members.bytes("a", "1", "b", "2")));
    keyspace.apply(tx -> Keys.expireAt(tx, 0, KEY, keyspace.nowMillis + 9, ExpireCondition.ALWAYS));
    keyspace.takeEvents();
    keyspace.number(tx -> Hashes.delete(tx, 0, KEY, bytes("a"), bytes("none")));
    keyspace.number(tx -> Hashes.delete(tx, 0, KEY, bytes("none")));
    keyspace.number(tx -> Hashes.delete(tx, 0, KEY, bytes("b"), bytes("b")));
    assertEquals(List.of("hdel:key", "hdel:key", "del:key"), keyspace.takeEvents());
    assertEquals(0, keyspace.store.size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void numbers() {
    keyspace.number(
        tx -> Hashes.set(tx, 0, KEY, Members.bytes("max", "9223372036854775807", "text", "x")));
    keyspace.takeEvents();
    assertRefused("ERR increment or decrement would overflow", "max", "1");
    assertRefused("ERR hash value is not an integer", "text", "1");
    assertFloatRefused("ERR hash value is not a float", "text", "1");
    assertFloatRefused("ERR value is not a valid float", "new", "x");
    assertFloatRefused("ERR value is NaN or Infinity", "new", "inf");
    assertNull(get("new"));
    assertEquals(List.of(), keyspace.takeEvents());
    assertEquals("10.6", incrementByFloat("new", "10.6"));
    assertEquals("5000", incrementByFloat("new", "4989.4"));
    assertEquals("5000", get("new"));
    assertEquals(List.of("hincrbyfloat:key", "hincrbyfloat:key"), keyspace.takeEvents());
  }

  private String incrementByFloat(String field, String by) {
    return Keyspace.text(
        keyspace.run(tx -> Hashes.incrementByFloat(tx, 0, KEY, bytes(field), bytes(by))));
  }

  private void assertRefused(String error, String field, String by) {
    DataException refused =
        assertThrows(
            DataException.class,
            () ->
                keyspace.number(
                    tx -> Hashes.increment(tx, 0, KEY, bytes(field), Long.parseLong(by))));
    assertEquals(error, refused.error());
  }

  private void assertFloatRefused(String error, String field, String by) {
    DataException refused = assertThrows(DataException.class, () -> incrementByFloat(field, by));
    assertEquals(error, refused.error());
  }

  @Test
  void scansFindWhatIsThereAllTheTimeWhileOthersComeAndGo() {
    keyspace.packedLimits = Members.SMALL_LIMITS;
    for (int i = 0; i < 300; i++) {
      byte[] field = bytes("stays" + i);
      keyspace.number(tx -> Hashes.set(tx, 0, KEY, field, field));
    }
    SplittableRandom random = new SplittableRandom(17);
    Set<String> found = new HashSet<>();
    Glob match = new Glob(bytes("stays*"));
    long position = MemberPage.END;
    do {
      long from = position;
      MemberPage page = keyspace.run(tx -> Hashes.scan(tx, 0, KEY, from, 10, match));
      found.addAll(Members.texts(page.items()));
      position = page.next();
      byte[] comes = bytes("comes" + random.nextInt(100));
      byte[] goes = bytes("comes" + random.nextInt(100));
      keyspace.number(tx -> Hashes.set(tx, 0, KEY, comes, comes));
      keyspace.number(tx -> Hashes.delete(tx, 0, KEY, goes));
    } while (position != MemberPage.END);
    assertEquals(300, found.size());
    for (long wild : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 32) + 1}) {
      MemberPage page = keyspace.run(tx -> Hashes.scan(tx, 0, KEY, wild, 10, null));
      assertEquals(new MemberPage(List.of(), MemberPage.END), page);
    }
  }
}
