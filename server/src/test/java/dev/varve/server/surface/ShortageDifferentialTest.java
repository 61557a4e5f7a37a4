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
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With too little memory or too few replicas the same requests are refused as in Redis. */
class ShortageDifferentialTest {
  private static final String WRITES = "redis.call('set','k','v') return 1";
  private static final String NO_WRITES = "#!lua flags=no-writes\nreturn 1";
  private static final String ALLOW_OOM = "#!lua flags=allow-oom\nreturn redis.call('set','k','v')";
  private static final String DECLARED = "#!lua\nreturn 1";
  private static final String LIBRARY =
      "#!lua name=l\n"
          + "redis.register_function('w', function() return 1 end)\n"
          + "redis.register_function{function_name='r', callback=function() return 1 end,"
          + " flags={'no-writes'}}";

  /** With neither key nor argument, and run after each other on the same connection. */
  private static final List<List<String>> REQUESTS = new ArrayList<>();

  static {
    add("SET k v|GET k|DEL k|RPUSH l a|LPOP l|APPEND k v|EXPIRE k 100|PING|PUBLISH c m|DBSIZE");
    add("MULTI|GET k|SET k v|PING|EXEC|MULTI|GET k|DISCARD|MULTI|DEL k|EXEC|MULTI|EXEC|FLUSHALL");
    add("BLPOP l 0.01|LMPOP 1 l LEFT|XADD x * a b|PFADD p a|PFCOUNT p|SORT l STORE m|COPY k k2");
    for (String script :
        List.of(
            WRITES,
            NO_WRITES,
            ALLOW_OOM,
            DECLARED,
            "redis.call('del','k') return redis.call('set','k','v')",
            "return redis.pcall('rpush','l','a')",
            "return redis.call('lpop','l')",
            "return redis.call('publish','c','m')",
            "#!lua flags=no-writes,bad\nreturn 1")) {
      REQUESTS.add(List.of("EVAL", script, "0"));
      REQUESTS.add(List.of("EVAL_RO", script, "0"));
      REQUESTS.add(List.of("MULTI"));
      REQUESTS.add(List.of("EVAL", script, "0"));
      REQUESTS.add(List.of("EXEC"));
    }
    add("FCALL w 0|FCALL r 0|FCALL_RO w 0|FCALL_RO r 0|FCALL none 0|FUNCTION DELETE l");
    add("EVALSHA ffffffffffffffffffffffffffffffffffffffff 0|INFO errorstats");
  }

  private static void add(String requests) {
    for (String request : requests.split("\\|")) {
      REQUESTS.add(Arrays.asList(request.split(" ")));
    }
  }

  @TempDir private Path directory;

  @Test
  void withoutMemory() throws Exception {
    compare("maxmemory 1", "maxmemory 0");
  }

  @Test
  void withoutReplicas() throws Exception {
    compare("min-replicas-to-write 1", "min-replicas-max-lag 0");
  }

  @Test
  void withoutEither() throws Exception {
    compare("maxmemory 1 min-slaves-to-write 2", "maxmemory 0 min-slaves-to-write 0");
  }

  /** Under {@code shortage}, under {@code relief}, and in transactions that meet both. */
  private void compare(String shortage, String relief) throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.PORT, "0");
    RespServer server =
        RespServer.start(
            settings,
            new InMemoryEngine(),
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false);
        WirePair other = new WirePair(redis.port(), server.port(), false)) {
      assertEqual(pair, List.of("FUNCTION", "LOAD", LIBRARY));
      assertEqual(pair, configSet(shortage));
      int refused = 0;
      for (List<String> request : REQUESTS) {
        String reply = assertEqual(pair, request);
        refused += reply.startsWith("-OOM") || reply.startsWith("-NOREPLICAS") ? 1 : 0;
      }
      assertTrue(refused > 10, "refused: " + refused);
      assertEqual(pair, configSet(relief));
      assertEqual(pair, List.of("MULTI"));
      assertEqual(pair, List.of("EVAL", DECLARED, "0"));
      assertEqual(pair, List.of("GET", "k"));
      assertEqual(other, configSet(shortage));
      assertEqual(pair, List.of("EXEC"));
      assertEqual(other, configSet(relief));
      assertEqual(pair, List.of("MULTI"));
      assertEqual(pair, List.of("SET", "k", "v"));
      assertEqual(other, configSet(shortage));
      assertEqual(pair, List.of("EXEC"));
      assertEqual(pair, configSet(relief));
      for (List<String> request : REQUESTS) {
        assertEqual(pair, request);
      }
    } finally {
      server.stop();
    }
  }

  private static List<String> configSet(String changes) {
    List<String> request = new ArrayList<>(List.of("CONFIG", "SET"));
    request.addAll(Arrays.asList(changes.split(" ")));
    return request;
  }

  /** What Redis replies, as Varve has to. */
  private static String assertEqual(WirePair pair, List<String> request) throws Exception {
    pair.send(List.of(request));
    String redis = pair.redis.read();
    String varve = pair.varve.read();
    if (!request.get(0).equals("XADD") || redis.startsWith("-")) {
      assertEquals(redis, varve, request::toString);
    }
    return redis;
  }
}
