package dev.varve.codec.dump;

import dev.varve.codec.format.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a payload holds: no item twice where the type does not allow it, and none but strings are
 * empty.
 *
 * <p>Immutable, for any thread.
 *
 * @param type what it is
 * @param items the string; the elements; the members; or each field, then its value
 * @param scores of the members of a sorted set, in their order; else empty
 * @param stream the stream, if it is one
 */
record DumpedValue(
    ValueType type, List<byte[]> items, double[] scores, @Nullable DumpedStream stream) {

  /** One that is no stream. */
  public DumpedValue(ValueType type, List<byte[]> items, double[] scores) {
    this(type, items, scores, null);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DumpedValue that
        && type == that.type
        && Arrays.deepEquals(items.toArray(), that.items.toArray())
        && Arrays.equals(scores, that.scores)
        && Objects.equals(stream, that.stream);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.deepHashCode(items.toArray()) + Arrays.hashCode(scores);
  }
}
