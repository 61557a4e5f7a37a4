package dev.varve.server.engine;

import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of all {@link Spool}s in one directory: no two have one name, one after the other or at
 * the same time, and what could not be deleted is deleted later.
 *
 * <p>Safe for use by several threads, which may wait for the disk.
 */
final class SpoolFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SpoolFiles.class);

  private static final String PREFIX = "SPOOL-";

  private final StorageDirectory directory;
  private final AtomicLong made = new AtomicLong();

  /** What could not be deleted. */
  private final Queue<Left> left = new ConcurrentLinkedQueue<>();

  private record Left(String name, long bytes) {}

  SpoolFiles(StorageDirectory directory) {
    this.directory = directory;
  }

  /** Those of a directory, from which what a process has left that was killed is deleted. */
  static SpoolFiles open(StorageDirectory directory) throws IOException {
    SpoolFiles files = new SpoolFiles(directory);
    for (String name : directory.list()) {
      if (name.startsWith(PREFIX)) {
        files.delete(name, 0);
      }
    }
    return files;
  }

  /** One more, which is empty. */
  StorageFile create() throws IOException {
    String name = PREFIX + made.getAndIncrement();
    while (directory.exists(name)) {
      // A killed process has left it, and it could not be deleted.
      name = PREFIX + made.getAndIncrement();
    }
    return directory.create(name);
  }

  /** Free bytes of the disk. */
  long usableBytes() throws IOException {
    return directory.usableBytes();
  }

  /** Deletes a file that nobody reads; should that fail, {@link #deleteLeft} tries again. */
  void delete(String name, long bytes) {
    try {
      directory.delete(name);
    } catch (IOException failure) {
      LOG.warn("could not delete {}, which is tried again: {}", name, failure.toString());
      left.add(new Left(name, bytes));
    }
  }

  /** Tries again to delete the one that has waited longest. */
  void deleteLeft() {
    Left first = left.poll();
    if (first == null) {
      return;
    }
    try {
      directory.delete(first.name);
    } catch (IOException failure) {
      left.add(first);
    }
  }

  /** How much those have that could not be deleted, as far as that is known. */
  long leftBytes() {
    return left.stream().mapToLong(Left::bytes).sum();
  }
}
