package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.SetOptions;
import dev.varve.codec.string.Strings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where expiry keys stand when the moment changes at which their keys expire. */
class ExpiryKeysTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private final Keyspace keyspace = new Keyspace();
  private final long begin = keyspace.nowMillis;

  private void set(String key) {
    keyspace.apply(transaction -> Strings.set(transaction, 0, bytes(key), bytes("x")));
  }

  private boolean expireAt(String key, long moment) {
    return keyspace.test(
        transaction -> Keys.expireAt(transaction, 0, bytes(key), moment, ExpireCondition.ALWAYS));
  }

  private List<Long> moments() {
    return keyspace.stored(KeyFormat.EXPIRY).stream().map(KeyFormat::expiryMillis).toList();
  }

  private long expiryOf(String key) {
    return keyspace.held(0, bytes(key)).expiryMillis();
  }

  private void check() {
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void whoeverExpiresLaterKeepsTheExpiryKeyUntilItsMomentComes() {
    set("key");
    expireAt("key", begin + 10);
    expireAt("key", begin + 50);
    expireAt("key", begin + 70);
    assertEquals(List.of(begin + 10), moments());
    assertEquals(begin + 70, expiryOf("key"));
    check();
    keyspace.nowMillis = begin + 10;
    keyspace.takeEvents();
    assertEquals(0, ExpirySweepTest.sweep(keyspace));
    assertEquals(List.of(), keyspace.takeEvents());
    assertEquals(List.of(begin + 70), moments());
    assertEquals(begin + 70, expiryOf("key"));
    check();
    keyspace.nowMillis = begin + 70;
    assertEquals(1, ExpirySweepTest.sweep(keyspace));
    assertEquals(List.of("expired:key"), keyspace.takeEvents());
    assertEquals(List.of(), moments());
    check();
  }

  @Test
  void whoeverHasExpiredWhenTheEarlierMomentIsComeAcrossIsDeletedThen() {
    set("key");
    expireAt("key", begin + 10);
    expireAt("key", begin + 50);
    keyspace.nowMillis = begin + 60;
    assertEquals(1, ExpirySweepTest.sweep(keyspace));
    assertEquals(List.of(), moments());
    check();
  }

  @Test
  void whoeverExpiresEarlierOrNotAtAllOrIsDeletedLeavesNoExpiryKeyBehind() {
    for (String key : List.of("earlier", "persistent", "deleted", "set", "renamed", "met")) {
      set(key);
      expireAt(key, begin + 10);
      expireAt(key, begin + 50);
    }
    expireAt("earlier", begin + 5);
    assertTrue(keyspace.test(its -> Keys.persist(its, 0, bytes("persistent"))));
    assertTrue(keyspace.test(its -> Keys.delete(its, 0, bytes("deleted"))));
    set("set");
    keyspace.apply(its -> Keys.rename(its, 0, bytes("renamed"), bytes("other"), false));
    check();
    assertEquals(begin + 50, expiryOf("other"));
    assertEquals(List.of(begin + 5, begin + 10, begin + 50), moments());
    keyspace.nowMillis = begin + 50;
    assertNull(keyspace.run(transaction -> transaction.findForWrite(0, bytes("met"))));
    check();
  }

  @Test
  void anExpiryKeyWhoseMomentHasComeIsMovedAtOnce() {
    set("key");
    expireAt("key", begin + 10);
    expireAt("key", begin + 50);
    keyspace.nowMillis = begin + 10;
    // The sweep may have been there already, and have seen the key as it was before.
    expireAt("key", begin + 90);
    assertEquals(List.of(begin + 90), moments());
    check();
  }

  @Test
  void aHashOfWhichFieldsExpireHasItsExpiryKeysAtTheirMoments() {
    keyspace.apply(its -> Hashes.set(its, 0, bytes("hash"), bytes("field"), bytes("value")));
    expireAt("hash", begin + 10);
    expireAt("hash", begin + 50);
    assertEquals(List.of(begin + 10), moments());
    keyspace.apply(
        its ->
            HashExpiry.expireAt(
                its,
                0,
                bytes("hash"),
                begin + 30,
                ExpireCondition.ALWAYS,
                List.of(bytes("field"))));
    assertEquals(List.of(begin + 30, begin + 50), moments());
    check();
    expireAt("hash", begin + 90);
    assertEquals(List.of(begin + 30, begin + 90), moments());
    check();
  }

  @Test
  void aDeletionSaysUnderWhichMomentItFilesKeys() {
    set("key");
    expireAt("key", begin + 10);
    expireAt("key", begin + 50);
    keyspace.nowMillis = begin + 10;
    DueKeys due;
    try (StoreView view = keyspace.store.view()) {
      byte[] from = DueKeys.from(ExpirySweep.FROM_START);
      due = ExpirySweep.look(view, keyspace.databases, from, keyspace.nowMillis, 10);
    }
    DueDeletion deletion = due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
    assertEquals(begin + 50, deletion.nextMillis());
    assertEquals(0, deletion.deleted());
    assertFalse(deletion.isEmpty());
    keyspace.store.write(deletion);
    assertEquals(List.of(begin + 50), moments());
    check();
    DueDeletion none = due.deletion(0, 0, new KeysWrittenSince(), keyspace.databases);
    assertEquals(Meta.NO_EXPIRY, none.nextMillis());
  }

  @Test
  void keysExpireAtTheMomentThatTheyWereGivenLast() {
    System.out.println("ExpiryKeysTest -Dvarve.seed=" + SEED);
    Random random = new Random(SEED);
    Map<String, Long> model = new HashMap<>();
    int later = 0;
    for (int step = 0; step < 20_000; step++) {
      long now = keyspace.nowMillis;
      model.values().removeIf(moment -> moment <= now);
      String key = "key" + random.nextInt(12);
      String other = "key" + random.nextInt(12);
      long moment = now + 1 + random.nextInt(40);
      switch (random.nextInt(9)) {
        case 0 -> {
          set(key);
          model.put(key, Meta.NO_EXPIRY);
        }
        case 1 -> {
          SetOptions options = new SetOptions(SetOptions.Condition.ALWAYS, moment, false);
          keyspace.apply(its -> Strings.set(its, 0, bytes(key), bytes("y"), options));
          model.put(key, moment);
        }
        case 2, 3 -> {
          later += model.getOrDefault(key, Meta.NO_EXPIRY) < moment ? 1 : 0;
          assertEquals(model.containsKey(key), expireAt(key, moment));
          model.computeIfPresent(key, (its, before) -> moment);
        }
        case 4 -> {
          boolean expires = model.getOrDefault(key, Meta.NO_EXPIRY) != Meta.NO_EXPIRY;
          assertEquals(expires, keyspace.test(its -> Keys.persist(its, 0, bytes(key))));
          model.computeIfPresent(key, (its, before) -> Meta.NO_EXPIRY);
        }
        case 5 -> {
          boolean isThere = model.remove(key) != null;
          assertEquals(isThere, keyspace.test(its -> Keys.delete(its, 0, bytes(key))));
        }
        case 6 -> {
          if (model.containsKey(key) && !key.equals(other)) {
            boolean isCopy = random.nextBoolean();
            keyspace.apply(
                its -> {
                  if (isCopy) {
                    Keys.copy(its, 0, bytes(key), 0, bytes(other), true);
                  } else {
                    Keys.rename(its, 0, bytes(key), bytes(other), true);
                  }
                });
            Long its = isCopy ? model.get(key) : model.remove(key);
            model.put(other, Objects.requireNonNull(its));
          }
        }
        case 7 -> ExpirySweepTest.sweep(keyspace);
        default -> keyspace.nowMillis += random.nextInt(6);
      }
      for (int i = 0; i < 12; i++) {
        String each = "key" + i;
        long at = keyspace.nowMillis;
        Long expected = model.get(each);
        Meta held = keyspace.run(its -> its.find(0, bytes(each)));
        boolean isThere = expected != null && expected > at;
        assertEquals(isThere, held != null, () -> each + " at " + (at - begin));
        if (held != null && expected != null) {
          assertEquals(expected, held.expiryMillis());
          assertEquals(ValueType.STRING, held.type());
        }
      }
      if (step % 50 == 0) {
        check();
      }
    }
    assertTrue(later > 500, later + " were let expire later");
    keyspace.nowMillis += 1_000;
    ExpirySweepTest.sweep(keyspace);
    assertEquals(List.of(), moments());
    check();
  }
}
