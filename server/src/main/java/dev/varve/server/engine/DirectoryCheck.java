package dev.varve.server.engine;

import dev.varve.lsm.TreeCheck;
import dev.varve.wal.DirectoryLockedException;
import dev.varve.wal.FormatTooNewException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads all of a directory that no server uses, and finds what is damaged; changes nothing. Any
 * thread.
 */
public final class DirectoryCheck {
  private DirectoryCheck() {}

  /**
   * Checks it.
   *
   * @param onRead is told in one line each what was read
   * @return what is wrong, naming file and offset; empty if nothing is
   * @throws IOException when there is no data of Varve, or a server uses it
   */
  public static List<IOException> run(StorageDirectory directory, Consumer<String> onRead)
      throws IOException {
    TreeCheck.requireTree(directory);
    boolean isLocked = directory.lockToRead();
    List<IOException> damage =
        TreeCheck.run(directory, StoredKeyOrder.INSTANCE, new OffHeap(), onRead);
    if (!isLocked && directory.lockToRead()) {
      // A server has come meanwhile, the first one: what was read is of no one moment.
      throw new DirectoryLockedException(directory.path());
    }
    return damage;
  }

  /**
   * What was found, in one line. What a later release wrote is not damaged: nobody should put an
   * older copy over it.
   */
  public static String verdict(List<IOException> found) {
    long newer = found.stream().filter(FormatTooNewException.class::isInstance).count();
    long damaged = found.size() - newer;
    if (newer > 0) {
      return "written by a later release, which can check it; "
          + (damaged == 0 ? "no damage in what this one can read" : damaged(damaged));
    }
    return damaged == 0 ? "no damage" : damaged(damaged);
  }

  private static String damaged(long places) {
    return places == 1 ? "damaged in 1 place" : "damaged in " + places + " places";
  }
}
