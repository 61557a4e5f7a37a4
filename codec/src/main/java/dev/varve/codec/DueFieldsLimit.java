package dev.varve.codec;

import java.util.function.BooleanSupplier;

/**
 * How many due fields of a hash one run deletes: more take as long as there are many.
 *
 * @param fieldsMax a run that meets a hash of which more are due, and not all, ends by a {@link
 *     DueFieldsSignal}; but not in a database that it has swapped or flushed itself
 * @param place what {@link Transaction#deleteDueFields} returned last, of whatever hash; nothing if
 *     it has not run yet
 * @param mayEnd is asked then; if it says no, all of them are deleted
 */
public record DueFieldsLimit(long fieldsMax, byte[] place, BooleanSupplier mayEnd) {
  /** All are deleted. */
  static final DueFieldsLimit NONE =
      new DueFieldsLimit(Long.MAX_VALUE, FieldExpiry.FROM_START, () -> false);

  /** Of a sweep that begins with the first field there may be. */
  public DueFieldsLimit(long fieldsMax, BooleanSupplier mayEnd) {
    this(fieldsMax, FieldExpiry.FROM_START, mayEnd);
  }

  /** The same, from another place on. */
  public DueFieldsLimit from(byte[] next) {
    return new DueFieldsLimit(fieldsMax, next, mayEnd);
  }

  /** The same, where nothing is known of what is deleted already. */
  public DueFieldsLimit fromStart() {
    return place.length == 0 ? this : from(FieldExpiry.FROM_START);
  }
}
