package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyWalkTest {
  private final Keyspace keyspace = new Keyspace();

  private void set(String key, long expiryMillis) {
    keyspace.apply(
        transaction -> {
          Meta meta = Meta.ofString(bytes("x"));
          meta.setExpiryMillis(expiryMillis);
          transaction.save(0, bytes(key), meta);
        });
  }

  private byte[] drawn() {
    return Objects.requireNonNull(
        keyspace.<byte @Nullable []>run(transaction -> KeyWalk.randomKey(transaction, 0)));
  }

  private List<String> walk(int countMax, @Nullable String match, @Nullable ValueType type) {
    List<String> found = new ArrayList<>();
    byte @Nullable [] after = null;
    do {
      byte @Nullable [] from = after;
      Glob glob = match == null ? null : new Glob(bytes(match));
      ScanPage page =
          keyspace.run(transaction -> KeyWalk.scan(transaction, 0, from, countMax, glob, type));
      page.keys().forEach(key -> found.add(Keyspace.text(key)));
      after = page.next();
    } while (after != null);
    return found;
  }

  @Test
  void ofEachKeyTheStartOfItsValueIsReadOnce() {
    for (int i = 0; i < 10; i++) {
      set("key:" + i, Meta.NO_EXPIRY);
    }
    keyspace.store.takeValuesRead();
    assertEquals(10, walk(100, null, ValueType.STRING).size());
    assertEquals(10, keyspace.store.takeValuesRead());
    assertEquals(10, walk(100, null, null).size());
    assertEquals(10, keyspace.store.takeValuesRead());
    assertEquals(0, walk(100, null, ValueType.SET).size());
    assertEquals(10, keyspace.store.takeValuesRead());
    assertEquals(1, walk(100, "*3", ValueType.STRING).size());
    assertEquals(1, keyspace.store.takeValuesRead());
  }

  @Test
  void walkInStepsFindsEveryLivingKeyOnce() {
    List<String> expected = new ArrayList<>();
    for (int i = 100; i < 150; i++) {
      set("key:" + i, i % 5 == 0 ? keyspace.nowMillis : Meta.NO_EXPIRY);
      if (i % 5 != 0) {
        expected.add("key:" + i);
      }
    }
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, bytes("other"), 1));
    keyspace.apply(
        transaction -> transaction.save(1, bytes("elsewhere"), Meta.ofString(bytes(""))));
    assertEquals(expected, walk(7, null, ValueType.STRING));
    assertEquals(expected, walk(1, "key:*", null));
    assertEquals(List.of("key:101", "key:102"), walk(3, "key:10[12]", null));
    assertEquals(List.of("other"), walk(100, null, ValueType.HASH));
    assertEquals(List.of("other"), walk(10, "*r", null));
  }

  @Test
  void emptyKeyIsAKeyLikeAnyOther() {
    set("", Meta.NO_EXPIRY);
    set("a", Meta.NO_EXPIRY);
    assertEquals(List.of("", "a"), walk(1, null, null));
  }

  @Test
  void everyLivingKeyIsDrawnSometimesAndNoOther() {
    Map<String, Integer> drawn = new HashMap<>();
    String[] keys = {"", "a", "a\0", "ab", "b", "k100", "k101", "k110", "k200", "ÿÿ"};
    for (String key : keys) {
      set(key, Meta.NO_EXPIRY);
    }
    set("k105", keyspace.nowMillis);
    for (int i = 0; i < 5_000; i++) {
      byte[] key = drawn();
      drawn.merge(Keyspace.text(key), 1, Integer::sum);
    }
    assertEquals(keys.length, drawn.size(), drawn::toString);
  }

  @Test
  void evenKeysAreDrawnEvenly() {
    Map<String, Integer> drawn = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      set("user:%03d:name".formatted(i), Meta.NO_EXPIRY);
    }
    keyspace.apply(
        transaction -> {
          for (int i = 0; i < 20_000; i++) {
            drawn.merge(
                Keyspace.text(Objects.requireNonNull(KeyWalk.randomKey(transaction, 0))),
                1,
                Integer::sum);
          }
        });
    assertEquals(1_000, drawn.size());
    drawn.values().forEach(count -> assertTrue(count < 60, drawn::toString));
  }

  @Test
  void expiredKeysAreNeverDrawn() {
    assertNull(keyspace.<byte @Nullable []>run(transaction -> KeyWalk.randomKey(transaction, 0)));
    for (int i = 0; i < 3_000; i++) {
      set("k" + i, keyspace.nowMillis);
    }
    assertNull(keyspace.<byte @Nullable []>run(transaction -> KeyWalk.randomKey(transaction, 0)));
    set("k77a", Meta.NO_EXPIRY);
    assertEquals("k77a", Keyspace.text(drawn()));
  }
}
