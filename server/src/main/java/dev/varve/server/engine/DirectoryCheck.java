package dev.varve.server.engine;

import dev.varve.lsm.TreeCheck;
import dev.varve.wal.DirectoryLockedException;
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
}
