package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.WriteTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * Reads payloads that clients give to RESTORE.
 *
 * <p>Pure functions, for any thread.
 */
final class DumpReader {
  /** The checksum of so many takes some microseconds. */
  private static final int BYTES_PER_STEP = 4096;

  private DumpReader() {}

  /**
   * Whether a payload is whole, and of a version that is known here.
   *
   * @param meter is told how much was looked at
   */
  public static boolean isIntact(byte[] payload, StepMeter meter) {
    int footer = payload.length - DumpFormat.FOOTER_BYTES;
    if (footer < 0) {
      return false;
    }
    int checksumAt = footer + Short.BYTES;
    return DumpFormat.isVersionRead(version(payload))
        && DumpInput.littleEndian(payload, checksumAt, Long.BYTES)
            == checksum(payload, checksumAt, meter);
  }

  private static long checksum(byte[] payload, int end, StepMeter meter) {
    long crc = 0;
    for (int at = 0; at < end; at += BYTES_PER_STEP) {
      meter.step();
      crc = Crc64.update(crc, payload, at, Math.min(end, at + BYTES_PER_STEP));
    }
    return crc;
  }

  private static long version(byte[] payload) {
    return DumpInput.littleEndian(payload, payload.length - DumpFormat.FOOTER_BYTES, Short.BYTES);
  }

  /**
   * The value in an intact payload.
   *
   * @param meter is told of each item
   * @throws DamagedValueException when there is none that could be stored
   * @throws WriteTooLargeException when it is more than can be written at once
   */
  public static DumpedValue read(byte[] payload, StepMeter meter) {
    DumpInput input = new DumpInput(payload, 0, payload.length - DumpFormat.FOOTER_BYTES, meter);
    @Nullable DumpedValue[] read = {null};
    int code = input.unsignedByte();
    new ValueReader(input, version(payload), ValueReader.Limit.NONE, whole -> read[0] = whole)
        .read(code);
    DumpedValue value = read[0];
    if (value == null) {
      throw damaged("nothing in it");
    }
    return value;
  }
}
