package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.format.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a payload holds, or a piece of a long collection: none but strings are empty.
 *
 * <p>Immutable, for any thread.
 *
 * @param type what it is
 * @param items the string; the elements; the members; or each field, then its value
 * @param scores of the members of a sorted set, in their order; else empty
 * @param moments when the fields of a hash expire, in their order, {@link Meta#NO_EXPIRY} for those
 *     that do not; empty if none does
 * @param stream the stream, if it is one
 */
record DumpedValue(
    ValueType type,
    List<byte[]> items,
    double[] scores,
    long[] moments,
    @Nullable DumpedStream stream) {

  static final double[] NO_SCORES = {};
  static final long[] NO_MOMENTS = {};

  static DumpedValue of(DumpedStream stream) {
    return new DumpedValue(ValueType.STREAM, List.of(), NO_SCORES, NO_MOMENTS, stream);
  }

  /** About how many bytes it has in memory. */
  long bytes() {
    long sum = Double.BYTES * (long) scores.length + Long.BYTES * (long) moments.length;
    for (byte[] item : items) {
      sum += DumpInput.ITEM_BYTES + item.length;
    }
    return stream == null ? sum : sum + stream.bytes();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DumpedValue that
        && type == that.type
        && Arrays.deepEquals(items.toArray(), that.items.toArray())
        && Arrays.equals(scores, that.scores)
        && Arrays.equals(moments, that.moments)
        && Objects.equals(stream, that.stream);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.deepHashCode(items.toArray()) + Arrays.hashCode(scores);
  }
}
