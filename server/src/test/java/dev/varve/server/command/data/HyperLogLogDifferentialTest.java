package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HyperLogLogs have the very bytes that redis-server 7.0 gives them. */
class HyperLogLogDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static final String REQUESTS =
      """
      SET s x
      PFADD s a
      PFCOUNT s
      PFCOUNT none s
      PFMERGE s
      PFMERGE d s
      RPUSH l a
      PFADD l a
      PFCOUNT l
      PFMERGE d l
      PFCOUNT none
      PFCOUNT none none
      PFDEBUG foo none
      PFDEBUG foo s
      PFADD h a b c
      PFADD h a b c
      PFDEBUG encoding h
      PFDEBUG decode h
      PFDEBUG foo h
      GET h
      PFCOUNT h
      GET h
      PFADD h a
      GET h
      PFADD h d
      GET h
      PFDEBUG todense h
      PFDEBUG todense h
      PFDEBUG decode h
      PFDEBUG encoding h
      GET h
      PFCOUNT h
      PFSELFTEST
      PFADD h2
      PFADD h2
      GET h2
      OBJECT ENCODING h2
      PFCOUNT h h2
      PFMERGE h2
      PFMERGE m h h2
      GET m
      PFDEBUG getreg h2
      EXPIRE h2 1000
      PFADD h2 x
      PERSIST h2
      PFCOUNT
      APPEND h x
      PFADD h a
      SET broken HYLL
      PFCOUNT broken
      """;

  @TempDir private Path directory;

  @Test
  void everyRequestOfTheListGetsTheSameReply() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      new Comparison(redis).sameLines(REQUESTS);
    }
  }

  @Test
  void randomRequestsGetTheSameRepliesAndBytes() throws Exception {
    System.out.println("HyperLogLogDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int round = 0; round < 6; round++) {
        Comparison both = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(SEED + round);
        int elements = 10 << 2 * random.nextInt(7);
        for (int step = 0; step < 300; step++) {
          String[] request = request(random, elements);
          String where = "seed " + (SEED + round) + " step " + step;
          both.same(where, request);
          both.same(where, "GET", request[1]);
        }
      }
    }
  }

  private static String[] request(SplittableRandom random, int elements) {
    String key = "h" + random.nextInt(4);
    List<String> request = new ArrayList<>();
    switch (random.nextInt(10)) {
      case 0, 1 -> request.addAll(List.of("PFCOUNT", key));
      case 2 -> request.addAll(List.of("PFCOUNT", key, "h1", "h2"));
      case 3 -> request.addAll(List.of("PFMERGE", key, "h" + random.nextInt(4), "h3"));
      case 4 ->
          request.addAll(random.nextInt(6) == 0 ? List.of("DEL", key) : List.of("PFADD", key));
      default -> {
        request.addAll(List.of("PFADD", key));
        for (int i = random.nextInt(40); i >= 0; i--) {
          request.add("e".repeat(random.nextInt(12)) + random.nextInt(elements));
        }
      }
    }
    return request.toArray(String[]::new);
  }

  @Test
  void damagedBytesAreRefusedAsRedisDoes() throws Exception {
    System.out.println("HyperLogLogDifferentialTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      for (int round = 0; round < 300; round++) {
        both.same("start", "DEL", "h");
        both.same("start", "PFADD", "h", "a", "b", "c", "d" + round, "e" + round);
        String value = Replies.text(redis.run("GET", "h"));
        byte[] broken = value.getBytes(StandardCharsets.ISO_8859_1);
        broken[random.nextInt(16, broken.length)] = (byte) random.nextInt(256);
        byte[][] parts = {{'S', 'E', 'T'}, {'h'}, broken};
        Args set = new Args(parts, 3);
        assertEquals(redis.run(set), both.tester.run(both.tester.client(), set));
        both.same("seed " + SEED + " round " + round, "PFCOUNT", "h");
        both.same("seed " + SEED + " round " + round, "PFCOUNT", "h", "h");
        both.same("seed " + SEED + " round " + round, "PFMERGE", "into", "h");
      }
    }
  }
}
