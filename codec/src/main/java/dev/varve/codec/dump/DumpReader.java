package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads payloads that clients give to RESTORE.
 *
 * <p>Pure functions, for any thread.
 */
final class DumpReader {
  private DumpReader() {}

  /** Whether a payload is whole, and of a version that is known here. */
  public static boolean isIntact(byte[] payload) {
    int footer = payload.length - DumpFormat.FOOTER_BYTES;
    if (footer < 0) {
      return false;
    }
    int checksumAt = footer + Short.BYTES;
    return DumpFormat.isVersionRead(version(payload))
        && DumpInput.littleEndian(payload, checksumAt, Long.BYTES) == Crc64.of(payload, checksumAt);
  }

  private static long version(byte[] payload) {
    return DumpInput.littleEndian(payload, payload.length - DumpFormat.FOOTER_BYTES, Short.BYTES);
  }

  /**
   * The value in an intact payload.
   *
   * @throws DamagedValueException when there is none that could be stored
   */
  public static DumpedValue read(byte[] payload) {
    DumpInput input = new DumpInput(payload, 0, payload.length - DumpFormat.FOOTER_BYTES);
    @Nullable DumpedValue[] read = {null};
    int code = input.unsignedByte();
    new ValueReader(input, version(payload), ValueReader.Limit.NONE, whole -> read[0] = whole)
        .read(code);
    DumpedValue value = read[0];
    if (value == null) {
      throw damaged("nothing in it");
    }
    requireDifferent(value);
    return value;
  }

  private static void requireDifferent(DumpedValue value) {
    ValueType type = value.type();
    if (type != ValueType.SET && type != ValueType.HASH && type != ValueType.ZSET) {
      return;
    }
    List<byte[]> items = value.items();
    Set<Slice> seen = new HashSet<>();
    for (int i = 0; i < items.size(); i += type == ValueType.HASH ? 2 : 1) {
      if (!seen.add(Slice.of(items.get(i)))) {
        throw damaged("a member twice");
      }
    }
  }
}
