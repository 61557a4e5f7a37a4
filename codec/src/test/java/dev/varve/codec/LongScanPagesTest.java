package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberPage;
import dev.varve.codec.member.Sets;
import dev.varve.codec.zset.ScoredMemberList;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZScan;
import dev.varve.codec.zset.ZSets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** However many a step of a scan may look at, what it finds fits into memory. */
class LongScanPagesTest {
  private static final int ALL = Integer.MAX_VALUE;
  private static final byte[] KEY = bytes("k");
  private static final int ITEM_BYTES = (int) Math.min(1 << 20, ScanPage.BYTES_MAX / 8);

  /** So many are more than a step may find, and others are left. */
  private static final int ITEMS = (int) (ScanPage.BYTES_MAX / ITEM_BYTES) + 10;

  private final Keyspace keyspace = new Keyspace();
  private final Set<String> found = new HashSet<>();
  private int steps;

  private static byte[] item(int number) {
    byte[] item = new byte[ITEM_BYTES];
    item[0] = (byte) (number >> 8);
    item[1] = (byte) number;
    return item;
  }

  private static List<byte[]> items(IntFunction<byte[]> item) {
    List<byte[]> items = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      items.add(item.apply(i));
    }
    return items;
  }

  private void assertFoundInSteps() {
    assertEquals(ITEMS, found.size());
    assertTrue(steps > 1 && steps < ITEMS / 2, () -> steps + " steps");
  }

  @Test
  void ofKeys() {
    for (byte[] key : items(LongScanPagesTest::item)) {
      keyspace.apply(transaction -> transaction.save(0, key, Meta.ofString(bytes("x"))));
    }
    byte @Nullable [] after = null;
    do {
      byte @Nullable [] from = after;
      ScanPage page =
          keyspace.run(transaction -> KeyWalk.scan(transaction, 0, from, ALL, null, null));
      page.keys().forEach(key -> found.add(Keyspace.text(key)));
      steps++;
      after = page.next();
    } while (after != null);
    assertFoundInSteps();
  }

  /** A step of a walk over members. */
  private interface Step {
    MemberPage from(Transaction transaction, long position);
  }

  private void walk(Step step, int parts) {
    long position = MemberPage.END;
    do {
      long from = position;
      MemberPage page = keyspace.run(transaction -> step.from(transaction, from));
      for (int i = 0; i < page.items().size(); i += parts) {
        found.add(Keyspace.text(page.items().get(i).toBytes()));
      }
      steps++;
      position = page.next();
    } while (position != MemberPage.END);
    assertFoundInSteps();
  }

  @Test
  void ofMembers() {
    items(LongScanPagesTest::item)
        .forEach(member -> keyspace.apply(tx -> Sets.add(tx, 0, KEY, member)));
    walk((transaction, position) -> Sets.scan(transaction, 0, KEY, position, ALL, null), 1);
  }

  @Test
  void ofFieldsWithLongValues() {
    items(number -> bytes("field:" + number))
        .forEach(field -> keyspace.apply(tx -> Hashes.set(tx, 0, KEY, field, item(0))));
    walk((transaction, position) -> Hashes.scan(transaction, 0, KEY, position, ALL, null), 2);
  }

  @Test
  void ofScoredMembers() {
    for (byte[] member : items(LongScanPagesTest::item)) {
      keyspace.apply(
          tx -> ZSets.add(tx, 0, KEY, ZAddCondition.NONE, new double[] {1}, List.of(member)));
    }
    long position = 0;
    do {
      long from = position;
      ScoredMemberList page = new ScoredMemberList();
      position = keyspace.run(tx -> ZScan.scan(tx, 0, KEY, from, ALL, null, page));
      page.members().forEach(each -> found.add(Keyspace.text(each.member())));
      steps++;
    } while (position != 0);
    assertFoundInSteps();
  }
}
