package dev.varve.lsm.version;

import dev.varve.wal.RecordFileKind;
import java.util.Locale;

/**
 * The manifest: a record file whose records are edits. The first record is the whole state of the
 * tree when the file was begun, as an edit from nothing; where the first and last keys of tables
 * are long, further records bring the rest of it. A small file named {@code CURRENT} holds two
 * lines; it is replaced by rename:
 *
 * <pre>
 * MANIFEST-000012                                 the manifest in force
 * durable 4711 log 34 5678 crc32c 0f1e2d3c        what was durable when this was written: so many
 *                                                 bytes of the manifest, and the log up to the
 *                                                 offset 5678 of segment 34 (0 0: nothing is
 *                                                 known; 34 28: segment 34 was begun); checksum
 *                                                 of all before " crc32c"
 * </pre>
 *
 * <p>An edit is a row of fields, each a tag byte and what follows it. All integers are big-endian;
 * bytes are preceded by a four-byte length.
 *
 * <pre>
 * tag  what follows
 *   1  name of the key order, as bytes                              (first record only)
 *   2  8 next table number                                          (first record only)
 *   3  8 flushed-through sequence, 8 oldest log segment
 *   4  8 next sequence number, at least                             (first record only)
 *   5  1 level, 8 table number: the table leaves
 *   6  1 level, then the table that joins:
 *        8 number, 8 file bytes, 8 raw bytes, 8 smallest sequence, 8 largest sequence,
 *        8 entries, 8 tombstones, 8 dead through, smallest key, largest key as bytes
 *   7  8 counter, 8 delta
 * </pre>
 *
 * <p>docs/formats/manifest.md has worked examples.
 */
final class ManifestFormat {
  static final RecordFileKind KIND = new RecordFileKind("VARVEMAN", 1);
  static final String CURRENT = "CURRENT";

  static final byte KEY_ORDER = 1;
  static final byte NEXT_TABLE = 2;
  static final byte FLUSHED_THROUGH = 3;
  static final byte NEXT_SEQUENCE = 4;
  static final byte TABLE_LEAVES = 5;
  static final byte TABLE_JOINS = 6;
  static final byte COUNTER = 7;

  /**
   * A new manifest is begun when the edits of the old one are this long, so that a start reads
   * little; or as long as the state that it began with, if that is more, so that edits write
   * little.
   */
  static final long EDITS_BYTES_MAX = 4L << 20;

  static String fileName(long number) {
    return String.format(Locale.ROOT, "MANIFEST-%06d", number);
  }

  static boolean isManifest(String fileName) {
    return fileName.matches("MANIFEST-\\d{6,18}");
  }

  static long number(String fileName) {
    return Long.parseLong(fileName.substring("MANIFEST-".length()));
  }

  private ManifestFormat() {}
}
