package dev.varve.lsm;

import dev.varve.lsm.memtable.EntryPlace;
import dev.varve.lsm.table.TableWriter;
import dev.varve.wal.RecordFileFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Changes that take effect together or not at all. For one thread; reusable after {@link #clear()}.
 *
 * <p>All entries of a batch get the same sequence number, so a key may stand in it once only. The
 * batch is kept in the form the log stores ({@link BatchFormat}): what is added is copied once, and
 * goes from here to the log and the memtable.
 */
public final class WriteBatch {

  /** The most bytes a batch may hold: what one log record can carry. */
  public static final int BYTES_MAX = RecordFileFormat.PAYLOAD_BYTES_MAX;

  /** The longest key: two of each table are in memory, and in a record of the manifest. */
  public static final int KEY_BYTES_MAX = 64 << 20;

  /** The longest value. */
  public static final int VALUE_BYTES_MAX = TableWriter.VALUE_BYTES_MAX;

  /**
   * Where the entries beyond so many stand {@linkplain #place is not told}, nor {@linkplain
   * #replacing taken}.
   */
  public static final int PLACES_MAX = BatchPlaces.ENTRIES_MAX;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final int START_BYTES = 256;

  /**
   * A larger buffer is of no use to the batches that come next: the server's take a mebibyte of
   * keys and values, and a little more.
   */
  static final int BYTES_KEPT_MAX = 2 << 20;

  /** A kind, and two lengths, of which one may take two bytes: what most entries take at most. */
  private static final int ENTRY_HEAD_BYTES = 4;

  private static final int SPARE_PART = 64;

  private byte[] bytes = new byte[START_BYTES];
  private int length = BatchFormat.HEADER_BYTES;
  private int entries;
  private int reserved = 1;
  private long[] counters = new long[8];
  private int counterDeltas;
  private final BatchPlaces places = new BatchPlaces();

  /**
   * Says that so many entries are going to be added, with so many bytes of keys and values: what is
   * large is made once, and not again and again as it grows. More or fewer are no error.
   */
  public void prepare(int entries, long bytesOfAll) {
    long all = length + bytesOfAll + (long) entries * ENTRY_HEAD_BYTES;
    // Something may come along: counters, and what others have in forms of their own.
    all += START_BYTES + all / SPARE_PART;
    if (all > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, all));
    }
    places.prepare(entries);
  }

  /**
   * Adds an entry: {@code key} has {@code value} from now on.
   *
   * @throws IllegalArgumentException when it is longer than an entry may be, or than the batch has
   *     room for; as with {@link #delete}
   */
  public WriteBatch put(byte[] key, byte[] value) {
    begin(key, value.length);
    putBytes(value);
    return this;
  }

  /** The same for a value that comes in two parts, one behind the other. */
  public WriteBatch put(byte[] key, byte[] start, byte[] rest) {
    begin(key, Math.addExact(start.length, rest.length));
    putBytes(start);
    putBytes(rest);
    return this;
  }

  /** A put up to its value. */
  private void begin(byte[] key, int valueBytes) {
    requireFit(key.length, valueBytes);
    ensure(key.length + (long) valueBytes + 1 + 2 * BatchFormat.VARINT_BYTES_MAX);
    bytes[length++] = BatchFormat.KIND_VALUE;
    putVarint(key.length);
    putVarint(valueBytes);
    putBytes(key);
    entries++;
  }

  /** Adds a tombstone: {@code key} is gone from now on. */
  public WriteBatch delete(byte[] key) {
    requireFit(key.length, 0);
    ensure(key.length + 1L + BatchFormat.VARINT_BYTES_MAX);
    bytes[length++] = BatchFormat.KIND_TOMBSTONE;
    putVarint(key.length);
    putBytes(key);
    entries++;
    return this;
  }

  private static void requireFit(int keyBytes, int valueBytes) {
    if (keyBytes > KEY_BYTES_MAX || valueBytes > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a key of " + keyBytes + " bytes and a value of " + valueBytes + " are too long");
    }
  }

  /**
   * Says of the key that was added last where its newest entry stands, to spare a search: what
   * {@link #place} and {@link #mark} said after the batch that wrote it. That it is not there any
   * more is no error.
   */
  public WriteBatch replacing(long place, long mark) {
    places.expect(entries - 1, place, mark);
    return this;
  }

  /**
   * Says of the key that was put last that it had no value: if it is deleted before the memtable is
   * full, nothing of it need stay there. A key that had one would be seen to have it again.
   */
  public WriteBatch inserting() {
    places.expect(entries - 1, EntryPlace.ABSENT, 0);
    return this;
  }

  /**
   * Where the {@code entry}-th that was added stands since this batch was applied; {@link
   * EntryPlace#NONE} beyond {@link #PLACES_MAX}.
   */
  public long place(int entry) {
    return places.place(entry);
  }

  /** The mark of that place. */
  public long mark(int entry) {
    return places.mark(entry);
  }

  BatchPlaces places() {
    return places;
  }

  /** Adds {@code delta} to the named counter, in the same moment as the entries. */
  public WriteBatch addToCounter(long counter, long delta) {
    if (2 * counterDeltas == counters.length) {
      counters = Arrays.copyOf(counters, 2 * counters.length);
    }
    counters[2 * counterDeltas] = counter;
    counters[2 * counterDeltas + 1] = delta;
    counterDeltas++;
    return this;
  }

  /**
   * Takes {@code count} sequence numbers for this batch, at least 1: its entries carry the first,
   * and the caller may use the others as names that are never given again.
   */
  public WriteBatch reserveSequences(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "a batch takes at least one sequence number, not " + count);
    }
    reserved = count;
    return this;
  }

  /** Number of entries, tombstones included. */
  public int entries() {
    return entries;
  }

  /** Empties the batch for another use. A very large buffer is given back. */
  public void clear() {
    if (bytes.length > BYTES_KEPT_MAX) {
      bytes = new byte[START_BYTES];
    }
    length = BatchFormat.HEADER_BYTES;
    entries = 0;
    reserved = 1;
    counterDeltas = 0;
    places.clear();
  }

  /**
   * Completes the log form with the sequence number it gets. Its length is {@link #encodedBytes()}.
   */
  byte[] encode(long sequence) {
    int counterBytes = counterDeltas * BatchFormat.COUNTER_BYTES;
    ensure(counterBytes);
    LONG.set(bytes, BatchFormat.SEQUENCE_AT, sequence);
    INT.set(bytes, BatchFormat.RESERVED_AT, reserved);
    INT.set(bytes, BatchFormat.ENTRIES_AT, entries);
    INT.set(bytes, BatchFormat.COUNTERS_AT, counterDeltas);
    for (int i = 0; i < 2 * counterDeltas; i++) {
      LONG.set(bytes, length + i * Long.BYTES, counters[i]);
    }
    return bytes;
  }

  int encodedBytes() {
    return length + counterDeltas * BatchFormat.COUNTER_BYTES;
  }

  int reservedSequences() {
    return reserved;
  }

  private void putVarint(int value) {
    int left = value;
    while (left >= 0x80) {
      bytes[length++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[length++] = (byte) left;
  }

  private void putBytes(byte[] source) {
    System.arraycopy(source, 0, bytes, length, source.length);
    length += source.length;
  }

  private void ensure(long more) {
    long needed = length + more;
    if (needed > BYTES_MAX) {
      throw new IllegalArgumentException(
          "a batch of " + needed + " bytes; at most " + BYTES_MAX + " can be written at once");
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length)));
    }
  }
}
