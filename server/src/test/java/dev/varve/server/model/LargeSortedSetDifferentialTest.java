package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.command.TreeTester;
import dev.varve.server.command.TreeTester.Sizes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sorted sets so large that their entries are counted in buckets, some of which are divided and
 * merged meanwhile, give the very replies of redis-server 7.0 from a tree that is flushed,
 * compacted, killed and reopened. The sets of {@link TreeDifferentialTest} have a few members.
 *
 * <p>{@code -Dvarve.seed=…}, {@code -Dvarve.model.rounds=…} and {@code -Dvarve.model.steps=…} as in
 * {@link ModelTest}.
 */
class LargeSortedSetDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.model.rounds", 2);
  private static final int STEPS = Integer.getInteger("varve.model.steps", 4_000);
  private static final int MEMBERS = 3_000;
  private static final int SCORES = 2_000;

  /** The most members that one ZADD brings. */
  private static final int FILL = 400;

  @TempDir private Path path;

  @Test
  void everyReplyIsRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      for (int round = 0; round < ROUNDS; round++) {
        long seed = SEED + round;
        System.out.println("LargeSortedSetDifferentialTest -Dvarve.seed=" + seed);
        new Run(redis, seed).steps(STEPS);
      }
    }
  }

  /** One seed. */
  private static final class Run {
    private final RedisOracle redis;
    private final long seed;
    private final SplittableRandom random;
    private final Server server;

    Run(RedisOracle redis, long seed) throws IOException {
      this.redis = redis;
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      Sizes sizes =
          new Sizes(32_768L << random.nextInt(4), 512, 16_384, 65_536L << random.nextInt(4));
      this.server = new Server(sizes, PackedLimits.DEFAULT, System.currentTimeMillis());
      redis.run("FLUSHALL");
    }

    void steps(int count) throws IOException {
      same(-1, fill("z0"));
      for (int step = 0; step < count; step++) {
        if (random.nextInt(10) == 0) {
          transaction(step);
        } else {
          same(step, request());
        }
        beneath();
      }
      for (String key : List.of("z0", "z1")) {
        everyRankIsRight(key);
      }
      server.tester().checkConsistent();
      server.tester().close();
    }

    private void transaction(int step) throws IOException {
      same(step, "MULTI");
      for (int i = random.nextInt(8); i > 0; i--) {
        same(step, request());
      }
      same(step, random.nextInt(10) == 0 ? "DISCARD" : "EXEC");
    }

    private void beneath() throws IOException {
      TreeTester tester = server.tester();
      switch (random.nextInt(200)) {
        case 0 -> {
          if (random.nextBoolean()) {
            server.restart();
          } else {
            server.kill();
          }
        }
        case 1 -> tester.flush();
        case 2 -> tester.retire();
        case 3, 4, 5, 6, 7, 8, 9, 10 -> tester.work();
        default -> {}
      }
    }

    private String[] request() {
      String key = "z" + random.nextInt(2);
      String member = member();
      String score = score();
      return switch (random.nextInt(32)) {
        case 0 -> fill(key);
        case 1, 2 -> new String[] {"ZINCRBY", key, "" + (random.nextInt(100) - 50), member};
        case 3, 4, 5 -> new String[] {"ZREM", key, member};
        case 6, 7, 8 -> new String[] {"ZRANK", key, member};
        case 9 -> new String[] {"ZREVRANK", key, member};
        case 10, 11 -> range("ZRANGE", key);
        case 12 -> range("ZREVRANGE", key);
        case 13 -> new String[] {"ZCOUNT", key, score, score()};
        case 14 -> new String[] {"ZPOPMIN", key, "" + random.nextInt(4)};
        case 15 -> new String[] {"ZPOPMAX", key, "" + random.nextInt(4)};
        case 16 ->
            new String[] {
              "ZRANGEBYSCORE", key, score, "+inf", "LIMIT", "" + random.nextInt(FILL), "5"
            };
        case 17 ->
            new String[] {
              "ZREVRANGEBYSCORE", key, score, "-inf", "LIMIT", "" + random.nextInt(FILL), "5"
            };
        case 18 -> new String[] {"ZCARD", key};
        case 19 -> rarely(key);
        default -> new String[] {"ZADD", key, score, member};
      };
    }

    private String[] fill(String key) {
      List<String> request = new ArrayList<>(List.of("ZADD", key));
      for (int i = random.nextInt(FILL); i >= 0; i--) {
        request.add(score());
        request.add(member());
      }
      return request.toArray(String[]::new);
    }

    private String[] range(String command, String key) {
      int from = random.nextInt(MEMBERS);
      return new String[] {command, key, "" + from, "" + (from + 5), "WITHSCORES"};
    }

    /** What takes many members away at once. */
    private String[] rarely(String key) {
      int from = random.nextInt(MEMBERS);
      return switch (random.nextInt(12)) {
        case 0 -> new String[] {"DEL", key};
        case 1, 2 -> new String[] {"ZREMRANGEBYRANK", key, "" + from, "" + (from + FILL)};
        case 3, 4 -> new String[] {"ZREMRANGEBYSCORE", key, score(), score()};
        case 5 -> new String[] {"ZUNIONSTORE", key, "2", "z0", "z1"};
        case 6 -> new String[] {"RENAME", "z0", "z1"};
        default -> new String[] {"ZREMRANGEBYRANK", key, "" + from, "" + (from + 5)};
      };
    }

    private String member() {
      return "m" + random.nextInt(MEMBERS);
    }

    /** A quarter of the members share a score. */
    private String score() {
      return random.nextInt(4) == 0 ? "7" : "" + random.nextInt(SCORES) / 2.0;
    }

    private void everyRankIsRight(String key) throws IOException {
      List<String> members = Replies.elements(server.look("ZRANGE", key, "0", "-1"));
      for (int rank = 0; rank < members.size(); rank++) {
        String member = Replies.text(members.get(rank));
        assertEquals(":" + rank + "\r\n", server.look("ZRANK", key, member), "seed " + seed);
      }
    }

    /** Sends a request to both. */
    private void same(int step, String... request) throws IOException {
      server.tester().nowMillis = System.currentTimeMillis();
      String reply = server.run(0, request, random);
      assertEquals(
          redis.run(Server.args(request)),
          reply,
          () -> "seed " + seed + " step " + step + ": " + String.join(" ", request));
    }
  }
}
