package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.ServerProcess.End;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --import} and {@code --export}: data that comes from Redis, and goes back. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
class ImportProcessTest {
  private static final int KEYS = 30_000;
  private static final int MEMBERS = 40_000;
  private static final int AT_ONCE = 1_000;

  @TempDir Path directory;
  private Path file;
  private Path data;

  @BeforeEach
  void nameThem() {
    file = directory.resolve("dump.rdb");
    data = directory.resolve("data");
  }

  private End run(String... more) throws IOException, InterruptedException {
    List<String> arguments =
        Stream.concat(
                Stream.of("--import", file.toString(), "--dir", data.toString()), Stream.of(more))
            .toList();
    return ServerProcess.run(arguments.toArray(String[]::new));
  }

  private void assertRefused(String why) throws IOException, InterruptedException {
    End end = run();
    assertEquals(1, end.exit(), end::toString);
    assertEquals("varve: " + why + "\n", end.err());
    assertFalse(Files.exists(directory.resolve("data.tmp")));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  /** Has a redis-server save what {@link #assertContent} looks for. */
  private void save() throws IOException, InterruptedException {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int first = 0; first < KEYS; first += AT_ONCE) {
        String[] request = new String[1 + 2 * AT_ONCE];
        request[0] = "MSET";
        for (int i = 0; i < AT_ONCE; i++) {
          request[1 + 2 * i] = "key:" + (first + i);
          request[2 + 2 * i] = "value:" + (first + i);
        }
        redis.run(request);
      }
      for (String command : List.of("SADD", "RPUSH", "ZADD", "HSET")) {
        for (int first = 0; first < MEMBERS; first += AT_ONCE) {
          boolean arePairs = command.equals("ZADD") || command.equals("HSET");
          String[] request = new String[2 + (arePairs ? 2 : 1) * AT_ONCE];
          request[0] = command;
          request[1] = "large:" + command;
          for (int i = 0; i < AT_ONCE; i++) {
            if (arePairs) {
              request[2 + 2 * i] = Integer.toString(first + i);
              request[3 + 2 * i] = "m" + (first + i);
            } else {
              request[2 + i] = "m" + (first + i);
            }
          }
          redis.run(request);
        }
      }
      redis.run("PEXPIREAT", "large:HSET", "4000000000000");
      redis.run("SELECT", "7");
      redis.run("SET", "elsewhere", "yes");
      redis.run(
          "FUNCTION",
          "LOAD",
          "#!lua name=l\nredis.register_function('f',function() return 'hi' end)");
      redis.run("SAVE");
    }
  }

  private void assertContent() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(data);
        RawClient client = server.client()) {
      assertEquals(":" + (KEYS + 4) + "|", client.ask("dbsize"));
      assertEquals("$9|value:123|", client.ask("get key:123"));
      assertEquals(":" + MEMBERS + "|", client.ask("scard large:SADD"));
      assertEquals(":1|", client.ask("sismember large:SADD m39999"));
      assertEquals("$6|m39999|", client.ask("lindex large:RPUSH 39999"));
      assertEquals(":39999|", client.ask("zrank large:ZADD m39999"));
      assertEquals("$6|m39999|", client.ask("hget large:HSET 39999"));
      assertEquals(":4000000000000|", client.ask("pexpiretime large:HSET"));
      assertEquals("$2|hi|", client.ask("fcall f 0"));
      assertEquals("+OK|", client.ask("select 7"));
      assertEquals("$3|yes|", client.ask("get elsewhere"));
      server.stop();
    }
    End check = ServerProcess.run("--check", "--dir", data.toString());
    assertTrue(check.out().endsWith("no damage\n"), check::toString);
  }

  @Test
  void whatRedisSavedIsServedAfterwards() throws IOException, InterruptedException {
    save();
    End end = run("--maxmemory", "16mb");
    assertEquals(0, end.exit(), end::toString);
    String said =
        String.format(
            java.util.Locale.ROOT, "%,d keys of %s are in %s, after ", KEYS + 5, file, data);
    assertTrue(end.out().startsWith(said), end::toString);
    assertTrue(end.out().endsWith(" s\nlibraries of functions with them: 1\n"), end::toString);
    assertContent();
    Path exported = directory.resolve("exported.rdb");
    End export = ServerProcess.run("--export", exported.toString(), "--dir", data.toString());
    assertEquals(0, export.exit(), export::toString);
    assertTrue(export.out().contains(" are in " + exported + ", "), export::toString);
    assertRefused("the directory " + data + " is not empty: an import makes a new one");
    data = directory.resolve("again");
    file = exported;
    assertEquals(0, run().exit());
    assertContent();
  }

  private void assertNotExported(Path to, Path from, String why)
      throws IOException, InterruptedException {
    List<String> before = names();
    End end = ServerProcess.run("--export", to.toString(), "--dir", from.toString());
    assertEquals(1, end.exit(), end::toString);
    assertTrue(end.err().startsWith("varve: " + why), end::toString);
    assertEquals(before, names());
  }

  @Test
  void whatCannotBeExportedIsOneLineAndLeavesNothing() throws IOException, InterruptedException {
    assertNotExported(file, data, data + ": is not a directory");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    assertNotExported(file, empty, "no data of Varve in " + empty);
    try (ServerProcess server = ServerProcess.start(data);
        RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("set a b"));
      assertNotExported(file, data, "directory " + data + " is in use by another Varve");
      server.stop();
    }
    Path taken = Files.createFile(directory.resolve("taken"));
    assertNotExported(taken, data, taken + ": exists already");
    Path nowhere = directory.resolve("none").resolve("file");
    assertNotExported(nowhere, data, nowhere + ".tmp: no such file");
    assertEquals(
        0, ServerProcess.run("--export", file.toString(), "--dir", data.toString()).exit());
  }

  @Test
  void oneThatIsKilledLeavesNothingThatCouldBeTakenForData()
      throws IOException, InterruptedException {
    save();
    for (int kill = 0; kill < 3; kill++) {
      try (ServerProcess server =
          ServerProcess.beginWith(
              "--import", file.toString(), "--dir", data.toString(), "--maxmemory", "16mb")) {
        Await.until(
            () -> Files.exists(directory.resolve("data.tmp").resolve("000000000001.sst")),
            60,
            () -> "no table is written");
        server.kill();
      }
      assertEquals(List.of("data.tmp", "dump.rdb"), names());
    }
    assertEquals(0, run("--maxmemory", "16mb").exit());
    assertEquals(List.of("data", "dump.rdb"), names());
    assertContent();
  }

  @Test
  void whatCannotBeImportedIsOneLineAndLeavesNothing() throws IOException, InterruptedException {
    assertRefused(file + ": no such file");
    Files.writeString(file, "hello world, this is no file of Redis");
    assertRefused("not an RDB file: it does not begin with REDIS or VALKEY");
    byte[] torn = "REDIS0010\u0000\u0001a\u0001b\u0000\u0005".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(file, torn);
    assertRefused("at byte 16: a dumped value with 5 bytes where 0 are left");
    Files.write(
        file, "REDIS0010\u00fe\u0014\u0000\u0001a\u0001b".getBytes(StandardCharsets.ISO_8859_1));
    assertRefused("the file has keys in database 20: start with --databases 21");
    End end = ServerProcess.run("--import");
    assertEquals("varve: option --import takes one file, not 0\n", end.err());
  }
}
