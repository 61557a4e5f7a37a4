package dev.varve.codec.dump;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.StepMeter;

/**
 * Reads strings that Redis has compressed, in the format of LibLZF.
 *
 * <p>Pure functions, for any thread.
 */
final class Lzf {
  /*
   * A control byte below 32 is followed by that many bytes, and one more, as they are. Others repeat
   * what came before: the high 3 bits are a length of 3 to 8, less 2 (7: the next byte is added), the
   * low 5 bits and one more byte how far back it is, less 1.
   */
  private static final int LITERALS_MAX = 32;
  private static final int LENGTH_LONG = 7;
  private static final int LENGTH_OFFSET = 2;

  /** So many control bytes take a microsecond or two. */
  private static final int CONTROLS_PER_STEP = 64;

  private Lzf() {}

  /**
   * Reads {@code from[offset, end)} into {@code target}, which it fills.
   *
   * @param meter is told how much that is
   * @throws DamagedValueException when it does not, or refers to what is not there
   */
  static void decompress(byte[] from, int offset, int end, byte[] target, StepMeter meter) {
    int at = offset;
    int out = 0;
    for (int controls = 1; at < end; controls++) {
      if (controls % CONTROLS_PER_STEP == 0) {
        meter.step();
      }
      int control = from[at++] & 0xFF;
      if (control < LITERALS_MAX) {
        int length = control + 1;
        require(length <= end - at && length <= target.length - out);
        System.arraycopy(from, at, target, out, length);
        at += length;
        out += length;
        continue;
      }
      int length = control >> 5;
      if (length == LENGTH_LONG) {
        require(at < end);
        length += from[at++] & 0xFF;
      }
      length += LENGTH_OFFSET;
      require(at < end);
      int source = out - ((control & 0x1F) << 8 | from[at++] & 0xFF) - 1;
      require(source >= 0 && length <= target.length - out);
      // Byte by byte: the two may overlap, and then what was just written is read.
      for (int i = 0; i < length; i++) {
        target[out++] = target[source++];
      }
    }
    require(out == target.length);
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new DamagedValueException("a compressed string that does not give what it says");
    }
  }
}
