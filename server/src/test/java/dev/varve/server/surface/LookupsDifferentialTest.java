package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** INFO counts the keys that commands found and missed as redis-server does. */
class LookupsDifferentialTest {
  private static final String SETUP =
      """
      FLUSHALL
      SET s hello
      RPUSH l a b c
      SADD S a b
      HSET h a 1 b 2
      ZADD z 1 a 2 b
      XADD x 9-1 a b
      XGROUP CREATE x g 0
      PFADD p a b
      CONFIG RESETSTAT
      """;

  private static final String REQUESTS =
      """
      GET s
      GET none
      GET l
      MGET s none s l
      SET s v GET
      GETDEL s
      GETEX s PX 100000
      GETSET l v
      APPEND s v
      LCS s none
      STRLEN s
      EXISTS s s none
      TYPE none
      TTL s
      EXPIRE s 100
      OBJECT ENCODING s
      OBJECT ENCODING none
      MEMORY USAGE s
      COPY s other
      RENAME s other
      DUMP h
      SORT l ALPHA GET s*
      LPOS l zz
      LRANGE l 0 -1
      LMOVE l l LEFT LEFT
      SINTER S none
      SUNIONSTORE other S none
      SMISMEMBER S a b
      HMGET h a b
      HINCRBY h a 1
      HSCAN h 0
      ZRANGE z 0 -1
      ZUNIONSTORE other 2 z S
      ZRANGESTORE other none 0 -1
      ZMPOP 1 z MIN
      PFCOUNT p none
      PFMERGE p none
      XREAD STREAMS x 0
      XREADGROUP GROUP g c STREAMS x >
      XREADGROUP GROUP g c STREAMS x 0
      XREADGROUP GROUP none c STREAMS x >
      XACK none g 1-1
      XCLAIM x g c 0 9-1
      XAUTOCLAIM x none c 0 0
      XINFO STREAM x
      KEYS *
      RANDOMKEY
      DEL s none
      EVAL return{redis.call('get',KEYS[1]),redis.call('get',KEYS[1])} 1 s
      EVAL return{redis.call('get',KEYS[1]),redis.call('get',KEYS[1])} 1 none
      EVAL return{redis.call('mget',KEYS[1],KEYS[1],'none','none')} 1 s
      EVAL return{redis.call('get',''),redis.call('get',''),redis.call('mget','','')} 0
      EVAL return{redis.call('mget','','s',''),redis.call('mget',KEYS[1],'s',KEYS[1])} 1 none
      """;

  @TempDir private Path path;

  @Test
  void keysAreFoundAndMissedAsInRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      RespServer varve =
          SurfaceDifferentialTest.varve(
              path.resolve("varve"), SurfaceDifferentialTest.IN_MEMORY_BYTES);
      try (WirePair pair = new WirePair(redis.port(), varve.port(), false)) {
        for (String request : REQUESTS.split("\n")) {
          List<List<String>> requests = new ArrayList<>();
          (SETUP + request).lines().forEach(line -> requests.add(List.of(line.split(" "))));
          requests.add(List.of("INFO", "stats"));
          WirePair.Both both = pair.ask(requests);
          assertEquals(lookups(both.redis()), lookups(both.varve()), request);
        }
      } finally {
        varve.stop();
      }
    }
  }

  private static List<String> lookups(WirePair.Said said) {
    return said.replies()
        .get(said.replies().size() - 1)
        .lines()
        .filter(line -> line.startsWith("keyspace_"))
        .toList();
  }
}
