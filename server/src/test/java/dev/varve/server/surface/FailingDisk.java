package dev.varve.server.surface;

import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A directory on a disk that fails now and then, where files are changed.
 *
 * <p>Belongs to one thread, but for {@link #directory}.
 */
final class FailingDisk {
  /** The calls that change a file, or a name. */
  static final List<Kind> CHANGES =
      List.of(
          Kind.CREATE,
          Kind.RENAME,
          Kind.DELETE,
          Kind.SYNC_DIRECTORY,
          Kind.WRITE,
          Kind.TRUNCATE,
          Kind.SYNC_FILE);

  private static final int CALLS_MAX = 40;
  private static final int REST_MILLIS_MAX = 150;

  private final FailingStorageDirectory directory;
  private final SplittableRandom random;

  FailingDisk(Path path, SplittableRandom random) throws IOException {
    this.directory = new FailingStorageDirectory(RealStorageDirectory.open(path));
    this.random = random;
  }

  StorageDirectory directory() {
    return directory;
  }

  /** After a rest a call fails, or all do for a while; then all is well. */
  void failForAWhile() throws InterruptedException {
    Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    Kind any = CHANGES.get(random.nextInt(CHANGES.size()));
    List<Kind> kinds = random.nextBoolean() ? CHANGES : List.of(any);
    IOException failure = new IOException("a disk that fails");
    if (random.nextBoolean()) {
      directory.failMatching(
          call -> kinds.contains(call.kind()), random.nextInt(CALLS_MAX), failure);
    } else {
      directory.failAll(call -> kinds.contains(call.kind()), failure);
    }
    if (random.nextBoolean()) {
      directory.writeShort();
    }
    Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    directory.heal();
  }
}
