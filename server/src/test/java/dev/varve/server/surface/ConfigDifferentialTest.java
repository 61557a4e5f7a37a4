package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CONFIG SET takes and refuses the same values as redis-server, for every parameter that both know,
 * and CONFIG GET shows what was taken in the same way.
 */
class ConfigDifferentialTest {

  /** Those whose change would take the connection away, or whose bounds are others here. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          // A change of these is another server, or another place of its data.
          "bind",
          "dir",
          "logfile",
          "port",
          "requirepass",
          // Fixed while this server runs.
          "io-threads",
          "loglevel",
          // There is no cluster bus.
          "tls-cluster",
          // Redis looks at the certificates for it at once.
          "tls-replication",
          // Looked at here before there is a port for TLS.
          "tls-protocols",
          // Bounded by what the system allows there, and by what an array holds here.
          "maxclients",
          "proto-max-bulk-len");

  /** What Redis takes, and this server has nothing for. */
  private static final Set<String> REFUSED_HERE = Set.of("appendonly no", "activedefrag yes");

  private static final List<String> VALUES =
      List.of(
          "x",
          "",
          "0",
          "1",
          "-1",
          "-6",
          "5",
          "100",
          "101",
          "1000",
          "3000000000",
          "99999999999",
          "9223372036854775807",
          "1.5",
          " 1",
          "01",
          "+1",
          "+",
          "1k",
          "1kb",
          "64mb",
          "1MB",
          "1g",
          "1tb",
          "-1mb",
          "b",
          "kb",
          "0%",
          "50%",
          "101%",
          "-5%",
          "+5%",
          "%",
          "1 k",
          "yes",
          "no",
          "YES",
          "local",
          "x y",
          "60 100",
          "60",
          "a b c",
          "3600 1 300 100",
          "-1 -1",
          "1 0",
          "0 0",
          "0 1",
          "1 -1",
          "1  2",
          "1 2 3",
          "1 2 ",
          "+1 02 3",
          "0 200 800",
          "0 0 2001",
          "1 2 3 4",
          "normal 0 0 0",
          "normal 0 0",
          "normal  0 0 0",
          "foo 0 0 0",
          "normal -1 0 0",
          "pubsub 32mb 8mb 60 normal 1",
          "slave 1 1 1 replica 2 2 2",
          "KEA",
          "Z",
          "100 50",
          "101 5",
          "99.90 33.3333333333",
          ".5 1e1",
          "1.0d",
          "inf",
          "nan",
          "-0.5",
          "everysec",
          "allkeys-lru",
          "noeviction",
          "default",
          "nosave",
          "NOSAVE",
          "save force",
          "force now nosave",
          "save nosave",
          "nosave x",
          "disabled",
          "ip",
          "relative",
          "{bad}",
          "{title}",
          "{port}",
          "{port",
          "{{a}",
          "{config-file}",
          "x{title}",
          "10.0.0.1",
          "a_b",
          "a/b",
          "0777",
          "888",
          "a".repeat(300),
          "\"");

  @TempDir private Path directory;

  @Test
  void valuesAreTakenRefusedAndShownAsByRedis() throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.PORT, "0");
    RespServer server =
        RespServer.start(
            settings,
            new InMemoryEngine(),
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    List<String> differences = new ArrayList<>();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      WirePair.Both all = pair.ask(List.of(List.of("CONFIG", "GET", "*")));
      Set<String> names = names(all.redis());
      names.retainAll(names(all.varve()));
      names.removeAll(LEFT_OUT);
      assertTrue(names.size() > 150, "compared: " + names);
      for (String name : names) {
        compare(pair, name, differences);
      }
    } finally {
      server.stop();
    }
    assertEquals("", String.join("\n", differences));
  }

  private static void compare(WirePair pair, String name, List<String> differences)
      throws Exception {
    List<List<String>> requests = new ArrayList<>();
    for (String value : VALUES) {
      if (!REFUSED_HERE.contains(name + ' ' + value.toLowerCase(Locale.ROOT))) {
        requests.add(List.of("CONFIG", "SET", name, value));
        requests.add(List.of("CONFIG", "GET", name));
      }
    }
    WirePair.Both both = pair.ask(requests);
    for (int i = 0; i < requests.size(); i += 2) {
      String redis = outcome(both.redis(), i);
      String varve = outcome(both.varve(), i);
      if (!redis.equals(varve)) {
        differences.add(requests.get(i) + ": " + redis + " | " + varve);
      }
    }
  }

  /** What CONFIG SET said, and what CONFIG GET said then, if something was taken. */
  private static String outcome(WirePair.Said said, int at) {
    String taken = said.replies().get(at);
    return taken.startsWith("+") ? taken + said.replies().get(at + 1) : taken;
  }

  private static Set<String> names(WirePair.Said said) {
    String[] lines = said.replies().get(0).split("\r\n", -1);
    Set<String> names = new TreeSet<>();
    for (int i = 2; i < lines.length; i += 4) {
      names.add(lines[i]);
    }
    return names;
  }
}
