package dev.varve.codec.string;

import dev.varve.codec.DataException;
import dev.varve.codec.format.MurmurHash;
import dev.varve.codec.format.Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A HyperLogLog in the bytes that Redis keeps it in, so that it can be read and set as a string.
 *
 * <p>Single-threaded. {@link #bytes} is never an array that was handed in.
 */
public final class HyperLogLog {
  /*
   * offset  bytes
   *      0      4  "HYLL"
   *      4      1  encoding: 0 dense, 1 sparse
   *      5      3  nothing
   *      8      8  the cardinality counted last, little-endian; its top bit set: no longer true
   *     16         the registers, 16384 numbers of 6 bits
   *
   * Dense: 12288 bytes, the numbers one after the other from the lowest bit of the first byte on.
   * Sparse: runs. 00llllll: l + 1 zeroes; 01llllll l:8: l + 1 zeroes; 1vvvvvll: l + 1 times v + 1.
   *
   * Of an element's hash (MurmurHash64A) the low 14 bits name a register, which keeps how many of the
   * others are zero before the first one that is not, at most, plus one. The estimate is that of O.
   * Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6.
   */
  public static final int REGISTERS = 1 << 14;
  public static final int HEADER_BYTES = 16;
  static final int DENSE_BYTES = HEADER_BYTES + REGISTERS * 6 / 8;

  /** What a sparse one may grow to: Redis's hll-sparse-max-bytes. */
  static final int SPARSE_BYTES_MAX = 3000;

  private static final byte[] MAGIC = "HYLL".getBytes(StandardCharsets.US_ASCII);
  private static final int ENCODING_OFFSET = 4;
  private static final int CARDINALITY_OFFSET = 8;
  private static final int STALE_OFFSET = 15;
  private static final int DENSE = 0;
  private static final int SPARSE = 1;
  private static final int REGISTER_MAX = 63;
  private static final int HASH_BITS = 50;
  private static final double ALPHA = 0.721347520444481703680;

  private static final int ZERO_RUN_MAX = 64;
  private static final int VALUE_MAX = 32;
  private static final int VALUE_RUN_MAX = 4;

  /** How many runs, from the one before the changed one on, are looked at for joining. */
  private static final int JOINED_RUNS = 5;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  public static final DataException NOT_ONE =
      new DataException("WRONGTYPE Key is not a valid HyperLogLog string value.");
  static final DataException CORRUPTED =
      new DataException("INVALIDOBJ Corrupted HLL object detected");

  private byte[] bytes;

  /** An empty one. */
  public HyperLogLog() {
    bytes = new byte[HEADER_BYTES + 2];
    System.arraycopy(MAGIC, 0, bytes, 0, MAGIC.length);
    bytes[ENCODING_OFFSET] = SPARSE;
    putZeroes(bytes, HEADER_BYTES, REGISTERS);
  }

  /**
   * @param stored stays as it is
   * @throws DataException NOT_ONE when it is something else
   */
  public HyperLogLog(Slice stored) {
    int end = stored.offset() + stored.length();
    this.bytes = Arrays.copyOfRange(stored.array(), stored.offset(), end);
    requireOne(bytes, bytes.length);
  }

  /**
   * Refuses what is none by its header and its length.
   *
   * @param bytes its beginning, the header at least where it has so many
   * @throws DataException NOT_ONE
   */
  public static void requireOne(byte[] bytes, long length) {
    if (bytes.length < HEADER_BYTES
        || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
        || (bytes[ENCODING_OFFSET] != SPARSE && bytes[ENCODING_OFFSET] != DENSE)
        || (bytes[ENCODING_OFFSET] == DENSE && length != DENSE_BYTES)) {
      throw NOT_ONE;
    }
  }

  public byte[] bytes() {
    return bytes;
  }

  public boolean isDense() {
    return isDense(bytes);
  }

  /**
   * @param bytes its header at least
   */
  public static boolean isDense(byte[] bytes) {
    return bytes[ENCODING_OFFSET] == DENSE;
  }

  /** Takes an element in; whether that changed a register. */
  public boolean add(byte[] element) {
    long hash = MurmurHash.of(element);
    return raise(register(hash), rank(hash));
  }

  private static int register(long hash) {
    return (int) hash & (REGISTERS - 1);
  }

  /** How high an element makes its register. */
  private static int rank(long hash) {
    // A one behind all others ends the count.
    return Long.numberOfTrailingZeros(hash >>> 14 | 1L << HASH_BITS) + 1;
  }

  /**
   * Whether {@link #add} would change a dense one, without a copy of it: few elements do once there
   * were many.
   *
   * @param dense what is stored of it
   */
  public static boolean isChangedBy(Slice dense, byte[] element) {
    long hash = MurmurHash.of(element);
    return dense(dense.array(), dense.offset(), register(hash)) < rank(hash);
  }

  /** Makes a register this high unless it is higher; whether that changed it. */
  public boolean raise(int register, int value) {
    if (isDense()) {
      return raiseDense(register, value);
    }
    return raiseSparse(register, value);
  }

  public void invalidateCardinality() {
    bytes[STALE_OFFSET] |= (byte) 0x80;
  }

  /** Whether an earlier count is noted in a header and still holds. */
  public static boolean knowsCardinality(byte[] header) {
    return header[STALE_OFFSET] >= 0;
  }

  public static long knownCardinality(byte[] header) {
    return (long) LONG.get(header, CARDINALITY_OFFSET);
  }

  public void noteCardinality(long cardinality) {
    LONG.set(bytes, CARDINALITY_OFFSET, cardinality);
  }

  // Dense ----------------------------------------------------------------------------------------

  /**
   * @param offset where it starts in {@code bytes}, which end with it
   */
  private static int dense(byte[] bytes, int offset, int register) {
    int at = offset + HEADER_BYTES + register * 6 / 8;
    int shift = register * 6 & 7;
    int next = at + 1 < bytes.length ? bytes[at + 1] & 0xFF : 0;
    return ((bytes[at] & 0xFF) >> shift | next << (8 - shift)) & REGISTER_MAX;
  }

  private static void putDense(byte[] bytes, int register, int value) {
    int at = HEADER_BYTES + register * 6 / 8;
    int shift = register * 6 & 7;
    bytes[at] = (byte) (bytes[at] & ~(REGISTER_MAX << shift) | value << shift);
    if (shift > 2) {
      int left = 8 - shift;
      bytes[at + 1] = (byte) (bytes[at + 1] & ~(REGISTER_MAX >> left) | value >> left);
    }
  }

  private boolean raiseDense(int register, int value) {
    if (dense(bytes, 0, register) >= value) {
      return false;
    }
    putDense(bytes, register, value);
    return true;
  }

  /**
   * Makes it dense.
   *
   * @throws DataException CORRUPTED when its runs are not those of all registers
   */
  public void makeDense() {
    if (isDense()) {
      return;
    }
    byte[] registers = new byte[REGISTERS];
    mergeInto(registers);
    byte[] dense = Arrays.copyOf(Arrays.copyOf(bytes, HEADER_BYTES), DENSE_BYTES);
    dense[ENCODING_OFFSET] = DENSE;
    for (int i = 0; i < REGISTERS; i++) {
      if (registers[i] != 0) {
        putDense(dense, i, registers[i]);
      }
    }
    bytes = dense;
  }

  // Sparse ---------------------------------------------------------------------------------------

  private static boolean isValue(int code) {
    return (code & 0x80) != 0;
  }

  private static boolean isLong(int code) {
    return (code & 0xC0) == 0x40;
  }

  private static int valueOf(int code) {
    return (code >> 2 & 0x1F) + 1;
  }

  private static int runBytes(int code) {
    return isLong(code) ? 2 : 1;
  }

  private static int runLength(byte[] source, int at) {
    int code = source[at] & 0xFF;
    if (isValue(code)) {
      return (code & 3) + 1;
    }
    if (!isLong(code)) {
      return code + 1;
    }
    int low = at + 1 < source.length ? source[at + 1] & 0xFF : 0;
    return ((code & 0x3F) << 8 | low) + 1;
  }

  private static int putZeroes(byte[] target, int at, int length) {
    if (length > ZERO_RUN_MAX) {
      target[at] = (byte) (0x40 | (length - 1) >> 8);
      target[at + 1] = (byte) (length - 1);
      return at + 2;
    }
    target[at] = (byte) (length - 1);
    return at + 1;
  }

  private static byte value(int value, int length) {
    return (byte) (0x80 | (value - 1) << 2 | (length - 1));
  }

  private boolean raiseSparse(int register, int value) {
    if (value > VALUE_MAX) {
      makeDense();
      return raiseDense(register, value);
    }
    int at = HEADER_BYTES;
    int before = -1;
    int first = 0;
    while (at < bytes.length && register >= first + runLength(bytes, at)) {
      first += runLength(bytes, at);
      before = at;
      at += runBytes(bytes[at] & 0xFF);
    }
    if (at >= bytes.length || at + runBytes(bytes[at] & 0xFF) > bytes.length) {
      throw CORRUPTED;
    }
    int code = bytes[at] & 0xFF;
    int length = runLength(bytes, at);
    if (isValue(code) && valueOf(code) >= value) {
      return false;
    }
    byte[] runs = new byte[5];
    int end = putRest(runs, 0, code, register - first);
    runs[end++] = value(value, 1);
    end = putRest(runs, end, code, first + length - 1 - register);
    int longer = end - runBytes(code);
    if (longer > 0 && bytes.length + longer > SPARSE_BYTES_MAX) {
      makeDense();
      return raiseDense(register, value);
    }
    byte[] changed = new byte[bytes.length + longer];
    System.arraycopy(bytes, 0, changed, 0, at);
    System.arraycopy(runs, 0, changed, at, end);
    int rest = at + runBytes(code);
    System.arraycopy(bytes, rest, changed, at + end, bytes.length - rest);
    bytes = joined(changed, before < 0 ? HEADER_BYTES : before);
    invalidateCardinality();
    return true;
  }

  /** A part of a run that stays as it was. */
  private static int putRest(byte[] target, int at, int code, int length) {
    if (length == 0) {
      return at;
    }
    if (!isValue(code)) {
      return putZeroes(target, at, length);
    }
    target[at] = value(valueOf(code), length);
    return at + 1;
  }

  /** Joins neighbours of the same value where they fit into one run, as Redis does: a few only. */
  private static byte[] joined(byte[] runs, int from) {
    int end = runs.length;
    int at = from;
    for (int looked = 0; at < end && looked < JOINED_RUNS; looked++) {
      int code = runs[at] & 0xFF;
      if (isValue(code) && at + 1 < end && isValue(runs[at + 1] & 0xFF)) {
        int next = runs[at + 1] & 0xFF;
        int length = (code & 3) + 1 + (next & 3) + 1;
        if (valueOf(code) == valueOf(next) && length <= VALUE_RUN_MAX) {
          runs[at + 1] = value(valueOf(code), length);
          System.arraycopy(runs, at + 1, runs, at, end - at - 1);
          end--;
          continue;
        }
      }
      at += runBytes(code);
    }
    return end == runs.length ? runs : Arrays.copyOf(runs, end);
  }

  // All registers --------------------------------------------------------------------------------

  /**
   * Raises {@code registers} to these.
   *
   * @throws DataException CORRUPTED when the runs are not those of all registers
   */
  public void mergeInto(byte[] registers) {
    if (isDense()) {
      for (int i = 0; i < REGISTERS; i++) {
        registers[i] = (byte) Math.max(registers[i], dense(bytes, 0, i));
      }
      return;
    }
    int register = 0;
    for (int at = HEADER_BYTES; at < bytes.length; at += runBytes(bytes[at] & 0xFF)) {
      int code = bytes[at] & 0xFF;
      int end = register + runLength(bytes, at);
      if (end > REGISTERS) {
        throw CORRUPTED;
      }
      if (isValue(code)) {
        for (; register < end; register++) {
          registers[register] = (byte) Math.max(registers[register], valueOf(code));
        }
      }
      register = end;
    }
    if (register != REGISTERS) {
      throw CORRUPTED;
    }
  }

  /** How many different elements such registers stand for. */
  public static long cardinality(byte[] registers) {
    int[] histogram = new int[REGISTER_MAX + 1];
    for (byte register : registers) {
      histogram[register]++;
    }
    double m = REGISTERS;
    double z = m * tau((m - histogram[HASH_BITS + 1]) / m);
    for (int i = HASH_BITS; i >= 1; i--) {
      z += histogram[i];
      z *= 0.5;
    }
    z += m * sigma(histogram[0] / m);
    return Math.round(ALPHA * m * m / z);
  }

  private static double tau(double share) {
    if (share == 0 || share == 1) {
      return 0;
    }
    double x = share;
    double y = 1;
    double z = 1 - x;
    double before;
    do {
      x = Math.sqrt(x);
      before = z;
      y *= 0.5;
      z -= (1 - x) * (1 - x) * y;
    } while (before != z);
    return z / 3;
  }

  private static double sigma(double share) {
    if (share == 1) {
      return Double.POSITIVE_INFINITY;
    }
    double x = share;
    double y = 1;
    double z = x;
    double before;
    do {
      x *= x;
      before = z;
      z += x * y;
      y += y;
    } while (before != z);
    return z;
  }

  /** The runs of a sparse one, for people. */
  public String runs() {
    StringBuilder text = new StringBuilder();
    for (int at = HEADER_BYTES; at < bytes.length; at += runBytes(bytes[at] & 0xFF)) {
      int code = bytes[at] & 0xFF;
      text.append(at == HEADER_BYTES ? "" : " ");
      if (isValue(code)) {
        text.append("v:").append(valueOf(code)).append(',');
      } else {
        text.append(isLong(code) ? "Z:" : "z:");
      }
      text.append(runLength(bytes, at));
    }
    return text.toString();
  }
}
