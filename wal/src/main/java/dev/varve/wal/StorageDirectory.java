package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * One flat directory of files: the port through which all of Varve touches a disk.
 *
 * <p>A change of the directory itself (create, rename, delete) survives power loss only after
 * {@link #sync()}; a change of a file's content only after {@link StorageFile#sync()}.
 *
 * <p>Safe for use by several threads. All methods may block on the device and must not be called on
 * an event loop.
 */
public interface StorageDirectory extends Closeable {

  /** Where this directory is, for messages. */
  String path();

  /**
   * Creates an empty file and opens it for reading and writing.
   *
   * @throws java.nio.file.FileAlreadyExistsException when there is one of that name
   */
  StorageFile create(String name) throws IOException;

  /**
   * Opens a file for reading and writing.
   *
   * @throws java.nio.file.NoSuchFileException when there is none of that name
   */
  StorageFile open(String name) throws IOException;

  /** Opens a file for reading only: a file that is immutable stays so. */
  StorageFile openReadOnly(String name) throws IOException;

  /**
   * The same for an immutable file that is read here and there, and whose reader keeps what is
   * worth keeping: a directory may leave the system's page cache out.
   */
  default StorageFile openForRandomReads(String name) throws IOException {
    return openReadOnly(name);
  }

  /** The names of all regular files, in no particular order. */
  List<String> list() throws IOException;

  boolean exists(String name) throws IOException;

  /** Atomically gives a file another name, replacing a file that had it. */
  void rename(String source, String target) throws IOException;

  /** Deletes a file. Deleting one that is not there is not an error. */
  void delete(String name) throws IOException;

  /** Deletes what was left by something that failed; should that fail too, the failure says so. */
  default void deleteAfter(Throwable failure, String name) {
    try {
      delete(name);
    } catch (IOException left) {
      failure.addSuppressed(left);
    }
  }

  /** The same for a file that is open. */
  default void removeAfter(Throwable failure, StorageFile file) {
    try {
      file.close();
    } catch (IOException unclosed) {
      failure.addSuppressed(unclosed);
    }
    deleteAfter(failure, file.name());
  }

  /**
   * Lets {@code target} have an immutable file of this directory too, under the same name: a second
   * name for the same bytes where the file system has such, a copy elsewhere, which is synced.
   * Either survives power loss after a sync of {@code target}. After an IOException a part of a
   * copy may be left there.
   *
   * @throws java.nio.file.FileAlreadyExistsException when {@code target} has one of that name
   */
  default void duplicate(String name, StorageDirectory target) throws IOException {
    try (StorageFile file = openReadOnly(name)) {
      FileCopy.copy(file, file.length(), target);
    }
  }

  /** Makes all creates, renames and deletes so far survive power loss. */
  void sync() throws IOException;

  /** Bytes the file system still has for this process. */
  long usableBytes() throws IOException;

  /**
   * Takes the directory for this process until {@link #close()}.
   *
   * @throws DirectoryLockedException when another process, or another owner in this one, has it
   */
  void lock() throws IOException;

  /**
   * The same for who only reads: nobody who writes gets it meanwhile, and nothing in it changes.
   * Returns false where nobody has ever locked it: then somebody may do so meanwhile, and who asks
   * again is told.
   *
   * @throws DirectoryLockedException when another process, or another owner in this one, has it
   */
  default boolean lockToRead() throws IOException {
    lock();
    return true;
  }

  @Override
  void close() throws IOException;
}
