package dev.varve.server;

import dev.varve.codec.DataException;
import dev.varve.codec.dump.RdbImport;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.BulkLoad;
import dev.varve.server.engine.TreeEngine;
import dev.varve.server.script.StoredLibraries;
import dev.varve.wal.OffHeap;
import dev.varve.wal.UnfinishedDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Makes a data directory of an RDB file. It has its name only when all of it is there: one that was
 * not finished is deleted, by this or by the next.
 *
 * <p>On the main thread.
 */
final class Import {
  private static final double MIB = 1 << 20;

  private Import() {}

  /**
   * Imports a file.
   *
   * @param out is told how far it is, and what there was
   * @throws IOException also where the file is none of Redis's, or the directory holds something:
   *     there is nothing new then
   */
  static void run(Path file, Settings settings, PrintStream out) throws IOException {
    Progress progress = new Progress(out);
    Path directory = Path.of(settings.text(Parameters.DIRECTORY));
    try (InputStream input = Files.newInputStream(file)) {
      RdbImport reading =
          new RdbImport(input, Files.size(file), settings.integer(Parameters.DATABASES));
      RdbImport.Summary found = load(reading, directory, settings, progress);
      out.printf(
          Locale.ROOT,
          "%,d keys of %s are in %s, after %.1f s%n",
          found.keys(),
          file,
          directory.toAbsolutePath().normalize(),
          progress.seconds());
      tell(out, found.libraries(), "libraries of functions with them");
      tell(out, found.expired(), "keys left out that have expired");
      tell(out, found.unreadable(), "keys left out that are of a module's type");
    }
  }

  private static RdbImport.Summary load(
      RdbImport reading, Path directory, Settings settings, Progress progress) throws IOException {
    try (UnfinishedDirectory made = begin(directory)) {
      RdbImport.Summary found;
      try (Loading loading = new Loading(reading, made, settings, progress)) {
        found = reading.run(loading);
      }
      made.complete();
      return found;
    }
  }

  private static void tell(PrintStream out, long count, String what) {
    if (count > 0) {
      out.printf(Locale.ROOT, "%s: %,d%n", what, count);
    }
  }

  private static UnfinishedDirectory begin(Path directory) throws IOException {
    try {
      return UnfinishedDirectory.begin(directory);
    } catch (DirectoryNotEmptyException taken) {
      throw new IOException(
          "the directory " + directory + " is not empty: an import makes a new one", taken);
    }
  }

  /** Writes into the directory, and tells how far that is. */
  private static final class Loading implements RdbImport.Target, AutoCloseable {
    private final BulkLoad load;
    private final RdbImport reading;
    private final Progress progress;

    Loading(RdbImport reading, UnfinishedDirectory made, Settings settings, Progress progress)
        throws IOException {
      int databases = settings.integer(Parameters.DATABASES);
      TreeEngine engine =
          TreeEngine.open(made.files(), Varve.treeOptions(settings), new OffHeap(), databases);
      this.load =
          new BulkLoad(engine, settings.packedLimits(), databases, System.currentTimeMillis());
      this.reading = reading;
      this.progress = progress;
    }

    @Override
    public void write(RdbImport.Change change) throws IOException {
      load.write(change::run);
      change.applied();
      progress.tell(
          () ->
              String.format(
                  Locale.ROOT,
                  "%,d keys, %.0f of %.0f MiB",
                  reading.keys(),
                  reading.readBytes() / MIB,
                  reading.length() / MIB));
    }

    @Override
    public void library(byte[] code) throws IOException {
      try {
        load.write(transaction -> StoredLibraries.put(transaction, code));
      } catch (DataException wrong) {
        throw new IOException("a library of functions: " + wrong.getMessage(), wrong);
      }
    }

    @Override
    public void finish() throws IOException {
      load.finish();
    }

    @Override
    public void close() throws IOException {
      load.close();
    }
  }
}
