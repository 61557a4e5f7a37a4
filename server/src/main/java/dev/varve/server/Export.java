package dev.varve.server;

import dev.varve.codec.Libraries;
import dev.varve.codec.dump.RdbExport;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.StoredData;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Makes an RDB file, which Redis loads, of a data directory that no server uses, or of a backup. It
 * has its name only when all of it is there.
 *
 * <p>On the main thread.
 */
final class Export {
  private static final String UNFINISHED = ".tmp";

  private Export() {}

  /**
   * Exports a directory.
   *
   * @param file must not be there
   * @param out is told how far it is, and how much there was
   */
  static void run(Path file, Settings settings, PrintStream out) throws IOException {
    Path path = Path.of(settings.text(Parameters.DIRECTORY));
    if (!Files.isDirectory(path)) {
      throw new NotDirectoryException(path.toString());
    }
    if (Files.exists(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    Progress progress = new Progress(out);
    long keys;
    try (RealStorageDirectory directory = RealStorageDirectory.open(path);
        StoredData data = StoredData.open(directory, new OffHeap(), System.currentTimeMillis())) {
      if (data.isPartOfMaster()) {
        throw new IOException(path + " has a part of a master's data only, not all had come");
      }
      keys = write(unfinished, data, progress);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      RealStorageDirectory.syncDirectory(file.toAbsolutePath().resolveSibling(""));
    } catch (ReadFailure damaged) {
      throw damaged.getCause();
    } finally {
      Files.deleteIfExists(unfinished);
    }
    out.printf(
        Locale.ROOT,
        "%,d keys of %s are in %s, %,d bytes, after %.1f s%n",
        keys,
        path.toAbsolutePath().normalize(),
        file,
        Files.size(file),
        progress.seconds());
  }

  private static long write(Path file, StoredData data, Progress progress) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        OutputStream stream = Channels.newOutputStream(channel)) {
      long keys =
          RdbExport.write(
              stream,
              Libraries.load(data.view()),
              data::transaction,
              written -> progress.tell(() -> String.format(Locale.ROOT, "%,d keys", written)));
      channel.force(true);
      return keys;
    }
  }
}
