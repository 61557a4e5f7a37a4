package dev.varve.codec.member;

import static dev.varve.codec.Keyspace.bytes;
import static dev.varve.codec.Keyspace.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.varve.codec.DueDeletion;
import dev.varve.codec.DueKeys;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.ExpirySweep;
import dev.varve.codec.Keys;
import dev.varve.codec.KeysWrittenSince;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class HashExpiryTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final byte[] KEY = bytes("car");
  private final Keyspace keyspace = new Keyspace();

  private record Value(String value, long expiryMillis) {}

  private void expire(byte[] key, long expiryMillis, String... fields) {
    List<byte[]> its = List.of(fields).stream().map(Keyspace::bytes).toList();
    keyspace.run(t -> HashExpiry.expireAt(t, 0, key, expiryMillis, ExpireCondition.ALWAYS, its));
  }

  /** The example of docs/formats/values.md. */
  @Test
  void goldenBytes() {
    keyspace.apply(t -> Hashes.set(t, 0, KEY, bytes("red"), bytes("1"), bytes("blue"), bytes("2")));
    expire(KEY, 1_700_000_000_001L, "red");
    String start = "00000000000000036361720000000000000002";
    assertEquals(
        List.of("65" + start + "8000018bcfe56801" + "726564"),
        keyspace.stored(KeyFormat.FIELD_DUE).stream().map(HexFormat.of()::formatHex).toList());
    byte[] field = keyspace.stored(KeyFormat.FIELD).get(0);
    assertEquals("66" + start + "726564", HexFormat.of().formatHex(field));
    byte[] moment = keyspace.storedValue(field);
    byte[] meta = keyspace.storedValue(KeyFormat.meta(0, KEY));
    assertNotNull(moment);
    assertNotNull(meta);
    assertEquals("8000018bcfe56801", HexFormat.of().formatHex(moment));
    assertEquals(
        "1582"
            + "0000000000000002"
            + "0000000000000002"
            + "0000000000000009"
            + "0000000000000001"
            + "8000018bcfe56801",
        HexFormat.of().formatHex(meta));
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  /** Random operations, moments and sweeps against a map. */
  @Test
  void fieldsAreThereUntilTheirMomentAndNotLonger() {
    System.out.println("HashExpiryTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Map<String, Value> model = new TreeMap<>();
    for (int step = 0; step < 2_500; step++) {
      String field = "f" + random.nextInt(12);
      String value = "v".repeat(random.nextInt(4)) + step;
      long moment = keyspace.nowMillis + random.nextInt(-5, 200);
      switch (random.nextInt(14)) {
        case 0, 1, 2 -> {
          keyspace.apply(t -> Hashes.set(t, 0, KEY, bytes(field), bytes(value)));
          model.put(field, new Value(value, Meta.NO_EXPIRY));
        }
        case 3, 4, 5 -> {
          expire(KEY, moment, field, "f1");
          for (String one : List.of(field, "f1")) {
            model.computeIfPresent(one, (name, old) -> new Value(old.value, moment));
          }
        }
        case 6 -> {
          keyspace.run(t -> HashExpiry.persist(t, 0, KEY, List.of(bytes(field))));
          model.computeIfPresent(field, (name, old) -> new Value(old.value, Meta.NO_EXPIRY));
        }
        case 7 -> {
          keyspace.apply(t -> Hashes.delete(t, 0, KEY, bytes(field)));
          model.remove(field);
        }
        case 8 -> {
          if (random.nextInt(8) == 0) {
            keyspace.apply(t -> Keys.expireAt(t, 0, KEY, moment, ExpireCondition.ALWAYS));
            if (moment <= keyspace.nowMillis) {
              model.clear();
            } else if (!model.isEmpty()) {
              keyspace.apply(t -> Keys.persist(t, 0, KEY));
            }
          }
        }
        case 9 -> {
          if (!model.isEmpty()) {
            byte[] other = bytes("bus");
            keyspace.apply(t -> Keys.rename(t, 0, KEY, other, true));
            keyspace.apply(t -> Keys.copy(t, 0, other, 0, KEY, true));
          }
        }
        case 10 -> keyspace.nowMillis += random.nextInt(60);
        case 11 -> sweep(random.nextBoolean());
        default -> {}
      }
      model.values().removeIf(one -> one.expiryMillis <= keyspace.nowMillis);
      String where = "seed " + SEED + " step " + step;
      assertEquals(model.size(), keyspace.number(t -> readOnly(t)), where);
      assertEquals(content(model), content(), where);
      if (step % 50 == 0) {
        KeyspaceCheck.assertConsistent(keyspace);
      }
    }
    keyspace.nowMillis += 1_000;
    sweep(true);
    KeyspaceCheck.assertConsistent(keyspace);
  }

  /** Each walk would pass what has been deleted before. */
  @Test
  void noCommandWalksOverTheMomentsOfFieldsToFindTheNext() {
    List<byte[]> fields = new ArrayList<>();
    byte[][] pairs = new byte[400][];
    for (int i = 0; i < pairs.length; i += 2) {
      pairs[i] = bytes("field" + i);
      pairs[i + 1] = bytes("value");
      fields.add(pairs[i]);
    }
    byte[][] most = fields.subList(0, 150).toArray(byte[][]::new);
    long moment = keyspace.nowMillis + 1_000;
    Consumer<Transaction> oneByOne =
        t -> fields.forEach(field -> Hashes.set(t, 0, KEY, field, bytes("other")));
    List<Consumer<Transaction>> commands =
        List.of(
            oneByOne,
            t -> HashExpiry.expireAt(t, 0, KEY, moment + 1, ExpireCondition.ALWAYS, fields),
            t -> HashExpiry.persist(t, 0, KEY, fields),
            t -> Hashes.set(t, 0, KEY, pairs),
            t -> Hashes.delete(t, 0, KEY, most),
            t -> HashExpiry.getAndDelete(t, 0, KEY, fields.subList(0, 150)));
    for (int i = 0; i < commands.size(); i++) {
      keyspace.apply(t -> Hashes.set(t, 0, KEY, pairs));
      keyspace.apply(t -> HashExpiry.expireAt(t, 0, KEY, moment, ExpireCondition.ALWAYS, fields));
      keyspace.store.takeCursorsOpened();
      keyspace.apply(commands.get(i));
      assertEquals(0, keyspace.store.takeCursorsOpened(), "walks by command " + i);
      KeyspaceCheck.assertConsistent(keyspace);
    }
    keyspace.nowMillis = moment - 1;
    assertEquals(50, keyspace.number(HashExpiryTest::readOnly));
    keyspace.nowMillis = moment;
    assertEquals(0, keyspace.number(HashExpiryTest::readOnly));
  }

  /** What the hash is filed under may be the moment of a field that expires later by now. */
  @Test
  void nothingExpiresWhenTheMomentHasComeThatTheFirstFieldHadBefore() {
    for (boolean isSwept : new boolean[] {true, false}) {
      long first = keyspace.nowMillis + 1_000;
      keyspace.apply(t -> Hashes.set(t, 0, KEY, bytes("a"), bytes("1"), bytes("b"), bytes("2")));
      expire(KEY, first, "a");
      expire(KEY, first + 2_000, "b");
      expire(KEY, first + 1_000, "a");
      keyspace.takeEvents();
      keyspace.nowMillis = first;
      if (isSwept) {
        sweep(true);
      }
      assertEquals(2, keyspace.number(HashExpiryTest::readOnly));
      assertEquals(List.of(), keyspace.takeEvents());
      assertEquals(
          List.of(first + 1_000),
          keyspace.stored(KeyFormat.EXPIRY).stream().map(KeyFormat::expiryMillis).toList());
      KeyspaceCheck.assertConsistent(keyspace);
      keyspace.nowMillis = first + 1_000;
      sweep(false);
      assertEquals(List.of("hexpired:car"), keyspace.takeEvents());
      assertEquals(1, keyspace.number(HashExpiryTest::readOnly));
    }
  }

  private static long readOnly(Transaction transaction) {
    return Hashes.size(transaction, 0, KEY);
  }

  private void sweep(boolean isDirect) {
    for (byte[] from = DueKeys.from(ExpirySweep.FROM_START); from != null; ) {
      DueKeys due;
      try (StoreView view = keyspace.store.view()) {
        due = ExpirySweep.look(view, keyspace.databases, from, keyspace.nowMillis, 3);
      }
      DueDeletion deletion =
          due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
      if (isDirect) {
        keyspace.store.write(deletion);
      } else {
        keyspace.apply(deletion::into);
      }
      from = due.more();
    }
  }

  private static String content(Map<String, Value> model) {
    StringBuilder all = new StringBuilder();
    model.forEach((field, value) -> all.append(field).append('=').append(value.value).append(' '));
    return all.toString();
  }

  private String content() {
    return keyspace.run(
        t -> {
          Map<String, Value> found = new TreeMap<>();
          try (MemberCursor fields = Hashes.fields(t, 0, KEY)) {
            while (fields.next()) {
              String value = text(fields.value().toBytes());
              found.put(text(fields.bytes()), new Value(value, 0));
            }
          }
          return content(found);
        });
  }
}
