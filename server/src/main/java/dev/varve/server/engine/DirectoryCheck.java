package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.check.ContentCheck;
import dev.varve.codec.check.Inconsistency;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.TreeCheck;
import dev.varve.lsm.TreeImage;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.wal.DirectoryLockedException;
import dev.varve.wal.FormatTooNewException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Reads all of a directory that no server uses, and finds what is damaged; where nothing is,
 * whether all of it hangs together. Changes nothing. Any thread.
 */
public final class DirectoryCheck {
  /** Of more than that only the number is told: one mistake may have brought about all of them. */
  private static final int NAMED_MAX = 1000;

  /**
   * What was found.
   *
   * @param damage what is wrong with files, naming file and offset
   * @param inconsistencies what does not hang together, the first {@value #NAMED_MAX}
   * @param inconsistencyCount how many there are
   */
  public record Findings(
      List<IOException> damage, List<Inconsistency> inconsistencies, long inconsistencyCount) {

    /** Whether nothing is wrong. */
    public boolean isSound() {
      return damage.isEmpty() && inconsistencyCount == 0;
    }

    /**
     * All of it in one line. What a later release wrote is not damaged: nobody should put an older
     * copy over it.
     */
    public String verdict() {
      long newer = damage.stream().filter(FormatTooNewException.class::isInstance).count();
      long damaged = damage.size() - newer;
      if (newer > 0) {
        return "written by a later release, which can check it; "
            + (damaged == 0 ? "no damage in what this one can read" : places(damaged));
      }
      if (damaged > 0) {
        return places(damaged);
      }
      return inconsistencyCount == 0
          ? "no damage"
          : "no damage, but what is stored does not agree with itself in "
              + (inconsistencyCount == 1 ? "1 place" : inconsistencyCount + " places");
    }

    private static String places(long places) {
      return places == 1 ? "damaged in 1 place" : "damaged in " + places + " places";
    }
  }

  private DirectoryCheck() {}

  /**
   * Checks it.
   *
   * @param onRead is told in one line each what was read
   * @throws IOException when there is no data of Varve, or a server uses it
   */
  public static Findings run(StorageDirectory directory, Consumer<String> onRead)
      throws IOException {
    TreeCheck.requireTree(directory);
    boolean isLocked = directory.lockToRead();
    OffHeap memory = new OffHeap();
    List<IOException> damage = TreeCheck.run(directory, StoredKeyOrder.INSTANCE, memory, onRead);
    Findings findings =
        damage.isEmpty()
            ? checkContent(directory, memory, onRead)
            : new Findings(damage, List.of(), 0);
    if (!isLocked && directory.lockToRead()) {
      // A server has come meanwhile, the first one: what was read is of no one moment.
      throw new DirectoryLockedException(directory.path());
    }
    return findings;
  }

  private static Findings checkContent(
      StorageDirectory directory, OffHeap memory, Consumer<String> onRead) throws IOException {
    List<Inconsistency> named = new ArrayList<>();
    try (TreeImage image = StoredData.image(directory, memory);
        StoreView view = new TreeView(image.snapshot())) {
      ContentCheck.Summary summary =
          ContentCheck.run(
              view,
              image::counter,
              Databases.COUNT_MAX,
              found -> {
                if (named.size() < NAMED_MAX) {
                  named.add(found);
                }
              });
      onRead.accept(
          String.format(
              Locale.ROOT, "content: %d keys, %d entries", summary.keys(), summary.entries()));
      return new Findings(List.of(), named, summary.inconsistencies());
    } catch (ReadFailure failure) {
      // What was whole a moment ago: a disk that fails, or a server that has come.
      return new Findings(List.of(failure.getCause()), List.of(), 0);
    }
  }
}
