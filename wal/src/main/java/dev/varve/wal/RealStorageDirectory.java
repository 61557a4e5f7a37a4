package dev.varve.wal;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory of the operating system's file system.
 *
 * <p>Safe for use by several threads. Never interrupt one of them: that closes the file it is in.
 */
public final class RealStorageDirectory implements StorageDirectory {
  /** The file whose lock says that the directory is in use; it is never deleted. */
  static final String LOCK_FILE = "LOCK";

  /** What a file begins and ends with that {@link #tryDirectRead} has made and a kill has left. */
  private static final String PROBE_PREFIX = "probe-";

  private static final String PROBE_SUFFIX = ".tmp";

  /** A file lock holds against other processes only; this holds within this one. */
  private static final Set<Path> LOCKED_HERE = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final @Nullable AlignedReads aligned;
  private @Nullable FileChannel lockChannel;

  /** Whether this is who has it in this process. */
  private boolean isTaken;

  private RealStorageDirectory(Path path, @Nullable AlignedReads aligned) {
    this.path = path;
    this.aligned = aligned;
  }

  /**
   * Opens a directory, creating it and its parents as needed.
   *
   * @throws NotDirectoryException when it, or a parent, is something else
   * @throws FileSystemException naming the one of them that cannot be created
   */
  public static RealStorageDirectory open(Path path) throws IOException {
    return new RealStorageDirectory(existing(path), null);
  }

  /**
   * The same, but random reads go past the page cache: for who has data many times as large as
   * memory, and a cache of his own.
   *
   * @throws IOException when the file system has no such reads, or too large blocks for them
   */
  public static RealStorageDirectory openForDirectReads(Path path) throws IOException {
    Path existing = existing(path);
    return openForDirectReads(existing, Files.getFileStore(existing).getBlockSize());
  }

  /**
   * @param blockBytes of its file system
   */
  static RealStorageDirectory openForDirectReads(Path existing, long blockBytes)
      throws IOException {
    if (!AlignedReads.takesBlocks(blockBytes)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the file system of %s has blocks of %d bytes: direct reads take at most %d",
              existing,
              blockBytes,
              AlignedReads.PIECE_BYTES));
    }
    RealStorageDirectory opened =
        new RealStorageDirectory(existing, new AlignedReads((int) blockBytes));
    opened.tryDirectRead();
    return opened;
  }

  /** Some file systems take the flag, or refuse it, only with a file. */
  private void tryDirectRead() throws IOException {
    Path probe = Files.createTempFile(path, PROBE_PREFIX, PROBE_SUFFIX);
    try {
      Files.write(probe, new byte[] {1});
      try (StorageFile file = openForRandomReads(probe.getFileName().toString())) {
        file.readFully(ByteBuffer.allocate(1), 0);
      }
    } catch (IOException | UnsupportedOperationException e) {
      throw new IOException("the file system of " + path + " takes no direct reads", e);
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private static Path existing(Path path) throws IOException {
    Path absolute = path.toAbsolutePath().normalize();
    if (!Files.isDirectory(absolute)) {
      if (Files.exists(absolute)) {
        throw new NotDirectoryException(absolute.toString());
      }
      createDurably(absolute);
    }
    return absolute.toRealPath();
  }

  private static void createDurably(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      if (Files.exists(parent)) {
        throw new NotDirectoryException(parent.toString());
      }
      createDurably(parent);
    }
    try {
      Files.createDirectories(directory);
    } catch (NoSuchFileException refused) {
      // So says the kernel where a file system takes no directories, as /proc.
      FileSystemException failure =
          new FileSystemException(directory.toString(), null, "cannot be created");
      failure.initCause(refused);
      throw failure;
    }
    if (parent != null) {
      syncDirectory(parent);
    }
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public StorageFile create(String name) throws IOException {
    return new RealStorageFile(
        name,
        FileChannel.open(
            resolve(name),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE));
  }

  @Override
  public StorageFile open(String name) throws IOException {
    return new RealStorageFile(
        name, FileChannel.open(resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public StorageFile openReadOnly(String name) throws IOException {
    return new RealStorageFile(name, FileChannel.open(resolve(name), StandardOpenOption.READ));
  }

  @Override
  public StorageFile openForRandomReads(String name) throws IOException {
    Path path = resolve(name);
    if (aligned == null) {
      return new RealStorageFile(
          name,
          FileChannel.open(path, StandardOpenOption.READ),
          null,
          new FilePlace(path.toString(), false));
    }
    return new RealStorageFile(
        name,
        FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT),
        aligned,
        aligned.blockBytes() <= FilePlace.ALIGNMENT ? new FilePlace(path.toString(), true) : null);
  }

  @Override
  public List<String> list() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path entry : DirectoryEntries.of(path)) {
      String name = entry.getFileName().toString();
      if (!isOwn(name) && Files.isRegularFile(entry)) {
        names.add(name);
      }
    }
    return names;
  }

  /** What is no file of whoever uses the directory. */
  private static boolean isOwn(String name) {
    return name.equals(LOCK_FILE) || name.startsWith(PROBE_PREFIX) && name.endsWith(PROBE_SUFFIX);
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(resolve(name));
  }

  @Override
  public void rename(String source, String target) throws IOException {
    Files.move(resolve(source), resolve(target), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(resolve(name));
  }

  @Override
  public void duplicate(String name, StorageDirectory target) throws IOException {
    if (target instanceof RealStorageDirectory real) {
      try {
        Files.createLink(real.resolve(name), resolve(name));
        return;
      } catch (UnsupportedOperationException | FileSystemException noLink) {
        // Another file system, or one without links, or no more of them: a copy says what else is
        // wrong.
      }
    }
    StorageDirectory.super.duplicate(name, target);
  }

  @Override
  public void sync() throws IOException {
    syncDirectory(path);
  }

  /**
   * Makes the names of the files in a directory durable: a rename survives power loss only then.
   */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long usableBytes() throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  @Override
  public synchronized void lock() throws IOException {
    take();
    try {
      lock(false, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException | RuntimeException | Error e) {
      giveBack();
      throw e;
    }
  }

  @Override
  public synchronized boolean lockToRead() throws IOException {
    if (!isTaken || lockChannel != null) {
      take();
    }
    try {
      // A shared lock needs no more than reading, and nobody gets the other kind beside it.
      lock(true, StandardOpenOption.READ);
      return true;
    } catch (NoSuchFileException neverLocked) {
      return false;
    } catch (IOException | RuntimeException | Error e) {
      giveBack();
      throw e;
    }
  }

  private void take() throws DirectoryLockedException {
    if (!LOCKED_HERE.add(path)) {
      throw new DirectoryLockedException(path());
    }
    isTaken = true;
  }

  private void giveBack() {
    if (isTaken) {
      isTaken = false;
      LOCKED_HERE.remove(path);
    }
  }

  private void lock(boolean isShared, OpenOption... options) throws IOException {
    FileChannel channel = FileChannel.open(path.resolve(LOCK_FILE), options);
    try {
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, isShared);
      if (lock == null) {
        throw new DirectoryLockedException(path());
      }
      lockChannel = channel;
    } catch (OverlappingFileLockException e) {
      throw new DirectoryLockedException(path());
    } finally {
      if (lockChannel == null) {
        channel.close();
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    FileChannel channel = lockChannel;
    lockChannel = null;
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      giveBack();
    }
  }

  private Path resolve(String name) {
    Path resolved = path.resolve(name);
    if (!path.equals(resolved.getParent())) {
      throw new IllegalArgumentException("not a plain file name: " + name);
    }
    return resolved;
  }
}
