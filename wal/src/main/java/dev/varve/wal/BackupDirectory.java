package dev.varve.wal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The directory in which backups lie, each a directory named after its time: {@code
 * backup-20240131T235959.123Z}, and {@code .tmp} behind that until it is complete.
 *
 * <p>For one worker at a time.
 */
public final class BackupDirectory {
  /*
   * A backup has that name only while it is whole: it gets it by a rename when all in it is
   * durable, and before it is deleted it loses it by another. What has the other name was left by a
   * crash. Whatever is deleted is locked before, so that neither the directory of a running server
   * goes, which may have been started on a backup, nor what another one is making.
   */

  private static final Pattern NAME = Pattern.compile("backup-\\d{8}T\\d{6}\\.\\d{3}Z");
  private static final DateTimeFormatter NAMES =
      DateTimeFormatter.ofPattern("'backup-'yyyyMMdd'T'HHmmss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final Path path;

  /**
   * @param path is created when it is needed
   */
  public BackupDirectory(String path) {
    this.path = Path.of(path).toAbsolutePath().normalize();
  }

  /**
   * Creates it if it is not there.
   *
   * @throws IOException when it cannot be a directory, or nothing can be put there
   */
  public void require() throws IOException {
    RealStorageDirectory.open(path).close();
    if (!Files.isWritable(path)) {
      throw new AccessDeniedException(path.toString());
    }
  }

  /**
   * Begins a backup, after it has deleted what a crash has left of others; locked until it ends.
   */
  public UnfinishedDirectory begin(long millis) throws IOException {
    require();
    for (String left : names(UnfinishedDirectory.SUFFIX)) {
      delete(path.resolve(left));
    }
    long free = millis;
    String name = name(free);
    while (Files.exists(path.resolve(name)) || Files.exists(unfinished(name))) {
      name = name(++free);
    }
    UnfinishedDirectory begun = new UnfinishedDirectory(path.resolve(name));
    begun.lock();
    return begun;
  }

  private static String name(long millis) {
    return NAMES.format(Instant.ofEpochMilli(millis));
  }

  private Path unfinished(String name) {
    return UnfinishedDirectory.of(path.resolve(name));
  }

  /**
   * Deletes all but {@code newest} and those of the latest names, {@code count} together. One that
   * a server runs on stays, and one in which somebody has put directories.
   *
   * @param newest stays whatever its name: clocks are set back
   */
  public void keep(int count, String newest) throws IOException {
    List<String> others = names("");
    others.remove(newest);
    others.sort(Comparator.reverseOrder());
    for (String name : others.subList(Math.min(count - 1, others.size()), others.size())) {
      delete(path.resolve(name));
    }
  }

  /** The names of directories that are backups, with that behind them. */
  private List<String> names(String suffix) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path entry : DirectoryEntries.of(path)) {
      String name = entry.getFileName().toString();
      if (name.endsWith(suffix)
          && NAME.matcher(name.substring(0, name.length() - suffix.length())).matches()
          && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        names.add(name);
      }
    }
    return names;
  }

  private void delete(Path backup) throws IOException {
    if (hasDirectories(backup)) {
      return;
    }
    try (RealStorageDirectory its = RealStorageDirectory.open(backup)) {
      its.lock();
      Path doomed = backup;
      if (!backup.toString().endsWith(UnfinishedDirectory.SUFFIX)) {
        doomed = unfinished(backup.getFileName().toString());
        Files.move(backup, doomed, StandardCopyOption.ATOMIC_MOVE);
        // Before any file of it: half of one must not come back under the name of a whole one.
        RealStorageDirectory.syncDirectory(path);
      }
      UnfinishedDirectory.delete(doomed);
    } catch (DirectoryLockedException inUse) {
      return;
    }
  }

  private static boolean hasDirectories(Path backup) throws IOException {
    for (Path entry : DirectoryEntries.of(backup)) {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
    }
    return false;
  }
}
