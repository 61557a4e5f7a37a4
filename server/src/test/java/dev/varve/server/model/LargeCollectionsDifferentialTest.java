package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.command.TreeTester;
import dev.varve.server.command.TreeTester.Sizes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Collections of hundreds and thousands of elements give the very replies of redis-server 7.0 from
 * a tree that is flushed, compacted, killed and reopened, within transactions and in passes of
 * several requests as well: entries are counted in buckets that divide and merge, lists have gaps,
 * ends have been popped. The collections of {@link TreeDifferentialTest} have a few members.
 *
 * <p>{@code -Dvarve.seed=…}, {@code -Dvarve.model.rounds=…} and {@code -Dvarve.model.steps=…} as in
 * {@link ModelTest}.
 */
class LargeCollectionsDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.model.rounds", 2);
  private static final int STEPS = Integer.getInteger("varve.model.steps", 4_000);

  @TempDir private Path path;

  @Test
  void hashes() throws Exception {
    everyReplyIsRedis(LargeHashRequests::new);
  }

  @Test
  void lists() throws Exception {
    everyReplyIsRedis(LargeListRequests::new);
  }

  @Test
  void sets() throws Exception {
    everyReplyIsRedis(LargeSetRequests::new);
  }

  @Test
  void sortedSets() throws Exception {
    everyReplyIsRedis(LargeSortedSetRequests::new);
  }

  @Test
  void streams() throws Exception {
    everyReplyIsRedis(LargeStreamRequests::new);
  }

  private void everyReplyIsRedis(Function<SplittableRandom, LargeRequests> requests)
      throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      for (int round = 0; round < ROUNDS; round++) {
        long seed = SEED + round;
        System.out.println("LargeCollectionsDifferentialTest -Dvarve.seed=" + seed);
        new Run(redis, seed, requests).steps(STEPS);
      }
    }
  }

  /** One seed. */
  private static final class Run {
    private final RedisOracle redis;
    private final long seed;
    private final SplittableRandom random;
    private final LargeRequests requests;
    private final Server server;

    Run(RedisOracle redis, long seed, Function<SplittableRandom, LargeRequests> requests)
        throws IOException {
      this.redis = redis;
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      Sizes sizes =
          new Sizes(32_768L << random.nextInt(4), 512, 16_384, 65_536L << random.nextInt(4));
      this.requests = requests.apply(random);
      this.server = new Server(sizes, PackedLimits.DEFAULT, System.currentTimeMillis());
      if (random.nextBoolean()) {
        server.joinPasses(random);
      }
      if (random.nextBoolean()) {
        server.someAreLong(random);
      }
      redis.run("FLUSHALL");
    }

    void steps(int count) throws IOException {
      same(-1, requests.fill(requests.keys().get(0)));
      for (int step = 0; step < count; step++) {
        if (random.nextInt(10) == 0) {
          transaction(step);
        } else {
          same(step, requests.next());
        }
        beneath();
      }
      server.tester().commit();
      for (String key : requests.keys()) {
        String[] all = requests.all(key);
        assertEquals(
            inOrder(redis.run(all)),
            inOrder(server.look(all)),
            () -> "seed " + seed + " " + String.join(" ", all));
        everyRankIsRight(key);
      }
      server.tester().checkConsistent();
      server.tester().close();
    }

    private String inOrder(String reply) {
      int group = requests.unordered();
      return group == 0 ? reply : Replies.sorted(reply, group);
    }

    private void everyRankIsRight(String key) throws IOException {
      if (!server.look("TYPE", key).equals("+zset\r\n")) {
        return;
      }
      List<String> members = Replies.elements(server.look("ZRANGE", key, "0", "-1"));
      for (int rank = 0; rank < members.size(); rank++) {
        String member = Replies.text(members.get(rank));
        assertEquals(":" + rank + "\r\n", server.look("ZRANK", key, member), "seed " + seed);
      }
    }

    private void transaction(int step) throws IOException {
      same(step, "MULTI");
      for (int i = random.nextInt(8); i > 0; i--) {
        same(step, requests.next());
      }
      same(step, random.nextInt(10) == 0 ? "DISCARD" : "EXEC");
    }

    private void beneath() throws IOException {
      TreeTester tester = server.tester();
      switch (random.nextInt(200)) {
        case 0 -> {
          tester.commit();
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
