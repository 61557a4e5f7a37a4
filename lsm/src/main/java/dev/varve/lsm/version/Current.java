package dev.varve.lsm.version;

import dev.varve.wal.CorruptionException;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import dev.varve.wal.SyncedPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * What the file {@code CURRENT} says: which manifest is in force, and how much of it and of the log
 * was durable when that was written. Immutable. {@link ManifestFormat} has its lines.
 *
 * @param manifest the name of a file
 * @param manifestBytes the manifest was durable up to this offset; 0 where nothing is known
 * @param log the log was durable up to here, or {@link SyncedPoint#NONE}
 */
record Current(String manifest, long manifestBytes, SyncedPoint log) {
  private static final String FILE = ManifestFormat.CURRENT;
  private static final String TEMPORARY_FILE = FILE + ".tmp";
  private static final int BYTES_MAX = 256;
  private static final String CHECKSUM = " crc32c ";

  /** The second line is missing where an earlier Varve wrote it. */
  private static final Pattern LINES =
      Pattern.compile(
          "(?<manifest>MANIFEST-\\d{6,18})\n"
              + "(durable (?<bytes>\\d{1,18}) log (?<segment>\\d{1,18}) (?<offset>\\d{1,18})"
              + CHECKSUM
              + "(?<checksum>[0-9a-f]{8})\n)?");

  /** Before a directory has a manifest. */
  static final Current NONE = new Current("", 0, SyncedPoint.NONE);

  static boolean isOwnFile(String name) {
    return name.equals(FILE) || name.equals(TEMPORARY_FILE);
  }

  /**
   * Reads it.
   *
   * @throws CorruptionException when it is damaged, or names what is not there
   */
  static Current read(StorageDirectory directory) throws IOException {
    String text;
    try (StorageFile file = directory.openReadOnly(FILE)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(BYTES_MAX, file.length()));
      file.readFully(bytes, 0);
      text = new String(bytes.array(), StandardCharsets.ISO_8859_1);
    }
    Matcher lines = LINES.matcher(text);
    if (!lines.matches()) {
      throw new CorruptionException(FILE, 0, "not the name of a manifest");
    }
    String manifest = lines.group("manifest");
    if (!directory.exists(manifest)) {
      throw new CorruptionException(FILE, 0, "it names " + manifest + ": no such file");
    }
    String checksum = lines.group("checksum");
    if (checksum == null) {
      return new Current(manifest, 0, SyncedPoint.NONE);
    }
    if (!checksum.equals(checksum(text.substring(0, text.lastIndexOf(CHECKSUM))))) {
      throw new CorruptionException(FILE, 0, "its checksum differs");
    }
    return new Current(
        manifest,
        Long.parseLong(lines.group("bytes")),
        new SyncedPoint(
            Long.parseLong(lines.group("segment")), Long.parseLong(lines.group("offset"))));
  }

  /** Puts it in force, durably. All that it vouches for must be durable before. */
  void write(StorageDirectory directory) throws IOException {
    directory.delete(TEMPORARY_FILE);
    try (StorageFile file = directory.create(TEMPORARY_FILE)) {
      file.writeFully(ByteBuffer.wrap(text().getBytes(StandardCharsets.US_ASCII)), 0);
      file.sync();
    }
    // The manifest's own entry must be durable before anything points to it.
    directory.sync();
    directory.rename(TEMPORARY_FILE, FILE);
    directory.sync();
  }

  private String text() {
    String said =
        manifest + "\ndurable " + manifestBytes + " log " + log.file() + ' ' + log.offset();
    return said + CHECKSUM + checksum(said) + '\n';
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
