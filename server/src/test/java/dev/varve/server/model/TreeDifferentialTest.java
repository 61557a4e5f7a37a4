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
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests of all types, good and bad, get the very replies of redis-server 7.0 from a tree
 * that is flushed, compacted and reopened all the time.
 *
 * <p>{@code -Dvarve.seed=…}, {@code -Dvarve.model.rounds=…} and {@code -Dvarve.model.steps=…} as in
 * {@link ModelTest}.
 */
class TreeDifferentialTest {
  private static final String LAST_MOMENT = ":" + Long.MAX_VALUE + "\r\n";
  private static final String MOMENT_BEFORE = ":" + (Long.MAX_VALUE - 1) + "\r\n";
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.model.rounds", 3);
  private static final int STEPS = Integer.getInteger("varve.model.steps", 3_000);

  @TempDir private Path path;

  @Test
  void everyReplyIsRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      for (int round = 0; round < ROUNDS; round++) {
        long seed = SEED + round;
        System.out.println("TreeDifferentialTest -Dvarve.seed=" + seed);
        new Run(redis, seed).steps(STEPS);
      }
    }
  }

  /** One seed. */
  static final class Run {
    private final RedisOracle redis;
    private final long seed;
    private final SplittableRandom random;
    private final Server server;
    private final RandomRequests requests;
    private final RandomBadRequests badRequests;
    private final RandomRedisRequests redisRequests;
    private String[] lastSelect = {"SELECT", "0"};

    Run(RedisOracle redis, long seed) throws IOException {
      this.redis = redis;
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      Sizes sizes = new Sizes(8192L << random.nextInt(3), 256, 4096, 8192L << random.nextInt(6));
      PackedLimits limits = random.nextBoolean() ? ModelTest.SMALL_LIMITS : PackedLimits.DEFAULT;
      this.server = new Server(sizes, limits, System.currentTimeMillis());
      if (random.nextBoolean()) {
        server.someAreLong(random);
      }
      this.requests =
          new RandomRequests(
              random, RandomRequests.Oracle.REDIS, System::currentTimeMillis, TreeTester.DATABASES);
      this.badRequests = new RandomBadRequests(random, requests);
      this.redisRequests = new RandomRedisRequests(requests);
      redis.run("FLUSHALL");
      redis.run("SELECT", "0");
    }

    void steps(int count) throws IOException {
      for (int step = 0; step < count; step++) {
        switch (random.nextInt(60)) {
          case 0 -> transaction(step);
          case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> same(step, badRequests.next());
          case 11, 12, 13, 14 -> same(step, redisRequests.next());
          default -> same(step, requests.next());
        }
        beneath();
      }
      server.tester().checkConsistent();
      server.tester().close();
    }

    private void beneath() throws IOException {
      TreeTester tester = server.tester();
      switch (random.nextInt(100)) {
        case 0 -> {
          if (random.nextBoolean()) {
            server.restart();
          } else {
            server.kill();
          }
          server.run(0, lastSelect, random);
        }
        case 1 -> tester.flush();
        case 2 -> tester.sweep();
        case 3 -> tester.retire();
        case 4, 5, 6, 7, 8, 9 -> tester.work();
        default -> {}
      }
    }

    private void transaction(int step) throws IOException {
      same(step, "MULTI");
      List<String[]> queued = new ArrayList<>();
      for (int i = random.nextInt(6); i > 0; i--) {
        String[] request = random.nextInt(50) == 0 ? badRequests.next() : requests.next();
        if (same(step, request).equals(Wire.QUEUED)) {
          queued.add(request);
        }
      }
      String reply = run("EXEC");
      String expected = redis.run("EXEC");
      List<String> elements = reply.startsWith("*") ? Replies.elements(reply) : List.of();
      List<String> wanted = expected.startsWith("*") ? Replies.elements(expected) : List.of();
      if (elements.size() == queued.size() && wanted.size() == queued.size()) {
        for (int i = 0; i < queued.size(); i++) {
          compare(step, queued.get(i), wanted.get(i), elements.get(i));
        }
      } else {
        assertEquals(expected, reply, () -> where(step, "EXEC"));
      }
    }

    private String run(String... request) throws IOException {
      server.tester().nowMillis = System.currentTimeMillis();
      return server.run(0, request, random);
    }

    /** Sends a request to both and returns the reply. */
    private String same(int step, String... request) throws IOException {
      String reply = run(request);
      compare(step, request, redis.run(Server.args(request)), reply);
      return reply;
    }

    private void compare(int step, String[] request, String expected, String actual) {
      if (request[0].equals("SELECT") && actual.equals(Wire.OK)) {
        lastSelect = request;
      }
      if (request[0].equals("PEXPIRETIME") && expected.equals(LAST_MOMENT)) {
        // The last millisecond that a long can tell stands for no expiry here: it becomes the one
        // before.
        assertEquals(MOMENT_BEFORE, actual, () -> where(step, request));
        return;
      }
      int group = RedisModel.orderGroup(request[0]);
      if (group > 0 && !expected.equals(actual)) {
        assertEquals(
            Replies.sorted(expected, group),
            Replies.sorted(actual, group),
            () -> where(step, request));
      } else {
        assertEquals(expected, actual, () -> where(step, request));
      }
    }

    private String where(int step, String... request) {
      int shown = Math.min(request.length, 20);
      return "seed " + seed + " step " + step + ": " + Arrays.asList(request).subList(0, shown);
    }
  }
}
