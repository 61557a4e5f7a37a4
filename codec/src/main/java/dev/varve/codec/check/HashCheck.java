package dev.varve.codec.check;

import dev.varve.codec.Meta;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;

/** The fields of a hash, and when they expire. */
final class HashCheck {
  private final CheckedKey checkedKey;
  private long fields;
  private long bytes;
  private long expiries;
  private long dues;

  /** No field expires before. */
  private final long firstMillis;

  private HashCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
    long next = checkedKey.meta.nextFieldExpiryMillis();
    byte[] place = next == Meta.NO_EXPIRY ? null : checkedKey.getExpiry(next);
    // A sweep that has not done all at once leaves fields that were due before: it notes where.
    boolean isBeingSwept =
        place != null && (place.length > 0 || next == checkedKey.meta.expiryMillis());
    this.firstMillis = isBeingSwept ? Long.MIN_VALUE : next;
  }

  static void check(CheckedKey checkedKey) {
    HashCheck check = new HashCheck(checkedKey);
    checkedKey.walk(KeyFormat.MEMBER, check::field);
    checkedKey.walk(KeyFormat.FIELD, check::expiry);
    checkedKey.walk(KeyFormat.FIELD_DUE, (stored, value) -> check.dues++);
    checkedKey.requireCounted("fields", checkedKey.meta.count(), check.fields);
    checkedKey.requireCounted("bytes of fields and values", checkedKey.meta.bytes(), check.bytes);
    checkedKey.requireCounted("fields that expire", checkedKey.meta.fieldExpiries, check.expiries);
    checkedKey.requireCounted("fields by their expiry", check.expiries, check.dues);
  }

  private void field(byte[] stored, byte[] value) {
    fields++;
    bytes += SetCheck.hashed(checkedKey, stored).length + value.length;
  }

  private void expiry(byte[] stored, byte[] value) {
    expiries++;
    byte[] field = checkedKey.keys.suffixOf(stored);
    String name = "field " + Names.quoted(field);
    if (value.length != Long.BYTES) {
      checkedKey.wrong(name + " expires at a moment of " + value.length + " bytes");
      return;
    }
    long millis = OrderedNumbers.getLong(value, 0);
    checkedKey.require(
        checkedKey.get(checkedKey.keys.member(field)) != null,
        () -> name + " expires and is not there");
    checkedKey.require(
        checkedKey.get(checkedKey.keys.fieldDue(millis, field)) != null,
        () -> name + " expires at " + millis + " and is not found by that");
    checkedKey.require(
        millis >= firstMillis,
        () -> name + " expires at " + millis + ", before the first one of its hash");
  }
}
