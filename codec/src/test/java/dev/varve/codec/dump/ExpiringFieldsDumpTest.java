package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.Meta;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the moments at which fields expire when their hash is dumped and restored. */
class ExpiringFieldsDumpTest {
  private static final byte[] FROM = bytes("from");
  private static final byte[] TO = bytes("to");
  private static final byte[] FIRST = bytes("first");
  private static final byte[] SECOND = bytes("second");
  private static final byte[] STAYS = bytes("stays");

  private final Keyspace keyspace = new Keyspace();
  private final long soon = keyspace.nowMillis + 1000;
  private final long later = keyspace.nowMillis + 5_000_000_000L;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @BeforeEach
  void fill() {
    keyspace.apply(
        each ->
            Hashes.set(each, 0, FROM, FIRST, bytes("1"), SECOND, bytes("2"), STAYS, bytes("3")));
    expire(soon, FIRST);
    expire(later, SECOND);
  }

  private void expire(long moment, byte[] field) {
    keyspace.apply(
        each -> HashExpiry.expireAt(each, 0, FROM, moment, ExpireCondition.ALWAYS, List.of(field)));
  }

  private byte[] dump() {
    byte[] payload = keyspace.run(each -> Dumps.dump(each, 0, FROM));
    assertNotNull(payload);
    return payload;
  }

  private void restore(byte[] payload) {
    keyspace.apply(each -> Dumps.restore(each, 0, TO, Meta.NO_EXPIRY, payload));
  }

  private long[] moments() {
    return keyspace.run(
        each -> HashExpiry.expiryMillis(each, 0, TO, List.of(FIRST, SECOND, STAYS)));
  }

  @Test
  void fieldsExpireWhenTheyWouldHave() {
    restore(dump());
    assertArrayEquals(new long[] {soon, later, -1}, moments());
    assertEquals(3, keyspace.number(each -> Hashes.size(each, 0, TO)));
    keyspace.nowMillis = soon;
    assertArrayEquals(new long[] {-2, later, -1}, moments());
  }

  @Test
  void fieldsThatHaveExpiredMeanwhileAreLeftOut() {
    byte[] payload = dump();
    keyspace.nowMillis = soon;
    restore(payload);
    assertArrayEquals(new long[] {-2, later, -1}, moments());
    assertEquals(2, keyspace.number(each -> Hashes.size(each, 0, TO)));
  }

  @Test
  void nothingIsStoredOfAHashWhoseFieldsHaveAllExpired() {
    expire(soon, STAYS);
    byte[] payload = dump();
    restore(payload);
    keyspace.nowMillis = later;
    keyspace.takeAllEvents();
    restore(payload);
    assertNull(keyspace.run(each -> Keys.type(each, 0, TO)));
  }

  @Test
  void aHashOfWhichNoFieldExpiresAnyMoreIsDumpedForOlderServersToo() {
    keyspace.apply(each -> HashExpiry.persist(each, 0, FROM, List.of(FIRST, SECOND)));
    byte[] payload = dump();
    assertEquals(DumpFormat.HASH, payload[0]);
    assertEquals(DumpFormat.VERSION, payload[payload.length - DumpFormat.FOOTER_BYTES]);
  }
}
