package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ACL says of the one user there is what redis-server says of its user default. */
class AccessDifferentialTest {
  private static final String REQUESTS =
      """
      ACL WHOAMI
      ACL USERS
      ACL LIST
      ACL GETUSER default
      ACL GETUSER Default
      ACL GETUSER nobody
      ACL CAT
      ACL CAT nope
      ACL CAT read write
      ACL GENPASS 0
      ACL GENPASS -1
      ACL GENPASS 4097
      ACL GENPASS x
      ACL GENPASS 128 3
      ACL DRYRUN default get k
      ACL DRYRUN default SET k v
      ACL DRYRUN default config get x
      ACL DRYRUN nobody get k
      ACL DRYRUN default none k
      ACL DRYRUN default get
      ACL DRYRUN default config
      ACL DRYRUN default config none
      ACL DRYRUN default config|get x
      ACL LOG
      ACL LOG 0
      ACL LOG x
      ACL LOG 1 2
      CONFIG SET requirepass secret
      ACL LIST
      ACL GETUSER default
      AUTH secret
      AUTH wrong
      AUTH wrong
      auth wrong
      AUTH somebody wrong
      HELLO 2 AUTH default wrong
      ACL LOG
      ACL LOG 2
      ACL LOG -1
      MULTI
      AUTH somebody wrong
      PING
      EXEC
      ACL LOG
      CONFIG SET acllog-max-len 2
      AUTH default wrong
      ACL LOG 1000
      AUTH another wrong
      ACL LOG 1000
      ACL LOG reset
      ACL LOG
      CONFIG SET requirepass ""
      ACL LIST
      """;

  @TempDir private Path directory;

  @Test
  void whatIsAskedIsAnsweredAsByRedis() throws Exception {
    compare(false);
  }

  @Test
  void whatIsAskedIsAnsweredAsByRedisInResp3() throws Exception {
    compare(true);
  }

  private void compare(boolean isResp3) throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), isResp3)) {
      for (String line : REQUESTS.split("\n")) {
        List<String> request =
            List.of(line.split(" ")).stream().map(word -> word.replace("\"\"", "")).toList();
        pair.send(List.of(request));
        assertEquals(timeless(pair.redis.read()), timeless(pair.varve.read()), line);
      }
    } finally {
      server.stop();
    }
  }

  @Test
  void categoriesHoldTheCommandsThatRedisHasInThem() throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      // Every command is of one of these two, those of the cluster and of later releases too.
      TreeSet<String> common = new TreeSet<>();
      for (String speed : List.of("fast", "slow")) {
        List<TreeSet<String>> all = commands(pair, speed);
        all.get(0).retainAll(all.get(1));
        common.addAll(all.get(0));
      }
      assertTrue(common.contains("config|get"), () -> common.toString());
      // What there is of a cluster is refused.
      common.removeIf(name -> name.startsWith("cluster|") || name.equals("restore-asking"));
      pair.send(List.of(List.of("ACL", "CAT")));
      pair.varve.read();
      for (String category : Replies.elements(pair.redis.read())) {
        List<TreeSet<String>> both = commands(pair, Replies.text(category));
        both.forEach(names -> names.retainAll(common));
        assertEquals(both.get(0), both.get(1), category);
      }
    } finally {
      server.stop();
    }
  }

  /** What is in a category, first by Redis. */
  private static List<TreeSet<String>> commands(WirePair pair, String category) throws Exception {
    pair.send(List.of(List.of("ACL", "CAT", category)));
    List<TreeSet<String>> both = new ArrayList<>();
    for (String reply : List.of(pair.redis.read(), pair.varve.read())) {
      TreeSet<String> names = new TreeSet<>();
      Replies.elements(reply).forEach(name -> names.add(Replies.text(name)));
      both.add(names);
    }
    return both;
  }

  /** Without what no two servers agree on: ages, and the lines of clients. */
  private static String timeless(String reply) {
    return reply
        .replaceAll("(age-seconds\r\n)(\\$\\d+\r\n|,)[0-9.e-]+", "$1age")
        .replaceAll("\\$\\d+\r\nid=\\d+ addr=[^\r]*", "client");
  }

  @Test
  void passwordsThatAreMadeUpAreAsLongAsRedisMakesThemAndNeverTheSame() throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      for (String bits : List.of("1", "4", "5", "128", "4096")) {
        pair.send(List.of(List.of("ACL", "GENPASS", bits)));
        String made = pair.varve.read();
        assertEquals(pair.redis.read().length(), made.length(), bits);
        assertTrue(made.matches("\\$\\d+\r\n[0-9a-f]+\r\n"), made);
      }
      pair.send(List.of(List.of("ACL", "GENPASS"), List.of("ACL", "GENPASS")));
      String first = pair.varve.read();
      assertEquals(pair.redis.read().length(), first.length());
      assertTrue(!first.equals(pair.varve.read()));
    } finally {
      server.stop();
    }
  }

  @Test
  void whoWantsOtherUsersIsToldThatThereAreNone() throws Exception {
    RespServer server = server();
    try (WireClient client = new WireClient("varve", server.port())) {
      for (String request : List.of("SETUSER a", "DELUSER a", "LOAD", "SAVE")) {
        client.send(List.of(List.of(("ACL " + request).split(" "))));
        String reply = client.read();
        assertTrue(reply.startsWith("-ERR This server has one user, 'default'"), reply);
      }
    } finally {
      server.stop();
    }
  }

  private static RespServer server() throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.PORT, "0");
    return RespServer.start(
        settings,
        new InMemoryEngine(),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }
}
