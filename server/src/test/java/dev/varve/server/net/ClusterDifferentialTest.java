package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that looks like a cluster, beside a redis-server that is one and has all slots. */
class ClusterDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final long SECONDS_MAX = 20;
  private static final int KEYS = 2_000;

  @TempDir private Path directory;

  private RedisOracle redis;
  private RawClient theirs;
  private ServerFixture server;
  private RawClient ours;

  @BeforeEach
  void start() throws Exception {
    int busPort;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      busPort = free.getLocalPort();
    }
    redis =
        RedisOracle.start(
            Files.createDirectory(directory.resolve("redis")),
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            Integer.toString(busPort),
            "--cluster-announce-ip",
            "127.0.0.1");
    theirs = new RawClient(redis.port());
    theirs.ask("CLUSTER ADDSLOTSRANGE 0 16383");
    Await.until(
        () -> theirs.ask("CLUSTER INFO").contains("cluster_state:ok"),
        SECONDS_MAX,
        () -> "its cluster is there");
    server = new ServerFixture("cluster-enabled", "yes");
    ours = server.client();
  }

  @AfterEach
  void stop() throws IOException {
    if (redis != null) {
      theirs.close();
      redis.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Both replies, once what is of one server alone looks the same. */
  private void assertSame(String request) throws IOException {
    String wanted = masked(theirs, theirs.ask(request));
    assertEquals(wanted, masked(ours, ours.ask(request)), request);
  }

  private static String masked(RawClient client, String reply) throws IOException {
    String id = client.ask("CLUSTER MYID").split("\\|")[1];
    return reply.replace(id, "<id>").replace(":" + client.serverPort(), ":<port>");
  }

  @Test
  void clientsAreToldTheSame() throws IOException {
    for (String protocol : List.of("HELLO 2", "HELLO 3")) {
      ours.ask(protocol);
      theirs.ask(protocol);
      assertSame("CLUSTER SLOTS");
      assertSame("CLUSTER SHARDS");
      assertSame("CLUSTER LINKS");
      assertEquals(nodes(theirs), nodes(ours));
      assertEquals(fields(theirs), fields(ours));
    }
    for (String node : List.of(ours.ask("CLUSTER MYID"), "x|none")) {
      String id = node.split("\\|")[1];
      String itsOwn = id.equals("none") ? id : theirs.ask("CLUSTER MYID").split("\\|")[1];
      for (String command : List.of("REPLICAS", "SLAVES", "COUNT-FAILURE-REPORTS")) {
        assertEquals(
            theirs.ask("CLUSTER " + command + " " + itsOwn),
            ours.ask("CLUSTER " + command + " " + id),
            command);
      }
    }
  }

  /** Without what tells of the bus. */
  private static List<String> nodes(RawClient client) throws IOException {
    String[] words =
        client.ask("CLUSTER NODES").split("\\|")[1].replaceFirst("^txt:", "").split(" ");
    String id = client.ask("CLUSTER MYID").split("\\|")[1];
    assertEquals(id, words[0]);
    List<String> rest = new ArrayList<>(Arrays.asList(words).subList(1, words.length));
    rest.set(0, rest.get(0).replaceFirst(":" + client.serverPort() + "@\\d+$", ":<port>"));
    return rest;
  }

  private static String fields(RawClient client) throws IOException {
    return Arrays.stream(client.ask("CLUSTER INFO").split("\\|"))
        .skip(1)
        .map(line -> line.contains("epoch") ? line.substring(0, line.indexOf(':')) : line)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void whoeverMayAskForLess() throws IOException {
    for (String request :
        List.of(
            "READONLY",
            "READWRITE",
            "ASKING",
            "CLUSTER SAVECONFIG",
            "CLUSTER KEYSLOT",
            "CLUSTER COUNTKEYSINSLOT 16384",
            "CLUSTER COUNTKEYSINSLOT -1",
            "CLUSTER COUNTKEYSINSLOT x",
            "CLUSTER GETKEYSINSLOT 1 -1",
            "CLUSTER GETKEYSINSLOT 16384 1",
            "CLUSTER GETKEYSINSLOT x 1",
            "CLUSTER GETKEYSINSLOT 1",
            "CLUSTER NOTHING")) {
      assertSame(request);
    }
    ours.ask("READONLY");
    theirs.ask("READONLY");
    assertEquals(flags(theirs), flags(ours));
    assertEquals(
        theirs.ask("HELLO 2").replaceAll("(?s)\\$2\\|id\\|:\\d+\\|", ""),
        ours.ask("HELLO 2").replaceAll("(?s)\\$2\\|id\\|:\\d+\\|", ""));
  }

  private static String flags(RawClient client) throws IOException {
    String line = client.ask("CLIENT INFO");
    return line.substring(line.indexOf(" flags="), line.indexOf(" db="));
  }

  @Test
  void keysAreInTheSameSlots() throws IOException {
    System.out.println("ClusterDifferentialTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      StringBuilder key = new StringBuilder();
      for (int letters = 1 + random.nextInt(6); letters > 0; letters--) {
        key.append("ab{}".charAt(random.nextInt(4)));
      }
      keys.add(key.toString());
      assertSame("CLUSTER KEYSLOT " + key);
      assertSame("SET " + key + " 1");
    }
    for (int i = 0; i < 200; i++) {
      String slot = slot(keys.get(random.nextInt(KEYS)));
      assertSame("CLUSTER COUNTKEYSINSLOT " + slot);
      assertEquals(keys(theirs, slot), keys(ours, slot), slot);
    }
    String slot = slot(keys.get(0));
    assertEquals("*0|", ours.ask("CLUSTER GETKEYSINSLOT " + slot + " 0"));
    assertEquals(
        1, ours.ask("CLUSTER GETKEYSINSLOT " + slot + " 1").chars().filter(c -> c == '*').count());
  }

  private String slot(String key) throws IOException {
    return ours.ask("CLUSTER KEYSLOT " + key).replaceAll("[:|]", "");
  }

  private static List<String> keys(RawClient client, String slot) throws IOException {
    String reply = client.ask("CLUSTER GETKEYSINSLOT " + slot + " 1000");
    return Arrays.stream(reply.split("\\|")).sorted().toList();
  }
}
