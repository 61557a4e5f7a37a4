package dev.varve.perf.soak;

import dev.varve.perf.engine.DiskUse;
import dev.varve.perf.server.RespConnection;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code soak}: nothing is lost, and nothing grows, over a long time. */
@Command(
    name = "soak",
    description = "A mixed load with kills, stops and starts, held against a model all the time.",
    mixinStandardHelpOptions = true)
public final class SoakCommand implements Callable<Integer> {

  /** Expiring keys are gone by then, and so counted no longer. */
  private static final long EXPIRY_SECONDS = 4;

  @Option(names = "--jar", description = "the runnable server (default ${DEFAULT-VALUE})")
  private Path jar = Path.of("server", "target", "varve.jar");

  @Option(names = "--minutes", description = "how long (default ${DEFAULT-VALUE})")
  private double minutes = 60;

  @Option(names = "--clients", description = "connections that write (default ${DEFAULT-VALUE})")
  private int clientCount = 4;

  @Option(
      names = "--life-seconds",
      description = "from one start to the next (default ${DEFAULT-VALUE})")
  private long lifeSeconds = 150;

  @Option(names = "--sample-seconds", description = "between two looks (default ${DEFAULT-VALUE})")
  private long sampleSeconds = 15;

  @Option(names = "--seed", description = "of the commands (default: random)")
  private long seed = System.nanoTime();

  @Option(names = "--dir", description = "where to work (default: the system's temporary folder)")
  private @Nullable Path parent;

  @Option(
      names = "--server-option",
      description = "a word for the server's command line, may be repeated")
  private List<String> options = new ArrayList<>(List.of("--maxmemory", "32mb"));

  /** For picocli. */
  public SoakCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintStream out = System.out;
    Path under = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    Path home = Files.createTempDirectory(under, "varve-soak-");
    out.printf("soak of %.1f minutes, --seed %d, in %s%n", minutes, seed, home);
    List<SoakClient> clients = new ArrayList<>();
    for (int i = 0; i < clientCount; i++) {
      clients.add(new SoakClient(i, seed));
    }
    SoakGauges gauges = new SoakGauges(out);
    gauges.printHead();
    long start = System.nanoTime();
    int lives = 0;
    while (minutesSince(start) < minutes) {
      live(home, clients, gauges, start, lives++);
    }
    long keys = check(home, clients, lives);
    boolean sound = gauges.judge();
    out.printf(
        "held: %d lives, %,d commands, %,d keys at the end, all as the model says%n",
        lives, commands(clients), keys);
    DiskUse.delete(home);
    return sound ? 0 : 1;
  }

  private static double minutesSince(long start) {
    return (System.nanoTime() - start) / 60e9;
  }

  private SoakServer start(Path home, int life) throws IOException {
    List<String> words = new ArrayList<>(options);
    words.addAll(List.of("--appendfsync", life % 3 == 2 ? "always" : "everysec"));
    words.addAll(List.of("--io-threads", life % 2 == 1 ? "2" : "1"));
    return SoakServer.start(jar, home, List.of("-Xmx128m", "-XX:+UseSerialGC"), words);
  }

  private void live(Path home, List<SoakClient> clients, SoakGauges gauges, long start, int life)
      throws IOException, InterruptedException {
    try (SoakServer server = start(home, life);
        RespConnection control = server.connect()) {
      List<Thread> threads = new ArrayList<>();
      for (SoakClient client : clients) {
        client.settle(control);
        client.checkEverything(control);
        failIfWrong(client);
        RespConnection connection = server.connect();
        Thread thread = new Thread(() -> client.run(connection), "soak-client");
        thread.start();
        threads.add(thread);
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(lifeSeconds);
      while (System.nanoTime() < end && minutesSince(start) < minutes) {
        TimeUnit.SECONDS.sleep(sampleSeconds);
        gauges.sample(minutesSince(start), commands(clients), server, control);
        for (SoakClient client : clients) {
          failIfWrong(client);
        }
      }
      server.end(life % 2 == 0);
      for (Thread thread : threads) {
        thread.join();
      }
      SoakServer.requireSound(jar, home);
    }
  }

  /** All keys once more, and that there are no others. */
  private long check(Path home, List<SoakClient> clients, int life)
      throws IOException, InterruptedException {
    try (SoakServer server = start(home, life);
        RespConnection control = server.connect()) {
      TimeUnit.SECONDS.sleep(EXPIRY_SECONDS);
      long keys = 0;
      for (SoakClient client : clients) {
        client.settle(control);
        client.checkEverything(control);
        failIfWrong(client);
        keys += client.keys();
      }
      long size = control.ask("DBSIZE");
      if (size != keys) {
        throw new IOException("DBSIZE is " + size + ", but there are " + keys + " keys");
      }
      server.end(false);
      return keys;
    }
  }

  private static void failIfWrong(SoakClient client) throws IOException {
    String wrong = client.wrong();
    if (wrong != null) {
      throw new IOException(wrong);
    }
  }

  private static long commands(List<SoakClient> clients) {
    return clients.stream().mapToLong(SoakClient::commands).sum();
  }
}
