package dev.varve.server.engine;

import dev.varve.wal.BackupDirectory;
import dev.varve.wal.UnfinishedDirectory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backups of a running server: makes one, and lets go of older ones. For one worker at a time.
 */
public final class Backups {
  private static final Logger LOG = LoggerFactory.getLogger(Backups.class);

  private final Engine engine;
  private final BackupDirectory directory;
  private final IntSupplier keep;
  private final LongSupplier clock;

  /**
   * @param keep how many there are to be, the new one too
   * @param clock ms since 1970
   */
  public Backups(Engine engine, BackupDirectory directory, IntSupplier keep, LongSupplier clock) {
    this.engine = engine;
    this.directory = directory;
    this.keep = keep;
    this.clock = clock;
  }

  /**
   * Makes a backup of all that is committed by now, then deletes those beyond what is kept, unless
   * the data is known to be damaged: what is copied is not looked at.
   *
   * @throws IOException when there is no new backup, or an old one cannot be deleted
   */
  public void make() throws IOException {
    long startedNanos = System.nanoTime();
    try (UnfinishedDirectory backup = directory.begin(clock.getAsLong())) {
      engine.checkpoint(backup.files());
      backup.complete();
      LOG.info(
          "backup {} is complete after {} ms",
          backup.name(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos));
      long damaged = engine.corruptBlocks();
      if (damaged > 0) {
        LOG.warn(
            "older backups stay: {} damaged blocks were met here, and the new one may have them;"
                + " --check says",
            damaged);
        return;
      }
      // Not before there is a new one.
      directory.keep(keep.getAsInt(), backup.name());
    }
  }
}
