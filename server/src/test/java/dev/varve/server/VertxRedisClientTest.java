package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Redis client of Vert.x, as an application in the JVM uses it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class VertxRedisClientTest {
  private static final long SECONDS_MAX = 30;

  @TempDir Path directory;

  private static <T> T await(Future<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.toCompletionStage().toCompletableFuture().get(SECONDS_MAX, TimeUnit.SECONDS);
  }

  @Test
  void itSpeaksBothProtocolsInPipelinesAndTransactions()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    try (ServerProcess server = ServerProcess.start(directory, "--requirepass", "secret")) {
      for (ProtocolVersion version : ProtocolVersion.values()) {
        speak(server, version);
      }
      assertEquals("", server.stop().err());
    }
  }

  /** Nothing but the client knows that its servers have changed places. */
  @Test
  void itFollowsAClusterThroughAFailover()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    try (ServerProcess first =
            ServerProcess.start(directory.resolve("first"), "--cluster-enabled", "yes");
        ServerProcess second =
            ServerProcess.start(
                directory.resolve("second"),
                "--cluster-enabled",
                "yes",
                "--replicaof",
                "127.0.0.1 " + first.port());
        RawClient atFirst = new RawClient(first.port());
        RawClient atSecond = new RawClient(second.port())) {
      Await.until(
          () -> atFirst.ask("INFO replication").contains("state=online"),
          SECONDS_MAX,
          () -> "it follows");
      Vertx vertx = Vertx.vertx();
      Redis redis =
          Redis.createClient(
              vertx,
              new RedisOptions()
                  .setType(RedisClientType.CLUSTER)
                  .addConnectionString("redis://127.0.0.1:" + first.port())
                  .setTopologyCacheTTL(100));
      try {
        int written = count(redis, 0);
        assertEquals("+OK|", atFirst.ask("FAILOVER"));
        Await.until(
            () -> atSecond.ask("ROLE").contains("master"), SECONDS_MAX, () -> "it takes over");
        written = count(redis, written);
        String text = Integer.toString(written);
        assertEquals("$" + text.length() + "|" + text + "|", atSecond.ask("GET count"));
      } finally {
        redis.close();
        await(vertx.close());
      }
    }
  }

  /** Counts a hundred up, which all are acknowledged; returns where that ends. */
  private static int count(Redis redis, int from)
      throws InterruptedException, ExecutionException, TimeoutException {
    for (int i = 1; i <= 100; i++) {
      assertEquals(from + i, await(redis.send(Request.cmd(Command.INCR).arg("count"))).toInteger());
    }
    return from + 100;
  }

  private static void speak(ServerProcess server, ProtocolVersion version)
      throws InterruptedException, ExecutionException, TimeoutException {
    Vertx vertx = Vertx.vertx();
    Redis redis =
        Redis.createClient(
            vertx,
            new RedisOptions()
                .setConnectionString("redis://:secret@127.0.0.1:" + server.port() + "/2")
                .setPreferredProtocolVersion(version)
                .setMaxPoolSize(2)
                .setMaxPoolWaiting(64));
    try {
      RedisConnection connection = await(redis.connect());
      await(connection.send(Request.cmd(Command.FLUSHDB)));
      pipelines(connection);
      transactions(redis, connection);
      structures(connection, version);
      await(connection.close());
    } finally {
      redis.close();
      await(vertx.close());
    }
  }

  private static void pipelines(RedisConnection connection)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Future<Response>> replies = new ArrayList<>();
    for (int i = 1; i <= 500; i++) {
      replies.add(connection.send(Request.cmd(Command.INCR).arg("counter")));
    }
    for (int i = 1; i <= 500; i++) {
      assertEquals(i, await(replies.get(i - 1)).toInteger());
    }
    List<Request> batch = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      batch.add(Request.cmd(Command.SET).arg("key" + i).arg("value" + i));
      batch.add(Request.cmd(Command.GET).arg("key" + i));
    }
    List<Response> answers = await(connection.batch(batch));
    for (int i = 0; i < 100; i++) {
      assertEquals("OK", answers.get(2 * i).toString());
      assertEquals("value" + i, answers.get(2 * i + 1).toString());
    }
  }

  private static void transactions(Redis redis, RedisConnection connection)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Response> queued =
        await(
            connection.batch(
                List.of(
                    Request.cmd(Command.MULTI),
                    Request.cmd(Command.INCRBY).arg("counter").arg(10),
                    Request.cmd(Command.RPUSH).arg("list").arg("a").arg("b"),
                    Request.cmd(Command.EXEC))));
    assertEquals(510, queued.get(3).get(0).toInteger());
    assertEquals(2, queued.get(3).get(1).toInteger());
    await(connection.send(Request.cmd(Command.WATCH).arg("counter")));
    await(redis.send(Request.cmd(Command.INCR).arg("counter")));
    await(connection.send(Request.cmd(Command.MULTI)));
    await(connection.send(Request.cmd(Command.SET).arg("counter").arg(0)));
    assertNull(await(connection.send(Request.cmd(Command.EXEC))));
    assertEquals(511, await(connection.send(Request.cmd(Command.GET).arg("counter"))).toInteger());
  }

  private static void structures(RedisConnection connection, ProtocolVersion version)
      throws InterruptedException, ExecutionException, TimeoutException {
    await(connection.send(Request.cmd(Command.HSET).arg("hash").arg("f").arg("v")));
    Response hash = await(connection.send(Request.cmd(Command.HGETALL).arg("hash")));
    assertEquals("v", hash.get("f").toString());
    await(connection.send(Request.cmd(Command.ZADD).arg("zset").arg("2.5").arg("m")));
    Response score = await(connection.send(Request.cmd(Command.ZSCORE).arg("zset").arg("m")));
    assertEquals(2.5, score.toDouble());
    assertEquals(
        version == ProtocolVersion.RESP3 ? ResponseType.NUMBER : ResponseType.BULK, score.type());
    ExecutionException wrongType =
        assertThrows(
            ExecutionException.class,
            () -> await(connection.send(Request.cmd(Command.LPUSH).arg("hash").arg("x"))));
    assertTrue(wrongType.toString().contains("WRONGTYPE"), wrongType.toString());
  }
}
