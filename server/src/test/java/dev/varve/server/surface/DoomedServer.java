package dev.varve.server.surface;

import dev.varve.server.ServerProcess;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

  /** What may happen to it. */
  enum Doom {
    /** It ends by itself. */
    MAY_END,
    /** Calls that change files fail, once it is ready. */
    DISK_FAILS
  }

  private DoomedServer() {}

  /** Begins one in a process of its own. */
  static ServerProcess begin(Path directory, Path backups, long seed, Set<Doom> dooms)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(directory.toString());
    arguments.add(backups.toString());
    arguments.add(Long.toString(seed));
    dooms.forEach(doom -> arguments.add(doom.name()));
    return ServerProcess.beginAnother(DoomedServer.class, arguments.toArray(String[]::new));
  }

  /**
   * @param arguments the directory, that of backups, a seed of settings and of what happens when,
   *     and {@link Doom}s
   */
  public static void main(String[] arguments) throws Exception {
    List<String> dooms = List.of(arguments).subList(3, arguments.length);
    SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
    Settings settings = SurfaceDifferentialTest.settings(random);
    settings.set(Parameters.BACKUP_DIRECTORY, arguments[1]);
    StorageDirectory directory = RealStorageDirectory.open(Path.of(arguments[0]));
    if (dooms.contains(Doom.MAY_END.name()) && random.nextInt(3) > 0) {
      directory = endingAt(random.nextLong(1L << random.nextInt(CALL_BITS_MAX)), directory);
    }
    FailingDisk disk = new FailingDisk(directory, FailingDisk.CHANGES, random.split());
    RespServer varve =
        SurfaceDifferentialTest.varve(
            disk.directory(), SurfaceDifferentialTest.memoryBytes(random), settings);
    System.out.println("ready on 127.0.0.1 port " + varve.port());
    while (ProcessHandle.current().parent().isPresent()) {
      OtherClients.leave(varve.keyspace(), random);
      if (dooms.contains(Doom.DISK_FAILS.name())) {
        disk.ailForAWhile();
      } else {
        Thread.sleep(random.nextInt(REST_MILLIS_MAX));
      }
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
