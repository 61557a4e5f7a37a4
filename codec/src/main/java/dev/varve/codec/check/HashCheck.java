package dev.varve.codec.check;

import dev.varve.codec.Meta;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;

/** The fields of a hash, and when they expire. */
final class HashCheck {
  private final CheckedKey its;
  private long fields;
  private long bytes;
  private long expiries;
  private long dues;

  /** No field expires before. */
  private final long firstMillis;

  private HashCheck(CheckedKey its) {
    this.its = its;
    long next = its.meta.nextFieldExpiryMillis();
    byte[] place = next == Meta.NO_EXPIRY ? null : its.getExpiry(next);
    // A sweep that has not done all at once leaves fields that were due before: it notes where.
    boolean isBeingSwept = place != null && (place.length > 0 || next == its.meta.expiryMillis());
    this.firstMillis = isBeingSwept ? Long.MIN_VALUE : next;
  }

  static void check(CheckedKey its) {
    HashCheck check = new HashCheck(its);
    its.walk(KeyFormat.MEMBER, check::field);
    its.walk(KeyFormat.FIELD, check::expiry);
    its.walk(KeyFormat.FIELD_DUE, (stored, value) -> check.dues++);
    its.requireCounted("fields", its.meta.count(), check.fields);
    its.requireCounted("bytes of fields and values", its.meta.bytes(), check.bytes);
    its.requireCounted("fields that expire", its.meta.fieldExpiries, check.expiries);
    its.requireCounted("fields by their expiry", check.expiries, check.dues);
  }

  private void field(byte[] stored, byte[] value) {
    fields++;
    bytes += SetCheck.hashed(its, stored).length + value.length;
  }

  private void expiry(byte[] stored, byte[] value) {
    expiries++;
    byte[] field = its.keys.suffixOf(stored);
    String name = "field " + Names.quoted(field);
    if (value.length != Long.BYTES) {
      its.wrong(name + " expires at a moment of " + value.length + " bytes");
      return;
    }
    long millis = OrderedNumbers.getLong(value, 0);
    its.require(its.get(its.keys.member(field)) != null, () -> name + " expires and is not there");
    its.require(
        its.get(its.keys.fieldDue(millis, field)) != null,
        () -> name + " expires at " + millis + " and is not found by that");
    its.require(
        millis >= firstMillis,
        () -> name + " expires at " + millis + ", before the first one of its hash");
  }
}
