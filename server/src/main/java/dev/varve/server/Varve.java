package dev.varve.server;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.config.CommandLine;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.FileProblem;
import dev.varve.server.config.MemoryPlan;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.WithoutEffect;
import dev.varve.server.engine.DirectoryCheck;
import dev.varve.server.engine.TreeEngine;
import dev.varve.server.net.RespServer;
import dev.varve.wal.BackupDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program: reads its parameters, opens the data, serves until it is told to stop.
 *
 * <p>The main thread starts the server and ends; the hook that the runtime calls at SIGTERM, at
 * SIGINT and after SHUTDOWN stops it.
 */
public final class Varve {
  /** A sync of the log then has its length to write every thousandth time. */
  private static final long LOG_AHEAD_BYTES = 1 << 20;

  private static final int EXIT_REFUSED = 1;
  private static final String NETTY_MAY_REFLECT = "io.netty.tryReflectionSetAccessible";

  private Varve() {}

  /** See {@link CommandLine}. */
  public static void main(String[] arguments) {
    CommandLine line;
    try {
      line = CommandLine.parse(arguments);
    } catch (ConfigException wrong) {
      refuse(wrong.getMessage());
      return;
    }
    switch (line.wish()) {
      case HELP -> System.out.print(CommandLine.help());
      case VERSION -> System.out.println("Varve " + version());
      case CHECK -> check(line.settings());
      case IMPORT, EXPORT -> move(line);
      case SERVE -> serve(line);
    }
  }

  private static void refuse(@Nullable String why) {
    System.err.println("varve: " + why);
    System.exit(EXIT_REFUSED);
  }

  private static void check(Settings settings) {
    LogOutput.configure(settings);
    Path path = Path.of(settings.text(Parameters.DIRECTORY));
    if (!Files.isDirectory(path)) {
      refuse(path + ": no such directory");
      return;
    }
    try (RealStorageDirectory directory = RealStorageDirectory.open(path)) {
      DirectoryCheck.Findings findings = DirectoryCheck.run(directory, System.out::println);
      findings.damage().forEach(each -> System.out.println(FileProblem.describe(each)));
      findings.inconsistencies().forEach(System.out::println);
      System.out.println(findings.verdict());
      System.exit(findings.isSound() ? 0 : EXIT_REFUSED);
    } catch (IOException failure) {
      refuse(FileProblem.describe(failure));
    }
  }

  private static void move(CommandLine line) {
    Settings settings = line.settings();
    LogOutput.configure(settings);
    Path file = line.rdbFile();
    try {
      if (line.wish() == CommandLine.Wish.IMPORT) {
        Import.run(file, settings, System.out);
      } else {
        Export.run(file, settings, System.out);
      }
    } catch (IOException failure) {
      refuse(FileProblem.describe(failure));
    } catch (OutOfMemoryError tooLittle) {
      refuse("the heap is too small for one of the values: -Xmx gives it more");
    }
  }

  private static void serve(CommandLine line) {
    Settings settings = line.settings();
    LogOutput.configure(settings);
    leaveBuffersUncleared();
    Thread.setDefaultUncaughtExceptionHandler(new ThreadEnd(Runtime.getRuntime()::halt));
    try {
      RespServer.requireAddresses(settings);
      requireBackups(settings);
      TreeEngine engine = open(settings);
      settings.nameDirectoryInFull();
      RespServer server = listen(line, engine);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "varve-stop"));
      greet(System.out, settings, engine, server);
    } catch (IOException failure) {
      refuse(FileProblem.describe(failure));
    }
  }

  /**
   * Lets Netty have buffers as the system gives them, which the jar's manifest opens the JDK for: a
   * reply fills what it takes, and to write zeroes there first is a tenth of the time of long ones.
   * Before the first class of Netty's.
   */
  private static void leaveBuffersUncleared() {
    if (System.getProperty(NETTY_MAY_REFLECT) == null) {
      System.setProperty(NETTY_MAY_REFLECT, "true");
    }
  }

  /**
   * Whoever has named a directory for backups is told now, and not by the first one, if it is none.
   */
  private static void requireBackups(Settings settings) throws IOException {
    String path = settings.text(Parameters.BACKUP_DIRECTORY);
    if (path.isEmpty()) {
      return;
    }
    try {
      new BackupDirectory(path).require();
    } catch (IOException failure) {
      throw new IOException("backup-dir: " + FileProblem.describe(failure), failure);
    }
  }

  private static TreeEngine open(Settings settings) throws IOException {
    Path path = Path.of(settings.text(Parameters.DIRECTORY));
    RealStorageDirectory directory =
        settings.text(Parameters.DIRECT_READS).equals("yes")
            ? RealStorageDirectory.openForDirectReads(path)
            : RealStorageDirectory.open(path);
    return TreeEngine.openWithBallast(
        directory,
        treeOptions(settings).logAheadBytes(logAheadBytes(settings)),
        new OffHeap(),
        settings.integer(Parameters.DATABASES));
  }

  /** How large its parts are, by the memory that there is for them. */
  static TreeOptions.Builder treeOptions(Settings settings) {
    MemoryPlan plan = MemoryPlan.of(settings.number(Parameters.MAXMEMORY), machineBytes());
    return TreeOptions.builder()
        .memtableBytesMax(plan.memtableBytes())
        .immutableMemtablesMax(plan.immutableMemtables())
        .blockCacheBytesMax(plan.blockCacheBytes());
  }

  /** Where each sync is waited for, it is worth to write the log twice. */
  private static long logAheadBytes(Settings settings) {
    return settings.text(Parameters.APPENDFSYNC).equals("always") ? LOG_AHEAD_BYTES : 0;
  }

  private static RespServer listen(CommandLine line, TreeEngine engine) throws IOException {
    Path file = line.file();
    RespServer.Surroundings surroundings =
        new RespServer.Surroundings(
            table -> {},
            // Not on the loop that asks for it: the hook waits for the loops.
            () -> new Thread(() -> System.exit(0), "varve-shutdown").start(),
            file == null ? "" : file.toAbsolutePath().toString(),
            version());
    try {
      return RespServer.start(line.settings(), engine, System::currentTimeMillis, surroundings);
    } catch (IOException failure) {
      engine.close();
      throw failure;
    } catch (ReadFailure failure) {
      // A damaged block, met while the databases' names were read.
      engine.close();
      throw failure.getCause();
    }
  }

  /** Where it listens. */
  private static String places(Settings settings, RespServer server) {
    List<String> places = new ArrayList<>();
    if (server.port() > 0) {
      places.add("port " + server.port());
    }
    if (server.tlsPort() > 0) {
      places.add("TLS port " + server.tlsPort());
    }
    String ports =
        places.isEmpty() ? "" : settings.text(Parameters.BIND) + ' ' + String.join(", ", places);
    String file = server.unixSocket();
    return file == null ? ports : ports + (ports.isEmpty() ? "" : ", ") + "Unix socket " + file;
  }

  private static void greet(
      PrintStream out, Settings settings, TreeEngine engine, RespServer server) {
    var found = engine.recovery();
    out.printf("Varve %s, pid %d%n", version(), ProcessHandle.current().pid());
    out.printf(
        "data in %s: %s%n",
        Path.of(settings.text(Parameters.DIRECTORY)).toAbsolutePath().normalize(),
        found.created()
            ? "new"
            : String.format(
                Locale.ROOT,
                "%d tables of %,d bytes, %,d batches from the log, recovered in %,d ms",
                found.tables(),
                found.tableBytes(),
                found.logBatches(),
                found.millis()));
    if (found.cutBytes() > 0) {
      out.printf(
          "log %s ended in the middle of a record that was never synced: %,d bytes cut%n",
          found.tornFile(), found.cutBytes());
    }
    List<String> withoutEffect = WithoutEffect.in(settings);
    if (!withoutEffect.isEmpty()) {
      out.println("taken, but without effect here: " + String.join(", ", withoutEffect));
    }
    OpenFiles.warning(OpenFiles.limit(), settings.number(Parameters.MAXCLIENTS), found.tables())
        .ifPresent(out::println);
    if (settings.isMemoryShort()) {
      out.println("maxmemory is below 8 MiB: no write is taken");
    }
    if (settings.replicasWanted() > 0) {
      out.println(
          "min-replicas-to-write asks for replicas: no write is taken before they are here");
    }
    if (server.areOthersDenied()) {
      out.println(
          "protected-mode: there is no password, so clients of other machines are turned away;"
              + " set requirepass, or protected-mode no");
    }
    out.printf(
        "appendfsync %s; ready on %s%n",
        settings.text(Parameters.APPENDFSYNC), places(settings, server));
    out.flush();
  }

  private static void stop(RespServer server) {
    Logger log = LoggerFactory.getLogger(Varve.class);
    int exit = 0;
    try {
      server.stop();
      log.info("stopped; everything is on disk");
    } catch (IOException | RuntimeException failure) {
      log.error("did not stop cleanly; the next start is as after a kill: {}", failure.toString());
      exit = EXIT_REFUSED;
    }
    System.out.flush();
    // As redis-server: a stop that was asked for, by a signal too, is a success.
    Runtime.getRuntime().halt(exit);
  }

  private static long machineBytes() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  private static String version() {
    String version = Varve.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }
}
