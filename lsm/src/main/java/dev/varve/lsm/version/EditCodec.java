package dev.varve.lsm.version;

import dev.varve.lsm.entry.KeyComparator;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Edits and whole states to bytes and back, as {@link ManifestFormat} lays them out. */
final class EditCodec {

  /** What a record of the manifest says. */
  record Decoded(
      VersionEdit edit, @Nullable String keyOrder, long nextTableNumber, long nextSequence) {}

  /** An edit as a record's payload. */
  static byte[] encode(VersionEdit edit) {
    return write(out -> putEdit(out, edit));
  }

  /**
   * A whole state as edits that lead to it from nothing: one, and where the borders of its tables
   * are long as many as keep each one's near {@link VersionEdit#BORDER_BYTES_WANTED}.
   */
  static List<VersionEdit> edits(TreeShape shape) {
    VersionEdit last = new VersionEdit();
    shape.counters().forEach(last::addToCounter);
    last.flushedThrough(shape.flushedThroughSequence(), shape.oldestLogSegment());
    List<VersionEdit> edits = new ArrayList<>();
    edits.add(last);
    long borderBytes = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : shape.version().level(level)) {
        if (borderBytes >= VersionEdit.BORDER_BYTES_WANTED) {
          last = new VersionEdit();
          edits.add(last);
          borderBytes = 0;
        }
        last.add(level, table);
        borderBytes += table.borderBytes();
      }
    }
    return edits;
  }

  /**
   * The payload of a manifest's first record.
   *
   * @param first of the {@link #edits} of a state; each of the others is a record like other edits
   */
  static byte[] encode(TreeShape shape, VersionEdit first) {
    return write(
        out -> {
          out.writeByte(ManifestFormat.KEY_ORDER);
          putBytes(out, shape.version().order().name().getBytes(StandardCharsets.US_ASCII));
          out.writeByte(ManifestFormat.NEXT_TABLE);
          out.writeLong(shape.nextTableNumber());
          out.writeByte(ManifestFormat.NEXT_SEQUENCE);
          out.writeLong(shape.nextSequence());
          putEdit(out, first);
        });
  }

  /**
   * The other way.
   *
   * @throws IllegalArgumentException when the bytes are not an edit, saying why
   */
  static Decoded decode(ByteBuffer payload) {
    VersionEdit edit = new VersionEdit();
    String keyOrder = null;
    long nextTable = 0;
    long nextSequence = 0;
    try {
      while (payload.hasRemaining()) {
        byte tag = payload.get();
        switch (tag) {
          case ManifestFormat.KEY_ORDER ->
              keyOrder =
                  new String(
                      bytes(payload, KeyComparator.NAME_BYTES_MAX), StandardCharsets.US_ASCII);
          case ManifestFormat.NEXT_TABLE -> nextTable = payload.getLong();
          case ManifestFormat.NEXT_SEQUENCE -> nextSequence = payload.getLong();
          case ManifestFormat.FLUSHED_THROUGH ->
              edit.flushedThrough(payload.getLong(), payload.getLong());
          case ManifestFormat.TABLE_LEAVES -> edit.delete(level(payload), payload.getLong());
          case ManifestFormat.TABLE_JOINS -> edit.add(level(payload), table(payload));
          case ManifestFormat.COUNTER -> edit.addToCounter(payload.getLong(), payload.getLong());
          default -> throw new IllegalArgumentException("unknown field " + tag);
        }
      }
    } catch (BufferUnderflowException shorter) {
      throw new IllegalArgumentException("an edit ends in the middle of a field", shorter);
    }
    return new Decoded(edit, keyOrder, nextTable, nextSequence);
  }

  /** The state that a manifest's first record leads to. */
  static TreeShape shape(Decoded first, KeyComparator order) {
    VersionEdit edit = first.edit();
    Map<Long, Long> none = new TreeMap<>();
    return new TreeShape(
            Version.empty(order), first.nextTableNumber(), first.nextSequence(), -1, -1, none)
        .apply(edit);
  }

  private interface Body {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static byte[] write(Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      body.writeTo(new DataOutputStream(bytes));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static void putEdit(DataOutputStream out, VersionEdit edit) throws IOException {
    if (edit.flushedThroughSequence() >= 0) {
      out.writeByte(ManifestFormat.FLUSHED_THROUGH);
      out.writeLong(edit.flushedThroughSequence());
      out.writeLong(edit.oldestLogSegment());
    }
    for (int level = 0; level < Version.LEVELS; level++) {
      for (long number : edit.deletedTables(level)) {
        out.writeByte(ManifestFormat.TABLE_LEAVES);
        out.writeByte(level);
        out.writeLong(number);
      }
      for (TableMeta table : edit.addedTables(level)) {
        out.writeByte(ManifestFormat.TABLE_JOINS);
        out.writeByte(level);
        putTable(out, table);
      }
    }
    for (Map.Entry<Long, Long> counter : edit.counterDeltas().entrySet()) {
      out.writeByte(ManifestFormat.COUNTER);
      out.writeLong(counter.getKey());
      out.writeLong(counter.getValue());
    }
  }

  private static void putTable(DataOutputStream out, TableMeta table) throws IOException {
    out.writeLong(table.number());
    out.writeLong(table.fileBytes());
    out.writeLong(table.rawBytes());
    out.writeLong(table.smallestSequence());
    out.writeLong(table.largestSequence());
    out.writeLong(table.entries());
    out.writeLong(table.tombstones());
    out.writeLong(table.deadThrough());
    putBytes(out, table.smallestKey());
    putBytes(out, table.largestKey());
  }

  private static TableMeta table(ByteBuffer in) {
    long number = in.getLong();
    long fileBytes = in.getLong();
    long rawBytes = in.getLong();
    long smallestSequence = in.getLong();
    long largestSequence = in.getLong();
    long entries = in.getLong();
    long tombstones = in.getLong();
    long deadThrough = in.getLong();
    byte[] smallestKey = bytes(in, in.remaining());
    byte[] largestKey = bytes(in, in.remaining());
    return new TableMeta(
        number,
        fileBytes,
        rawBytes,
        smallestKey,
        largestKey,
        smallestSequence,
        largestSequence,
        entries,
        tombstones,
        deadThrough);
  }

  private static void putBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte[] bytes(ByteBuffer in, int max) {
    int length = in.getInt();
    if (length < 0 || length > max || length > in.remaining()) {
      throw new IllegalArgumentException("a length of " + length + " bytes");
    }
    byte[] copy = new byte[length];
    in.get(copy);
    return copy;
  }

  private static int level(ByteBuffer in) {
    int level = in.get();
    if (level < 0 || level >= Version.LEVELS) {
      throw new IllegalArgumentException("level " + level);
    }
    return level;
  }

  private EditCodec() {}
}
