package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import dev.varve.server.SoundDirectory;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers of Varve and a redis-server 7.0 take over from one another, follow one another in a
 * row, and are stopped and started again: all have the same, and where nobody was lost nobody is
 * sent all data again.
 *
 * <p>{@code -Dvarve.takeover.steps=1000} for so many, {@code -Dvarve.seed=…} for the same again.
 */
class TakeOverDifferentialTest {
  private static final int LAST_KEYS = 20;
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int STEPS = Integer.getInteger("varve.takeover.steps", 20);
  private static final int COMMANDS_PER_ROUND = 600;
  private static final long SECONDS_MAX = 20;
  private static final String STATE = "master_failover_state";
  private static final String OFFSET = "master_repl_offset";
  private static final String BACKLOG_BYTES = "67108864";

  /**
   * What Redis 7.0 tells as it is: it has consumers of streams, and strings that BITFIELD has made
   * without a change, of which those who follow it do not hear.
   */
  static final Set<String> TOLD =
      Set.of(
          "APPEND",
          "COPY",
          "DEL",
          "HDEL",
          "HSET",
          "INCRBY",
          "LPOP",
          "LPUSH",
          "LREM",
          "MOVE",
          "MSET",
          "PERSIST",
          "RENAME",
          "RPUSH",
          "SADD",
          "SELECT",
          "SET",
          "SETRANGE",
          "SMOVE",
          "SREM",
          "ZADD",
          "ZINCRBY",
          "ZREM");

  @TempDir private Path path;

  /** A server, whichever it is. */
  private abstract static class Node implements AutoCloseable {
    final String name;
    WireClient client;

    Node(String name, int port) throws IOException {
      this.name = name;
      this.client = new WireClient(name, port);
    }

    abstract int port();

    String ask(String... request) throws IOException {
      return Copies.ask(client, request);
    }

    void follow(Node other) throws Exception {
      ask("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
    }

    /** How many servers it has sent all data. */
    int fulls() throws IOException {
      return Integer.parseInt(info("sync_full"));
    }

    String info(String field) throws IOException {
      for (String line : ask("INFO", "everything").split("\r\n")) {
        if (line.startsWith(field + ":")) {
          return line.substring(field.length() + 1);
        }
      }
      throw new IOException(field);
    }

    /** Whether that one follows it, and no other. */
    boolean leads(Node other) {
      try {
        return other.info("master_port").equals(Integer.toString(port()));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    @Override
    public String toString() {
      return name;
    }

    @Override
    public void close() throws IOException {
      client.close();
    }
  }

  private static final class Redis extends Node {
    private final RedisOracle redis;

    Redis(RedisOracle redis) throws IOException {
      super("redis", redis.port());
      this.redis = redis;
      ask("CONFIG", "SET", "repl-backlog-size", BACKLOG_BYTES);
    }

    @Override
    int port() {
      return redis.port();
    }
  }

  private static final class Varve extends Node {
    /** One after the other, so that all of them take over from all. */
    private static final List<String> SYNCS = List.of("everysec", "always", "no");

    private static int starts;

    private final Path directory;
    private RespServer server;

    static Varve start(String name, Path directory) throws Exception {
      return new Varve(name, directory, start(directory, ""));
    }

    private Varve(String name, Path directory, RespServer server) throws IOException {
      super(name, server.port());
      this.directory = directory;
      this.server = server;
    }

    private static RespServer start(Path directory, String master) throws Exception {
      Settings settings = new Settings();
      settings.set(ReplicationParameters.BACKLOG_SIZE, BACKLOG_BYTES);
      settings.set(ReplicationParameters.REPLICAOF, master);
      settings.set(Parameters.APPENDFSYNC, SYNCS.get(starts++ % SYNCS.size()));
      RespServer server =
          SurfaceDifferentialTest.varve(
              directory, SurfaceDifferentialTest.IN_MEMORY_BYTES, settings);
      SurfaceDifferentialTest.writesLeave(server, new SplittableRandom(SEED + starts));
      return server;
    }

    /** Stops it as SHUTDOWN does, and starts it again as one that follows that server, or none. */
    void restart(Node master) throws Exception {
      client.close();
      server.stop();
      SoundDirectory.assertSound(directory);
      server = start(directory, master == this ? "" : "127.0.0.1 " + master.port());
      client = new WireClient(name, server.port());
    }

    @Override
    int port() {
      return server.port();
    }

    @Override
    public void close() throws IOException {
      super.close();
      server.stop();
      SoundDirectory.assertSound(directory);
    }
  }

  @Test
  void whoTakesOverHasWhatTheOthersHave() throws Exception {
    System.out.printf(
        "TakeOverDifferentialTest -Dvarve.seed=%d -Dvarve.takeover.steps=%d%n", SEED, STEPS);
    SplittableRandom random = new SplittableRandom(SEED);
    try (RedisOracle oracle = RedisOracle.start(Files.createDirectory(path.resolve("redis")));
        Redis redis = new Redis(oracle);
        Varve first = Varve.start("first", path.resolve("first"));
        Varve second = Varve.start("second", path.resolve("second"))) {
      List<Node> nodes = new ArrayList<>(List.of(first, second, redis));
      second.follow(first);
      redis.follow(first);
      compare(nodes);
      for (int step = 0; step < STEPS; step++) {
        work(nodes.get(0), random);
        String what = "step " + step + ": ";
        switch (random.nextInt(7)) {
          case 0, 1 -> what += failOver(nodes, random);
          case 2 -> what += handOver(nodes, random);
          case 3 -> what += takeOver(nodes, random);
          case 4 -> what += followInARow(nodes);
          default -> what += restart(nodes, random.nextBoolean() ? first : second);
        }
        System.out.println(what);
        work(nodes.get(0), random);
        compare(nodes);
      }
      for (Node node : nodes) {
        String errors = node.ask("INFO", "replication");
        assertEquals(
            errors.indexOf("requests_failed"), errors.indexOf("requests_failed:0"), errors);
      }
    }
  }

  private static void work(Node master, SplittableRandom random) throws IOException {
    boolean tellsAll = master instanceof Varve;
    Copies.round(
        master.client, random, COMMANDS_PER_ROUND, name -> tellsAll || TOLD.contains(name));
  }

  private static void compare(List<Node> nodes) throws Exception {
    WireClient master = nodes.get(0).client;
    for (Node node : nodes.subList(1, nodes.size())) {
      Copies.awaitOffset(master, node.client);
    }
    for (Node node : nodes.subList(1, nodes.size())) {
      Copies.compare(master, node.client);
    }
  }

  /** Another one is the master from now on, and the others follow it. */
  private static void change(List<Node> nodes, SplittableRandom random) throws Exception {
    Node next = nodes.remove(1 + random.nextInt(nodes.size() - 1));
    next.ask("REPLICAOF", "NO", "ONE");
    nodes.add(0, next);
    followAll(nodes);
  }

  private static void followAll(List<Node> nodes) throws Exception {
    for (Node node : nodes.subList(1, nodes.size())) {
      node.follow(nodes.get(0));
    }
    for (Node node : nodes.subList(1, nodes.size())) {
      Copies.awaitLink(node.client);
    }
  }

  /** When all have the same. */
  private static String handOver(List<Node> nodes, SplittableRandom random) throws Exception {
    compare(nodes);
    List<Integer> before = fulls(nodes);
    List<Node> as = List.copyOf(nodes);
    change(nodes, random);
    assertEquals(before, fulls(as), as + " to " + nodes + ": all data was sent");
    return "handed over to " + nodes;
  }

  /** When they have not yet carried out all that was written. */
  private static String failOver(List<Node> nodes, SplittableRandom random) throws Exception {
    for (Node node : nodes.subList(1, nodes.size())) {
      Copies.awaitLink(node.client);
    }
    List<Node> as = List.copyOf(nodes);
    List<Integer> before = fulls(as);
    Node last = nodes.get(0);
    List<Node> direct = nodes.subList(1, nodes.size()).stream().filter(last::leads).toList();
    Node next = direct.get(random.nextInt(direct.size()));
    String port = Integer.toString(next.port());
    Await.until(
        () -> last.ask("FAILOVER", "TO", "127.0.0.1", port).equals("+OK\r\n"),
        SECONDS_MAX,
        () -> next + " is online for " + last);
    Await.until(
        () -> last.info("role").equals("slave") && last.info(STATE).equals("no-failover"),
        SECONDS_MAX,
        () -> last + " follows " + next);
    nodes.remove(next);
    nodes.add(0, next);
    followAll(nodes);
    assertEquals(before, fulls(as), as + " to " + nodes + ": all data was sent");
    return "failed over to " + nodes;
  }

  private static List<Integer> fulls(List<Node> nodes) throws IOException {
    List<Integer> fulls = new ArrayList<>();
    for (Node node : nodes) {
      fulls.add(node.fulls());
    }
    return fulls;
  }

  /** Whatever they have: who is further than the new one gets all data. */
  private static String takeOver(List<Node> nodes, SplittableRandom random) throws Exception {
    change(nodes, random);
    return "taken over by " + nodes;
  }

  private static String followInARow(List<Node> nodes) throws Exception {
    compare(nodes);
    List<Integer> before = fulls(nodes);
    for (int i = 1; i < nodes.size(); i++) {
      nodes.get(i).follow(nodes.get(i - 1));
      Copies.awaitLink(nodes.get(i).client);
    }
    assertEquals(before, fulls(nodes), nodes + " in a row: all data was sent");
    return "in a row " + nodes;
  }

  /** A link that was lost a moment ago may not be missed yet, and for whom is away nobody waits. */
  private static void awaitAnswers(List<Node> nodes) throws IOException {
    Node master = nodes.get(0);
    master.ask("SET", "answered", "1");
    long direct = nodes.subList(1, nodes.size()).stream().filter(master::leads).count();
    String millis = Long.toString(TimeUnit.SECONDS.toMillis(SECONDS_MAX));
    assertEquals(":" + direct + "\r\n", master.ask("WAIT", Long.toString(direct), millis));
  }

  private static void writeLast(Node master) throws IOException {
    List<List<String>> batch = new ArrayList<>();
    for (int i = 0; i < COMMANDS_PER_ROUND; i++) {
      batch.add(List.of("SET", "last:" + i % LAST_KEYS, Integer.toString(i)));
    }
    master.client.send(batch);
    for (int i = 0; i < batch.size(); i++) {
      master.client.read();
    }
  }

  /** When it has not yet sent, or carried out, all that was written. */
  private static String restart(List<Node> nodes, Varve which) throws Exception {
    awaitAnswers(nodes);
    writeLast(nodes.get(0));
    boolean isMasterOfRow = which == nodes.get(0) && !which.leads(nodes.get(2));
    which.restart(nodes.get(0));
    if (isMasterOfRow) {
      // It has not waited for the last, who has to have what is here before it follows here.
      Await.until(
          () -> nodes.get(2).info(OFFSET).equals(nodes.get(1).info(OFFSET)),
          SECONDS_MAX,
          () -> nodes.get(2) + " has all that " + nodes.get(1) + " has");
    }
    followAll(nodes);
    assertEquals(0, which.fulls(), which + " of " + nodes + ": all data was sent");
    return which + " started again, of " + nodes;
  }
}
