package dev.varve.codec.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Many byte strings in a few large arrays, numbered from 0 on. With an object for each the
 * collector would have millions to copy, and everybody to wait for that.
 *
 * <p>Used by one thread.
 */
public final class ByteStrings {
  private static final int FIRST_STRINGS = 16;
  private static final int CHUNK_BYTES_MIN = 1 << 10;
  private static final int CHUNK_BYTES_MAX = 256 << 10;
  private static final int NO_STRING = -1;

  private byte[] last = {};
  private final List<byte[]> chunks = new ArrayList<>(List.of(last));
  private int end;
  private long chunkBytes;

  /** The number of the chunk, and where in it a string begins. */
  private long[] places = new long[FIRST_STRINGS];

  private int[] lengths = new int[FIRST_STRINGS];
  private int count;

  /** One more, a copy of {@code array[offset, offset + length)}. */
  public void add(byte[] array, int offset, int length) {
    if (length > last.length - end) {
      last = new byte[Math.max(length, chunkLength())];
      end = 0;
      chunkBytes += last.length;
      chunks.add(last);
    }
    System.arraycopy(array, offset, last, end, length);
    add((chunks.size() - 1L) << Integer.SIZE | end, length);
    end += length;
  }

  private int chunkLength() {
    return Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, 2 * last.length));
  }

  /** In the place of one more there is none. */
  public void addNone() {
    add(0, NO_STRING);
  }

  private void add(long place, int length) {
    if (count == places.length) {
      places = Arrays.copyOf(places, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    places[count] = place;
    lengths[count] = length;
    count++;
  }

  public int count() {
    return count;
  }

  /** About how many bytes of memory they take. */
  public long heldBytes() {
    return chunkBytes + (long) (Long.BYTES + Integer.BYTES) * places.length;
  }

  /** The array that has it at {@link #offset}. Nobody changes it. */
  public byte[] array(int number) {
    return chunks.get((int) (places[number] >>> Integer.SIZE));
  }

  public int offset(int number) {
    return (int) places[number];
  }

  public int length(int number) {
    return lengths[number];
  }

  /** As an array of its own. */
  public byte[] copy(int number) {
    int from = offset(number);
    return Arrays.copyOfRange(array(number), from, from + length(number));
  }

  /** Their order by unsigned bytes; where there is none, that comes first. */
  public int compare(int number, int other) {
    if (lengths[number] == NO_STRING || lengths[other] == NO_STRING) {
      return Boolean.compare(lengths[number] != NO_STRING, lengths[other] != NO_STRING);
    }
    return Arrays.compareUnsigned(
        array(number),
        offset(number),
        offset(number) + length(number),
        array(other),
        offset(other),
        offset(other) + length(other));
  }
}
