package dev.varve.server.model;

import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * A HyperLogLog as an array of registers.
 *
 * <p>The estimate is that of Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog
 * sketches" (2017), algorithm 6; the hash is Austin Appleby's MurmurHash64A, as Redis seeds it.
 *
 * <p>Single-threaded.
 */
final class ModelSketch {
  private static final int INDEX_BITS = 14;
  private static final int REGISTERS = 1 << INDEX_BITS;
  private static final int VALUE_BITS = 64 - INDEX_BITS;
  private static final double ALPHA_INFINITE = 0.721347520444481703680;
  private static final long SEED = 0xadc83b19L;
  private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;
  private static final int SHIFT = 47;

  private final byte[] registers = new byte[REGISTERS];

  ModelSketch copy() {
    ModelSketch copy = new ModelSketch();
    copy.merge(this);
    return copy;
  }

  /** Adds an element; whether that changed anything. */
  boolean add(String element) {
    long hash = hash(element.getBytes(StandardCharsets.ISO_8859_1));
    int index = (int) (hash & (REGISTERS - 1));
    int zeros = Long.numberOfTrailingZeros(hash >>> INDEX_BITS | 1L << VALUE_BITS);
    if (registers[index] > zeros) {
      return false;
    }
    registers[index] = (byte) (zeros + 1);
    return true;
  }

  void merge(ModelSketch other) {
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = (byte) Math.max(registers[i], other.registers[i]);
    }
  }

  String registers() {
    return text(registers);
  }

  /** The registers that are not zero, as "number=value". */
  static String text(byte[] registers) {
    StringJoiner text = new StringJoiner(" ");
    for (int i = 0; i < registers.length; i++) {
      if (registers[i] != 0) {
        text.add(i + "=" + registers[i]);
      }
    }
    return text.toString();
  }

  long count() {
    int[] histogram = new int[VALUE_BITS + 2];
    for (byte register : registers) {
      histogram[register]++;
    }
    double sum = REGISTERS * tau((REGISTERS - histogram[VALUE_BITS + 1]) / (double) REGISTERS);
    for (int value = VALUE_BITS; value >= 1; value--) {
      sum = 0.5 * (sum + histogram[value]);
    }
    sum += REGISTERS * sigma(histogram[0] / (double) REGISTERS);
    return Math.round(ALPHA_INFINITE * REGISTERS * REGISTERS / sum);
  }

  private static double tau(double of) {
    if (of == 0 || of == 1) {
      return 0;
    }
    double x = of;
    double y = 1;
    double sum = 1 - x;
    double before;
    do {
      x = Math.sqrt(x);
      before = sum;
      y *= 0.5;
      sum -= (1 - x) * (1 - x) * y;
    } while (sum != before);
    return sum / 3;
  }

  private static double sigma(double of) {
    if (of == 1) {
      return Double.POSITIVE_INFINITY;
    }
    double x = of;
    double y = 1;
    double sum = x;
    double before;
    do {
      x *= x;
      before = sum;
      sum += x * y;
      y += y;
    } while (sum != before);
    return sum;
  }

  private static long hash(byte[] bytes) {
    long hash = SEED ^ bytes.length * MULTIPLIER;
    int whole = bytes.length / Long.BYTES * Long.BYTES;
    for (int at = 0; at < whole; at += Long.BYTES) {
      long part = littleEndian(bytes, at, Long.BYTES) * MULTIPLIER;
      part ^= part >>> SHIFT;
      hash = (hash ^ part * MULTIPLIER) * MULTIPLIER;
    }
    if (whole < bytes.length) {
      hash = (hash ^ littleEndian(bytes, whole, bytes.length - whole)) * MULTIPLIER;
    }
    hash = (hash ^ hash >>> SHIFT) * MULTIPLIER;
    return hash ^ hash >>> SHIFT;
  }

  private static long littleEndian(byte[] bytes, int from, int length) {
    long number = 0;
    for (int i = length - 1; i >= 0; i--) {
      number = number << 8 | bytes[from + i] & 0xFF;
    }
    return number;
  }
}
