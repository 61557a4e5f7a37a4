package dev.varve.lsm.version;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RecordFileReader;
import dev.varve.wal.RecordFileWriter;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The log of the tree's edits, and the state they add up to. Not thread-safe: the tree appends
 * under its installation lock.
 *
 * <p>See {@link ManifestFormat} for the bytes. An edit that {@link #append} has returned from
 * survives power loss.
 */
public final class Manifest implements Closeable {
  private final StorageDirectory directory;
  private final OffHeap memory;
  private final RandomGenerator salts;
  private TreeShape shape;
  private long number;
  private RecordFileWriter writer;
  private boolean inDoubt;

  private Manifest(
      StorageDirectory directory,
      OffHeap memory,
      RandomGenerator salts,
      TreeShape shape,
      long number)
      throws IOException {
    this.directory = directory;
    this.memory = memory;
    this.salts = salts;
    this.shape = shape;
    this.number = number;
    this.writer = begin();
  }

  /** Whether the directory holds a tree. */
  public static boolean exists(StorageDirectory directory) throws IOException {
    return directory.exists(ManifestFormat.CURRENT);
  }

  /** Whether a file name is one that this class gives. */
  public static boolean isOwnFile(String name) {
    return name.equals(ManifestFormat.CURRENT)
        || name.equals(temporaryName())
        || ManifestFormat.isManifest(name);
  }

  /** Begins the manifest of a new, empty tree. */
  public static Manifest create(
      StorageDirectory directory, KeyComparator order, OffHeap memory, RandomGenerator salts)
      throws IOException {
    TreeShape empty = new TreeShape(Version.empty(order), 1, 1, 0, 1, new TreeMap<>());
    return new Manifest(directory, memory, salts, empty, highestNumber(directory) + 1);
  }

  /**
   * Reads the manifest in force and goes on in a fresh one.
   *
   * @throws OtherKeyOrderException when the tree was written with another key order
   * @throws CorruptionException when it is damaged, naming file and offset
   * @throws dev.varve.wal.FormatTooNewException when a later release wrote it
   */
  public static Manifest open(
      StorageDirectory directory, KeyComparator order, OffHeap memory, RandomGenerator salts)
      throws IOException {
    String name = readCurrent(directory);
    TreeShape shape = null;
    try (RecordFileReader reader =
        RecordFileReader.open(
            directory, name, ManifestFormat.KIND, ManifestFormat.number(name), memory)) {
      while (reader.next()) {
        try {
          EditCodec.Decoded record = EditCodec.decode(reader.payload());
          if (shape == null) {
            requireOrder(directory, record, order);
            shape = EditCodec.shape(record, order);
          } else {
            shape = shape.apply(record.edit());
          }
        } catch (IllegalArgumentException malformed) {
          throw new CorruptionException(
              name,
              reader.endOffset(),
              "an edit that cannot be applied: " + malformed.getMessage());
        }
      }
    }
    if (shape == null) {
      throw new CorruptionException(name, 0, "a manifest without a first record");
    }
    return new Manifest(directory, memory, salts, shape, highestNumber(directory) + 1);
  }

  /** What all edits so far add up to. */
  public TreeShape shape() {
    return shape;
  }

  /** The name of the manifest file in force. */
  public String fileName() {
    return ManifestFormat.fileName(number);
  }

  /**
   * Puts an edit in force: it is durable when this returns. Tables that it adds must be durable
   * before, their directory entries too.
   *
   * @throws IOException when the device fails. The edit may or may not be in force after a restart,
   *     so files that it adds or removes must be left alone; for this process it never happened,
   *     and the next append begins a new file with what memory says.
   */
  public void append(VersionEdit edit) throws IOException {
    TreeShape next = shape.apply(edit);
    byte[] payload = EditCodec.encode(edit);
    if (inDoubt || writer.appendedBytes() > ManifestFormat.FILE_BYTES_MAX) {
      beginNext();
    }
    // Until this edit is known to be in force the file may say something else than memory does.
    inDoubt = true;
    writer.append(payload, 0, payload.length);
    writer.write();
    writer.sync();
    inDoubt = false;
    shape = next;
  }

  private void beginNext() throws IOException {
    number++;
    RecordFileWriter old = writer;
    writer = begin();
    inDoubt = false;
    old.close();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  /**
   * Writes the whole state as the first record of file {@code number} and makes it the current one.
   */
  private RecordFileWriter begin() throws IOException {
    String name = ManifestFormat.fileName(number);
    RecordFileWriter first =
        RecordFileWriter.create(directory, name, ManifestFormat.KIND, number, memory, salts);
    try {
      byte[] payload = EditCodec.encode(shape);
      first.append(payload, 0, payload.length);
      first.write();
      first.sync();
      writeCurrent(name);
      for (String old : directory.list()) {
        if (ManifestFormat.isManifest(old) && !old.equals(name)) {
          directory.delete(old);
        }
      }
      return first;
    } catch (IOException e) {
      first.close();
      throw e;
    }
  }

  private void writeCurrent(String name) throws IOException {
    directory.delete(temporaryName());
    try (StorageFile file = directory.create(temporaryName())) {
      file.writeFully(ByteBuffer.wrap((name + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
      file.sync();
    }
    // The manifest's own entry must be durable before anything points to it.
    directory.sync();
    directory.rename(temporaryName(), ManifestFormat.CURRENT);
    directory.sync();
  }

  private static String temporaryName() {
    return ManifestFormat.CURRENT + ".tmp";
  }

  private static String readCurrent(StorageDirectory directory) throws IOException {
    try (StorageFile file = directory.openReadOnly(ManifestFormat.CURRENT)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(64, file.length()));
      file.readFully(bytes, 0);
      String text = new String(bytes.array(), StandardCharsets.US_ASCII);
      if (!text.endsWith("\n") || !ManifestFormat.isManifest(text.strip())) {
        throw new CorruptionException(ManifestFormat.CURRENT, 0, "not the name of a manifest");
      }
      return text.strip();
    }
  }

  private static void requireOrder(
      StorageDirectory directory, EditCodec.Decoded first, KeyComparator order)
      throws OtherKeyOrderException {
    String stored = first.keyOrder();
    if (!order.name().equals(stored)) {
      throw new OtherKeyOrderException(directory.path(), String.valueOf(stored), order.name());
    }
  }

  private static long highestNumber(StorageDirectory directory) throws IOException {
    long highest = 0;
    for (String name : directory.list()) {
      if (ManifestFormat.isManifest(name)) {
        highest = Math.max(highest, ManifestFormat.number(name));
      }
    }
    return highest;
  }
}
