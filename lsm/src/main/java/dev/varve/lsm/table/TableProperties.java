package dev.varve.lsm.table;

import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CorruptionException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a table says of itself. Immutable.
 *
 * <p>Its raw form, big-endian: number, raw bytes, smallest sequence, largest sequence, entries,
 * tombstones, dead through (u64 each); number of data blocks (u32); length of the comparator's name
 * (u8), the name in ASCII; length of the smallest key (u32), the key; the same of the largest.
 *
 * @param meta what the manifest says too
 * @param blocks number of data blocks
 * @param comparatorName the key order that the table was written in
 */
record TableProperties(TableMeta meta, int blocks, String comparatorName) {

  ByteBuffer encoded() {
    byte[] name = comparatorName.getBytes(StandardCharsets.US_ASCII);
    byte[] smallest = meta.smallestKey();
    byte[] largest = meta.largestKey();
    ByteBuffer out =
        ByteBuffer.allocate(7 * 8 + 4 + 1 + name.length + 8 + smallest.length + largest.length);
    out.putLong(meta.number())
        .putLong(meta.rawBytes())
        .putLong(meta.smallestSequence())
        .putLong(meta.largestSequence())
        .putLong(meta.entries())
        .putLong(meta.tombstones())
        .putLong(meta.deadThrough())
        .putInt(blocks)
        .put((byte) name.length)
        .put(name)
        .putInt(smallest.length)
        .put(smallest)
        .putInt(largest.length)
        .put(largest);
    return out.flip();
  }

  /** Decodes all of {@code raw}, the properties of a file of {@code fileBytes} bytes. */
  static TableProperties decode(ByteBuffer raw, long fileBytes, String file, long offset)
      throws CorruptionException {
    try {
      long number = raw.getLong();
      long rawBytes = raw.getLong();
      long smallestSequence = raw.getLong();
      long largestSequence = raw.getLong();
      long entries = raw.getLong();
      long tombstones = raw.getLong();
      long deadThrough = raw.getLong();
      int blocks = raw.getInt();
      byte[] name = bytes(raw, raw.get() & 0xFF, file, offset);
      byte[] smallest = bytes(raw, raw.getInt(), file, offset);
      byte[] largest = bytes(raw, raw.getInt(), file, offset);
      if (raw.hasRemaining()) {
        throw new CorruptionException(file, offset, "the properties have bytes left over");
      }
      TableMeta meta =
          new TableMeta(
              number,
              fileBytes,
              rawBytes,
              smallest,
              largest,
              smallestSequence,
              largestSequence,
              entries,
              tombstones,
              deadThrough);
      return new TableProperties(meta, blocks, new String(name, StandardCharsets.US_ASCII));
    } catch (BufferUnderflowException e) {
      throw new CorruptionException(file, offset, "the properties end early");
    }
  }

  private static byte[] bytes(ByteBuffer raw, int length, String file, long offset)
      throws CorruptionException {
    if (length < 0 || length > raw.remaining()) {
      throw new CorruptionException(file, offset, "the properties have a length of " + length);
    }
    byte[] bytes = new byte[length];
    raw.get(bytes);
    return bytes;
  }
}
