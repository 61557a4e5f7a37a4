package dev.varve.lsm.version;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RecordFileReader;
import dev.varve.wal.RecordFileWriter;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.SyncedPoint;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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
  private final long editsBytesMax;
  private TreeShape shape;
  private Current current;

  /** Whether damage of the file in force can never pass for a torn tail. */
  private boolean guarded = true;

  /** Whether CURRENT vouches for all of a file that was opened, its last mark too. */
  private boolean sealed;

  /** The file that this process writes, or null when the next edit is to begin a fresh one. */
  private @Nullable RecordFileWriter writer;

  /** How much of that file is the state that it began with. */
  private long beginningBytes;

  /** The last edit that failed and may be in force after a restart. */
  private @Nullable VersionEdit inDoubt;

  private Manifest(
      StorageDirectory directory,
      OffHeap memory,
      RandomGenerator salts,
      TreeShape shape,
      Current current,
      long editsBytesMax) {
    this.editsBytesMax = editsBytesMax;
    this.current = current;
    this.directory = directory;
    this.memory = memory;
    this.salts = salts;
    this.shape = shape;
  }

  /** Whether the directory holds a tree. */
  public static boolean exists(StorageDirectory directory) throws IOException {
    return directory.exists(ManifestFormat.CURRENT);
  }

  /** What to say of a directory that has a file of a tree, and no CURRENT. */
  public static CorruptionException missing(String beside) {
    return new CorruptionException(
        ManifestFormat.CURRENT,
        0,
        "it is missing, though " + beside + " is there; a backup has it, or nothing");
  }

  /** Whether a file name is one that this class gives. */
  public static boolean isOwnFile(String name) {
    return Current.isOwnFile(name) || ManifestFormat.isManifest(name);
  }

  /** Begins the manifest of a new, empty tree. */
  public static Manifest create(
      StorageDirectory directory, KeyComparator order, OffHeap memory, RandomGenerator salts)
      throws IOException {
    return create(directory, order, memory, salts, ManifestFormat.EDITS_BYTES_MAX);
  }

  static Manifest create(
      StorageDirectory directory,
      KeyComparator order,
      OffHeap memory,
      RandomGenerator salts,
      long editsBytesMax)
      throws IOException {
    TreeShape empty = new TreeShape(Version.empty(order), 1, 1, 0, 1, new TreeMap<>());
    Manifest manifest = new Manifest(directory, memory, salts, empty, Current.NONE, editsBytesMax);
    manifest.writer = manifest.begin();
    return manifest;
  }

  /**
   * Writes the manifest of a tree with that shape into a directory that has all of its files, and
   * none that another manifest names. It is the last thing that is missing there: all is durable
   * when this returns, and after an IOException nothing in it is a tree.
   *
   * @param log how much of the log there is, durable but for its names
   */
  public static void write(
      StorageDirectory directory,
      TreeShape shape,
      SyncedPoint log,
      OffHeap memory,
      RandomGenerator salts)
      throws IOException {
    Current nothing = new Current("", 0, log);
    try {
      new Manifest(directory, memory, salts, shape, nothing, ManifestFormat.EDITS_BYTES_MAX)
          .begin()
          .close();
    } catch (IOException e) {
      directory.deleteAfter(e, ManifestFormat.CURRENT);
      throw e;
    }
  }

  /**
   * Reads the manifest in force. Changes nothing: the first edit begins a fresh file.
   *
   * @throws OtherKeyOrderException when the tree was written with another key order
   * @throws CorruptionException when it is damaged, naming file and offset
   * @throws dev.varve.wal.FormatTooNewException when a later release wrote it
   */
  public static Manifest open(
      StorageDirectory directory, KeyComparator order, OffHeap memory, RandomGenerator salts)
      throws IOException {
    Current current = Current.read(directory);
    String name = current.manifest();
    TreeShape shape = null;
    boolean guarded;
    boolean sealed;
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
              reader.recordOffset(),
              "an edit that cannot be applied: " + malformed.getMessage());
        }
      }
      if (reader.endOffset() < current.manifestBytes()) {
        throw new CorruptionException(
            name, reader.endOffset(), "a record that was synced cannot be read");
      }
      guarded = reader.isEndGuarded();
      sealed = reader.endOffset() == current.manifestBytes();
    }
    if (shape == null) {
      throw new CorruptionException(name, 0, "a manifest without a first record");
    }
    Manifest manifest =
        new Manifest(directory, memory, salts, shape, current, ManifestFormat.EDITS_BYTES_MAX);
    manifest.guarded = guarded;
    manifest.sealed = sealed;
    return manifest;
  }

  /**
   * Begins a fresh file if power loss has taken the mark behind the last edit: damage of that edit
   * would pass for a torn tail, and an older state for the latest. Called once all is found whole.
   */
  public void guard() throws IOException {
    if (!guarded) {
      writer = begin();
      guarded = true;
    }
  }

  /**
   * Says in CURRENT that all of the manifest and of the log is durable, so that no damage of it can
   * pass for what a crash has left. For a clean end.
   *
   * @param logEnd where the log ends; {@link SyncedPoint#NONE} if nothing is known of it
   */
  public void seal(SyncedPoint logEnd) throws IOException {
    SyncedPoint log = current.log().max(logEnd);
    RecordFileWriter open = writer;
    if (open != null) {
      open.sync();
      put(new Current(open.name(), open.endOffset(), log));
    } else if (sealed) {
      put(new Current(current.manifest(), current.manifestBytes(), log));
    } else {
      current = new Current(current.manifest(), current.manifestBytes(), log);
      writer = begin();
    }
  }

  /**
   * Says in CURRENT where the log goes on, so that the loss of its segments cannot pass for what a
   * crash has left. Before anything is logged there.
   *
   * @param beginning as {@link dev.varve.wal.Log#begin} said
   */
  public void logBegins(SyncedPoint beginning) throws IOException {
    put(new Current(current.manifest(), current.manifestBytes(), current.log().max(beginning)));
  }

  /** How much of the log was durable when it began, or at the last clean end. */
  public SyncedPoint durableLog() {
    return current.log();
  }

  /** The names of the files that the state is in. */
  public List<String> files() {
    return List.of(ManifestFormat.CURRENT, current.manifest());
  }

  /** What all edits so far add up to. */
  public TreeShape shape() {
    return shape;
  }

  /**
   * Puts an edit in force: it is durable when this returns. Tables that it adds must be durable
   * before, their directory entries too.
   *
   * <p>Whatever it throws, an Error too, for this process the edit never happened then. If it
   * {@link #isInDoubt}, files that it adds or removes must be left alone, and the next append
   * begins a new file with what memory says.
   *
   * @param next what {@link #shape} is with the edit, as {@link TreeShape#apply} says: the caller
   *     makes ready what is to follow before this is called
   * @throws IOException when the device fails
   * @throws IllegalArgumentException when the edit is too long for a record
   */
  public void append(VersionEdit edit, TreeShape next) throws IOException {
    byte[] payload = EditCodec.encode(edit);
    RecordFileWriter open = writer;
    if (open == null || isLong(open)) {
      closeWriter();
      open = begin();
    }
    writer = open;
    open.append(payload, 0, payload.length);
    // Until this edit is known to be in force the file may say something else than memory does.
    inDoubt = edit;
    try {
      open.write();
      open.sync();
      markIfPossible(open);
    } catch (IOException | RuntimeException | Error e) {
      leave(open, e);
      throw e;
    }
    // Last of all, when nothing is left that may fail.
    inDoubt = null;
    shape = next;
  }

  private void markIfPossible(RecordFileWriter written) {
    try {
      mark(written);
    } catch (IOException | OutOfMemoryError e) {
      // The edit itself is safe; a fresh file will say so too.
      leave(written, e);
    }
  }

  /** Whether its edits are worth writing the state anew, all of it. */
  private boolean isLong(RecordFileWriter open) {
    return open.appendedBytes() - beginningBytes > Math.max(editsBytesMax, beginningBytes);
  }

  /**
   * Whether {@link #append} has failed with that edit in such a way that it may be in force after a
   * restart. Not any more once a later one has been put in force.
   */
  public boolean isInDoubt(VersionEdit edit) {
    return inDoubt == edit;
  }

  /** Tells readers that all so far is durable: what is bad before the mark is no torn tail. */
  private static void mark(RecordFileWriter written) throws IOException {
    written.appendSyncMark();
    written.write();
  }

  private void leave(RecordFileWriter failed, Throwable failure) {
    writer = null;
    try {
      failed.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void closeWriter() throws IOException {
    RecordFileWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() throws IOException {
    closeWriter();
  }

  /** Writes the whole state as the beginning of a fresh file and makes it the current one. */
  private RecordFileWriter begin() throws IOException {
    sealed = false;
    long number = highestNumber(directory) + 1;
    String name = ManifestFormat.fileName(number);
    RecordFileWriter first =
        RecordFileWriter.create(directory, name, ManifestFormat.KIND, number, memory, salts);
    boolean mayBeCurrent = false;
    try {
      List<VersionEdit> edits = EditCodec.edits(shape);
      write(first, EditCodec.encode(shape, edits.get(0)));
      for (VersionEdit more : edits.subList(1, edits.size())) {
        write(first, EditCodec.encode(more));
      }
      first.sync();
      mark(first);
      first.sync();
      mayBeCurrent = true;
      put(new Current(name, first.endOffset(), current.log()));
      deleteAllBut(name);
      beginningBytes = first.appendedBytes();
      return first;
    } catch (IOException | RuntimeException | Error e) {
      leave(first, e);
      if (!mayBeCurrent) {
        // On a full disk each edit tries again, with the next number.
        directory.deleteAfter(e, name);
      }
      throw e;
    }
  }

  private static void write(RecordFileWriter file, byte[] payload) throws IOException {
    file.append(payload, 0, payload.length);
    file.write();
  }

  private void deleteAllBut(String name) throws IOException {
    for (String old : directory.list()) {
      if (ManifestFormat.isManifest(old) && !old.equals(name)) {
        try {
          directory.delete(old);
        } catch (IOException left) {
          // Nothing is in force there any more; whoever begins the next file tries again.
        }
      }
    }
  }

  private void put(Current next) throws IOException {
    next.write(directory);
    current = next;
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
