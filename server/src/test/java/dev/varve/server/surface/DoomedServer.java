package dev.varve.server.surface;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A program: a server that ends in the midst of a call that changes its files, if it is not killed
 * before. What is written in one call is there, or is not.
 */
public final class DoomedServer {
  /** As that of a process that is killed. */
  static final int EXIT = 128 + 9;

  private static final int CALL_BITS_MAX = 16;
  private static final int REST_MILLIS_MAX = 20;

  private DoomedServer() {}

  /**
   * @param arguments the directory, that of backups, a seed of settings and of what happens when,
   *     and whether it may end by itself
   */
  public static void main(String[] arguments) throws Exception {
    SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
    Settings settings = SurfaceDifferentialTest.settings(random);
    settings.set(Parameters.BACKUP_DIRECTORY, arguments[1]);
    StorageDirectory directory = RealStorageDirectory.open(Path.of(arguments[0]));
    if (Boolean.parseBoolean(arguments[3]) && random.nextInt(3) > 0) {
      directory = endingAt(random.nextLong(1L << random.nextInt(CALL_BITS_MAX)), directory);
    }
    RespServer varve =
        SurfaceDifferentialTest.varve(
            directory, SurfaceDifferentialTest.memoryBytes(random), settings);
    System.out.println("ready on 127.0.0.1 port " + varve.port());
    while (ProcessHandle.current().parent().isPresent()) {
      OtherClients.leave(varve.keyspace(), random);
      Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    }
  }

  private static StorageDirectory endingAt(long call, StorageDirectory inner) {
    FailingStorageDirectory directory = new FailingStorageDirectory(inner);
    AtomicLong left = new AtomicLong(call);
    directory.failMatching(
        its -> {
          if (FailingDisk.CHANGES.contains(its.kind()) && left.getAndDecrement() == 0) {
            Runtime.getRuntime().halt(EXIT);
          }
          return false;
        },
        1,
        new IOException("none fails"));
    return directory;
  }
}
