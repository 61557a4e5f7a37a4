package dev.varve.server.engine;

import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of no use but its size: a server that finds its disk full gives it up to be able to start,
 * and serves reads until there is space again.
 *
 * <p>Any thread asks {@link #isReleased}; the rest is for one thread at a time, which may wait for
 * the disk.
 */
final class Ballast {
  /** The name of the file. */
  static final String FILE = "BALLAST";

  /** More than an edit of the manifest, or a new one, and a fresh log need. */
  static final int BYTES = 1 << 20;

  /** It comes back once this many times as much is free: others need space too. */
  private static final int ROOM_FACTOR = 2;

  /** It is looked for no more often. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);

  private final StorageDirectory directory;
  private final LongSupplier nanoClock;
  private volatile boolean isReleased;
  private boolean isThere;
  private long nextLookNanos;

  Ballast(StorageDirectory directory, LongSupplier nanoClock) {
    this.directory = directory;
    this.nanoClock = nanoClock;
    this.nextLookNanos = nanoClock.getAsLong();
  }

  /** Whether it was given up, and there is no space to bring it back. */
  boolean isReleased() {
    return isReleased;
  }

  /**
   * Gives it up, if the disk is full and there is one; whether something that failed may work now.
   */
  boolean releaseIfFull() throws IOException {
    if (directory.usableBytes() >= BYTES || !directory.exists(FILE)) {
      return false;
    }
    directory.delete(FILE);
    isReleased = true;
    LOG.warn("the disk is full: the ballast file was given up");
    return true;
  }

  /** Makes it if there is none and there is space; a disk that fills up meanwhile is no error. */
  void keep() throws IOException {
    long now = nanoClock.getAsLong();
    if (isThere || now - nextLookNanos < 0) {
      return;
    }
    nextLookNanos = now + LOOK_NANOS;
    if (!isWhole()) {
      directory.delete(FILE);
      if (directory.usableBytes() < (long) ROOM_FACTOR * BYTES) {
        return;
      }
      try {
        make();
      } catch (IOException full) {
        directory.delete(FILE);
        LOG.warn("no ballast file: {}", full.getMessage());
        return;
      }
    }
    isThere = true;
    isReleased = false;
  }

  private boolean isWhole() throws IOException {
    if (!directory.exists(FILE)) {
      return false;
    }
    try (StorageFile file = directory.openReadOnly(FILE)) {
      return file.length() == BYTES;
    }
  }

  private void make() throws IOException {
    // File systems that compress would keep nothing for zeroes.
    byte[] noise = new byte[BYTES];
    new SplittableRandom().nextBytes(noise);
    try (StorageFile file = directory.create(FILE)) {
      file.writeFully(ByteBuffer.wrap(noise), 0);
      file.sync();
    }
    directory.sync();
  }
}
