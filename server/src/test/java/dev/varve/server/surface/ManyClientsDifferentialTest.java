package dev.varve.server.surface;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a client is told does not depend on who is served beside it: many at once, each with a
 * database of its own here and in a redis-server, and others that take this one's time. Who follows
 * it has the same.
 *
 * <p>{@code -Dvarve.many.rounds=100} for so many, {@code -Dvarve.seed=…} for the same clients
 * again; who of them comes first is each run's own.
 */
class ManyClientsDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.many.rounds", 3);
  private static final int COMMANDS_PER_CLIENT = 1_500;
  private static final int CLIENTS = 8;
  private static final int BATCH_MAX = 24;
  private static final String EVENTS = "KEAmn";

  @TempDir private Path path;

  @Test
  void eachIsToldWhatRedisTellsIt() throws Exception {
    System.out.printf(
        "ManyClientsDifferentialTest -Dvarve.seed=%d -Dvarve.many.rounds=%d%n", SEED, ROUNDS);
    try (RedisOracle redis = RedisOracle.start(path, "--notify-keyspace-events", EVENTS)) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < ROUNDS; i++) {
        round(redis, path.resolve("varve" + i), random.split());
      }
    }
  }

  private void round(RedisOracle redis, Path directory, SplittableRandom random) throws Exception {
    Settings settings = SurfaceDifferentialTest.settings(random);
    settings.set(Parameters.NOTIFY_KEYSPACE_EVENTS, EVENTS);
    settings.set(ReplicationParameters.BACKLOG_SIZE, "64mb");
    int memoryBytes = SurfaceDifferentialTest.memoryBytes(random);
    Path copyDirectory = directory.resolveSibling(directory.getFileName() + "-copy");
    RespServer varve = SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
    RespServer copy = SurfaceDifferentialTest.varve(copyDirectory, memoryBytes);
    SurfaceDifferentialTest.writesLeave(copy, random);
    try (WireClient its = new WireClient("redis", redis.port())) {
      Copies.ask(its, "FLUSHALL");
      try (WireClient follower = new WireClient("copy", copy.port())) {
        Copies.ask(follower, "REPLICAOF", "127.0.0.1", Integer.toString(varve.port()));
        serveAll(redis.port(), varve, random);
        try (WireClient ours = new WireClient("varve", varve.port())) {
          Copies.compare(its, ours);
          Copies.awaitOffset(ours, follower);
        }
        Copies.compare(its, follower);
      }
      varve.stop();
      varve = SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
      try (WireClient ours = new WireClient("varve", varve.port())) {
        Copies.compare(its, ours);
      }
    } finally {
      varve.stop();
      copy.stop();
    }
    SoundDirectory.assertSound(directory);
    SoundDirectory.assertSound(copyDirectory);
  }

  private static void serveAll(int redisPort, RespServer varve, SplittableRandom random)
      throws Exception {
    List<Form> forms = SurfaceDifferentialTest.forms();
    TestThreads clients = new TestThreads();
    for (int i = 0; i < CLIENTS; i++) {
      String database = Integer.toString(i);
      SplittableRandom its = random.split();
      clients.start(() -> client(redisPort, varve.port(), database, forms, its, clients));
    }
    OtherClients others = new OtherClients(varve);
    others.begin(random.split());
    try {
      clients.join();
    } finally {
      others.end();
    }
  }

  private static void client(
      int redisPort,
      int varvePort,
      String database,
      List<Form> forms,
      SplittableRandom random,
      TestThreads clients)
      throws IOException {
    FormRequests requests = new FormRequests(forms, new Words(random, false), true);
    Function<List<List<String>>, String> where =
        batch -> "database " + database + ":" + FormRequests.shown(batch);
    BatchReplies replies = new BatchReplies(where);
    try (WirePair pair = new WirePair(redisPort, varvePort, random.nextBoolean());
        WirePair listener = new WirePair(redisPort, varvePort, random.nextBoolean())) {
      listener.listen("PSUBSCRIBE", "__key*@" + database + "__:*");
      pair.ask(List.of(List.of("SELECT", database)));
      for (int sent = 0; sent < COMMANDS_PER_CLIENT && !clients.isOver(); ) {
        List<List<String>> batch =
            FormRequests.batch(random, BATCH_MAX, its -> add(its, requests.next()));
        sent += batch.size();
        String mark = database + "-" + sent;
        replies.compare(batch, pair.ask(batch));
        pair.ask(List.of(WirePair.mark(mark)));
        WirePair.Both heard = listener.heard(mark);
        String difference = Messages.difference(heard.redis().messages(), heard.varve().messages());
        if (difference != null) {
          throw new AssertionError(where.apply(batch) + "\nmessages" + difference);
        }
      }
    }
  }

  private static void add(List<List<String>> batch, List<List<String>> requests) {
    for (List<String> request : requests) {
      if (OneDatabase.isWithin(FormRequests.called(request))) {
        batch.add(request);
      }
    }
  }
}
