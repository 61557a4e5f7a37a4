package dev.varve.perf.peer;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** What an application sends: requests that belong together, of which one step has one or two. */
enum Mix implements Steps {
  /** Nine reads for each write, of few keys far more often than of the others. */
  CACHE {
    @Override
    public List<Request> next(SplittableRandom random) {
      String key = "cache:" + skewed(random);
      return random.nextInt(10) == 0
          ? List.of(Request.cmd(Command.SET).arg(key).arg(VALUE))
          : List.of(Request.cmd(Command.GET).arg(key));
    }
  },

  /** As many writes as reads, of many keys alike. */
  STORE {
    @Override
    public List<Request> next(SplittableRandom random) {
      String key = "store:" + random.nextInt(STORED_KEYS);
      return random.nextBoolean()
          ? List.of(Request.cmd(Command.SET).arg(key).arg(VALUE))
          : List.of(Request.cmd(Command.GET).arg(key));
    }
  },

  /** A session is touched: a field of it changes, and it lives on for half an hour. */
  SESSION {
    @Override
    public List<Request> next(SplittableRandom random) {
      String key = "session:" + random.nextInt(KEYS);
      return List.of(
          Request.cmd(Command.HSET).arg(key).arg("seen").arg(random.nextInt(1 << 30)),
          Request.cmd(Command.EXPIRE).arg(key).arg(SESSION_SECONDS));
    }
  },

  /** A job is queued at one end and another taken from the other. */
  QUEUE {
    @Override
    public List<Request> next(SplittableRandom random) {
      String key = "queue:" + random.nextInt(QUEUES);
      return List.of(
          Request.cmd(Command.LPUSH).arg(key).arg(VALUE), Request.cmd(Command.RPOP).arg(key));
    }
  },

  /** A player scores, and the best hundred are shown. */
  LEADERBOARD {
    @Override
    public List<Request> next(SplittableRandom random) {
      return List.of(
          Request.cmd(Command.ZADD)
              .arg("leaders")
              .arg(random.nextInt(1 << 30))
              .arg("player:" + random.nextInt(KEYS)),
          Request.cmd(Command.ZRANGE).arg("leaders").arg(0).arg(99).arg("REV"));
    }
  };

  private static final int KEYS = 100_000;
  private static final int STORED_KEYS = 1_000_000;
  private static final int QUEUES = 64;
  private static final int SESSION_SECONDS = 1800;
  private static final String VALUE = "v".repeat(100);

  String label() {
    return "mix_" + name().toLowerCase(Locale.ROOT);
  }

  /** Zipf's law with exponent one: the n-th key comes up in proportion to 1/n. */
  private static int skewed(SplittableRandom random) {
    return (int) Math.pow(KEYS, random.nextDouble());
  }
}
