package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.tls.TestIdentities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tools that come with Redis drive the server. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RedisToolsTest {

  @TempDir Path directory;

  @Test
  void redisCliSpeaksToIt() throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-cli");
    try (ServerProcess server = ServerProcess.start(directory)) {
      Tool cli = Tool.forPort("redis-cli", server.port());
      assertEquals("PONG\n", cli.run("ping"));
      assertEquals("OK\n", cli.run("set", "key", "two words"));
      assertEquals("two words\n", cli.run("get", "key"));
      assertEquals("\"two words\"\n", cli.run("--no-raw", "get", "key"));
      assertEquals("(nil)\n", cli.run("--no-raw", "get", "missing"));
      assertEquals(
          "(error) ERR unknown command 'nope', with args beginning with: 'x' \n",
          cli.run("--no-raw", "nope", "x").replaceAll("\n+$", "\n"));
      assertEquals("1) \"two words\"\n2) (nil)\n", cli.run("--no-raw", "mget", "key", "missing"));
      assertEquals("OK\n", cli.runWith("bin\0\r\nary\u00ff", "-x", "set", "binary"));
      assertEquals("\"bin\\x00\\r\\nary\\xff\"\n", cli.run("--no-raw", "get", "binary"));
      assertEquals("", cli.run("shutdown"));
      assertEquals(0, server.end().exit());
    }
  }

  @Test
  void redisCliIsSentAllDataAsAFile() throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-cli");
    Path file = directory.resolve("all.rdb");
    Path copy = directory.resolve("copy");
    try (ServerProcess server = ServerProcess.start(directory.resolve("data"))) {
      Tool cli = Tool.forPort("redis-cli", server.port());
      cli.run("set", "key", "value");
      cli.run("--rdb", file.toString());
      assertEquals("connected_slaves:0\r\n", lineOf(cli, "connected_slaves"));
    }
    assertEquals(
        0, ServerProcess.run("--import", file.toString(), "--dir", copy.toString()).exit());
    try (ServerProcess server = ServerProcess.start(copy)) {
      assertEquals("value\n", Tool.forPort("redis-cli", server.port()).run("get", "key"));
    }
  }

  private static String lineOf(Tool cli, String field) throws IOException, InterruptedException {
    String info = cli.run("info", "replication");
    int at = info.indexOf(field);
    return info.substring(at, info.indexOf('\n', at) + 1);
  }

  @Test
  void redisToolsComeByTlsAndByAUnixSocket() throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-cli");
    Path file = directory.resolve("varve.sock");
    int tlsPort = FreePort.any();
    try (ServerProcess server =
        ServerProcess.start(
            directory.resolve("data"),
            "--port",
            Integer.toString(FreePort.any()),
            "--tls-port",
            Integer.toString(tlsPort),
            "--tls-cert-file",
            TestIdentities.path("rsa.crt"),
            "--tls-key-file",
            TestIdentities.path("rsa-pkcs1.key"),
            "--tls-ca-cert-file",
            TestIdentities.path("authority.crt"),
            "--unixsocket",
            file.toString())) {
      Tool plain = Tool.forPort("redis-cli", server.port());
      assertEquals("OK\n", plain.run("set", "key", "value"));
      assertEquals("value\n", Tool.with("redis-cli", "-s", file.toString()).run("get", "key"));
      String[] encrypted = {
        "-p",
        Integer.toString(tlsPort),
        "--tls",
        "--cacert",
        TestIdentities.path("authority.crt"),
        "--cert",
        TestIdentities.path("client.crt"),
        "--key",
        TestIdentities.path("client.key")
      };
      assertEquals("value\n", Tool.with("redis-cli", encrypted).run("get", "key"));
      String table =
          Tool.with("redis-benchmark", encrypted)
              .run("-t", "set,get", "-n", "5000", "-P", "16", "--csv");
      assertTrue(table.contains("\"GET\","), table);
      assertEquals("", plain.run("shutdown"));
      assertEquals(0, server.end().exit());
    }
    assertFalse(Files.exists(file));
  }

  @Test
  void redisCliRunsScriptsOfCommandsTransactionsAndResp3()
      throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-cli");
    try (ServerProcess server = ServerProcess.start(directory)) {
      Tool cli = Tool.forPort("redis-cli", server.port());
      String script =
          """
          SELECT 3
          MULTI
          INCR counter
          RPUSH list a b "c d"
          EXEC
          LRANGE list 0 -1
          HSET hash field value
          HGETALL hash
          ZADD zset 1.5 one 2 two
          ZRANGE zset 0 -1 WITHSCORES
          DBSIZE
          """;
      assertEquals(
          """
          OK
          OK
          QUEUED
          QUEUED
          1
          3
          a
          b
          c d
          1
          field
          value
          2
          one
          1.5
          two
          2
          4
          """,
          cli.runWith(script));
      assertEquals(
          "1# \"field\" => \"value\"\n", cli.run("-3", "--no-raw", "-n", "3", "hgetall", "hash"));
      assertEquals(
          "1) 1) \"one\"\n   2) (double) 1.5\n",
          cli.run("-3", "--no-raw", "-n", "3", "zrange", "zset", "0", "0", "withscores"));
      String piped = cli.runWith("INCR piped\r\n".repeat(1000), "--pipe");
      assertTrue(piped.contains("errors: 0, replies: 1000"), piped);
      assertEquals("1000\n", cli.run("get", "piped"));
      assertEquals("1001\n1002\n1003\n", cli.run("-r", "3", "incr", "piped"));
      List<String> scanned = List.of(cli.run("-n", "3", "--scan").split("\n"));
      assertEquals(4, scanned.size(), scanned.toString());
      Path lua = Files.writeString(directory.resolve("sum.lua"), "return KEYS[1] .. #ARGV\n");
      assertEquals("\"k2\"\n", cli.run("--no-raw", "--eval", lua.toString(), "k", ",", "a", "b"));
      String big = cli.run("-n", "3", "--bigkeys");
      assertTrue(big.contains("Biggest"), big);
    }
  }

  @Test
  void redisBenchmarkRunsWithoutAnError() throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-benchmark");
    try (ServerProcess server =
        ServerProcess.start(directory, "--maxmemory", "32mb", "--io-threads", "2")) {
      Tool benchmark = Tool.forPort("redis-benchmark", server.port());
      String tests = "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,zpopmin,lrange,mset";
      for (String pipeline : List.of("1", "16")) {
        String said =
            benchmark.run(
                "-t", tests, "-n", "2000", "-r", "1000", "-c", "20", "-P", pipeline, "-q");
        assertFalse(said.toLowerCase(Locale.ROOT).contains("error"), said);
        for (String test : tests.toUpperCase(Locale.ROOT).split(",")) {
          assertTrue(said.contains(test), () -> test + " is missing: " + said);
        }
      }
      assertEquals("", server.stop().err());
    }
  }
}
