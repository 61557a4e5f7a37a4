package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A directory that is being filled, under another name than the one it will have: {@link #complete}
 * gives it that name, or {@link #close} deletes it. So whatever has the name is whole.
 *
 * <p>For one thread at a time.
 */
public final class UnfinishedDirectory implements Closeable {
  /** What its name ends in until it is complete. */
  static final String SUFFIX = ".tmp";

  private final Path target;
  private final Path path;
  private final RealStorageDirectory files;
  private boolean isOver;

  /** Makes it. */
  UnfinishedDirectory(Path target) throws IOException {
    this.target = target;
    this.path = of(target);
    this.files = RealStorageDirectory.open(path);
  }

  static Path of(Path target) {
    return target.resolveSibling(target.getFileName() + SUFFIX);
  }

  /**
   * Begins one that will be where nothing is yet, or an empty directory; what another has left that
   * was killed is deleted.
   *
   * @throws DirectoryNotEmptyException when there is something
   * @throws DirectoryLockedException when another one is being filled
   */
  public static UnfinishedDirectory begin(Path target) throws IOException {
    Path whole = target.toAbsolutePath().normalize();
    if (Files.exists(whole)) {
      if (!Files.isDirectory(whole)) {
        throw new NotDirectoryException(whole.toString());
      }
      if (!DirectoryEntries.of(whole).isEmpty()) {
        throw new DirectoryNotEmptyException(whole.toString());
      }
    }
    Path left = of(whole);
    if (Files.exists(left)) {
      try (RealStorageDirectory its = RealStorageDirectory.open(left)) {
        its.lock();
        delete(left);
      }
    }
    return new UnfinishedDirectory(whole);
  }

  /** The name that it will have. */
  public String name() {
    return target.getFileName().toString();
  }

  /** Keeps others from deleting it; where that cannot be, it is deleted, unless it is another's. */
  void lock() throws IOException {
    try {
      files.lock();
    } catch (DirectoryLockedException others) {
      throw others;
    } catch (IOException full) {
      try {
        delete(path);
      } catch (IOException left) {
        full.addSuppressed(left);
      }
      throw full;
    }
  }

  /** Where its files go; closed by this. */
  public RealStorageDirectory files() {
    return files;
  }

  /** Gives it its name, durably. All in it must be durable before. */
  public void complete() throws IOException {
    Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    isOver = true;
    files.close();
    Path parent = target.getParent();
    if (parent != null) {
      RealStorageDirectory.syncDirectory(parent);
    }
  }

  @Override
  public void close() throws IOException {
    if (!isOver) {
      isOver = true;
      try (files) {
        delete(path);
      }
    }
  }

  /** Deletes a directory of files alone. */
  static void delete(Path directory) throws IOException {
    for (Path entry : DirectoryEntries.of(directory)) {
      Files.delete(entry);
    }
    Files.delete(directory);
  }
}
