package dev.varve.server.command.data;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** Makes what older versions of Redis dumped: everything as strings, lengths in their long form. */
final class OldBlobs {
  private OldBlobs() {}

  /** A payload that lacks its checksum. */
  static byte[] payload(int type, int version, byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(type);
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    little(bytes, version, 2);
    little(bytes, 0, 8);
    return bytes.toByteArray();
  }

  static byte[] string(byte[] value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(0x80);
    for (int i = 3; i >= 0; i--) {
      bytes.write(value.length >>> 8 * i);
    }
    bytes.writeBytes(value);
    return bytes.toByteArray();
  }

  static byte[] ziplist(List<byte[]> items) {
    ByteArrayOutputStream entries = new ByteArrayOutputStream();
    int before = 0;
    int last = 10;
    for (byte[] item : items) {
      last = 10 + entries.size();
      if (before < 254) {
        entries.write(before);
      } else {
        entries.write(254);
        little(entries, before, 4);
      }
      if (item.length < 64) {
        entries.write(item.length);
      } else {
        entries.write(0x40 | item.length >> 8);
        entries.write(item.length);
      }
      entries.writeBytes(item);
      before = 10 + entries.size() - last;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    little(bytes, 10 + entries.size() + 1, 4);
    little(bytes, last, 4);
    little(bytes, items.size(), 2);
    bytes.writeBytes(entries.toByteArray());
    bytes.write(255);
    return bytes.toByteArray();
  }

  static byte[] zipmap(List<byte[]> items) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(items.size() / 2);
    for (int i = 0; i < items.size(); i++) {
      int length = items.get(i).length;
      if (length < 254) {
        bytes.write(length);
      } else {
        bytes.write(254);
        little(bytes, length, 4);
      }
      if (i % 2 == 1) {
        bytes.write(0);
      }
      bytes.writeBytes(items.get(i));
    }
    bytes.write(255);
    return bytes.toByteArray();
  }

  private static void little(ByteArrayOutputStream bytes, long value, int count) {
    for (int i = 0; i < count; i++) {
      bytes.write((int) (value >>> 8 * i));
    }
  }
}
