package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Databases;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.dump.RdbExport;
import dev.varve.codec.dump.RdbImport;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.engine.BulkLoad;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.server.resp.Args;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one server dumps the other restores, and what is refused is refused by both. */
class DumpDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static final String REQUESTS =
      """
      SET a 1
      RESTORE a
      RESTORE a 0 x
      RESTORE b abc x
      RESTORE b -1 x
      RESTORE b 0 x
      RESTORE b 0 ""
      RESTORE b 0 x FOO
      RESTORE b 0 x IDLETIME
      RESTORE b 0 x IDLETIME -1
      RESTORE b 0 x IDLETIME a
      RESTORE b 0 x FREQ 256
      RESTORE b 0 x FREQ -1
      RESTORE b 0 x FREQ a
      RESTORE b 0 x FREQ 5 IDLETIME 5
      RESTORE b 0 x IDLETIME 5 FREQ 5
      RESTORE b 0 x IDLETIME 5 IDLETIME 6
      RESTORE b 0 x ABSTTL REPLACE REPLACE
      RESTORE a abc x REPLACE
      RESTORE a abc x
      RESTORE a 0 x FREQ 256
      DUMP
      DUMP none
      DUMP none more
      """;

  @TempDir private Path directory;

  /** Makes values in every encoding that Redis has for them. */
  private static void fill(Comparison both, SplittableRandom random) {
    String[] strings = {"", "0", "-7", "12345", "-2000000000", "99999999999", "word"};
    for (int i = 0; i < strings.length; i++) {
      both.same("fill", "SET", "string" + i, strings[i]);
    }
    both.same("fill", "SET", "compressible", "abcabcabc".repeat(400) + "x".repeat(900));
    both.same("fill", "SET", "long", "x".repeat(70_000));
    for (int size : new int[] {1, 5, 200, 900}) {
      for (int i = 0; i < size; i++) {
        String number = Integer.toString(random.nextInt(1 << random.nextInt(1, 31)) - 1000);
        String word = "w".repeat(random.nextInt(size == 200 ? 90 : 20)) + i;
        both.same("fill", "RPUSH", "list" + size, random.nextBoolean() ? number : word);
        both.same("fill", "SADD", "numbers" + size, number);
        both.same("fill", "SADD", "set" + size, word);
        both.same("fill", "HSET", "hash" + size, word, number);
        both.same("fill", "HSET", "hash" + size, number, word + "y".repeat(i % 80));
        both.same("fill", "ZADD", "zset" + size, number, word);
        both.same("fill", "ZADD", "zset" + size, i + ".37e-3", number);
      }
      both.same("fill", "ZADD", "zset" + size, "inf", "most", "-inf", "least");
    }
    both.same("fill", "XADD", "empty", "5-5", "a", "b");
    both.same("fill", "XDEL", "empty", "5-5");
    for (int i = 1; i < 450; i++) {
      String value = "v".repeat(random.nextInt(80)) + i;
      String id = i / 3 + "-" + i;
      both.same("fill", "XADD", "stream", id, "field", value, "", "" + i);
      both.same("fill", "XADD", "stream" + i % 5, id, "a" + i % 2, value);
    }
    both.same("fill", "XDEL", "stream", "20-60", "0-1", "30-90", "33-100");
    both.same("fill", "XGROUP", "CREATE", "stream", "g", "0");
    both.same("fill", "XGROUP", "CREATE", "stream", "later", "25");
    both.same("fill", "XGROUP", "CREATECONSUMER", "stream", "g", "idle");
    both.same("fill", "XREADGROUP", "GROUP", "g", "a", "COUNT", "40", "STREAMS", "stream", ">");
    both.same("fill", "XREADGROUP", "GROUP", "g", "b", "COUNT", "40", "STREAMS", "stream", ">");
    both.same("fill", "XACK", "stream", "g", "1-3", "1-4", "20-61");
    both.same("fill", "RPUSH", "large", "x", "y".repeat(20_000), "17", "z".repeat(5_000), "18");
  }

  private static List<String> keys(Comparison both) {
    return Replies.elements(both.redis.run("KEYS", "*")).stream().map(Replies::text).toList();
  }

  private static Args restore(String key, String payload) {
    byte[][] parts = {
      "RESTORE".getBytes(StandardCharsets.ISO_8859_1),
      key.getBytes(StandardCharsets.ISO_8859_1),
      {'0'},
      payload.getBytes(StandardCharsets.ISO_8859_1)
    };
    return new Args(parts, parts.length);
  }

  private static void sameContent(Comparison both, String key) {
    both.same(key, "TYPE", key);
    switch (both.redis.run("TYPE", key).substring(1).strip()) {
      case "string" -> both.same(key, "GET", key);
      case "list" -> both.same(key, "LRANGE", key, "0", "-1");
      case "set" -> both.same(key, "SMEMBERS", key);
      case "hash" -> both.same(key, "HGETALL", key);
      case "stream" -> {
        both.same(key, "XRANGE", key, "-", "+");
        both.same(key, "XINFO", "STREAM", key, "FULL", "COUNT", "0");
        both.same(key, "XINFO", "STREAM", key);
        both.same(key, "XINFO", "GROUPS", key);
      }
      case "zset" -> both.same(key, "ZRANGE", key, "0", "-1", "WITHSCORES");
      default -> throw new AssertionError(key);
    }
  }

  @Test
  void everyRequestOfTheListGetsTheSameReply() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      new Comparison(redis).sameLines(REQUESTS);
    }
  }

  @Test
  void valuesGoBothWays() throws Exception {
    System.out.println("DumpDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      fill(both, new SplittableRandom(SEED));
      for (String key : keys(both)) {
        String theirs = Replies.text(redis.run("DUMP", key));
        String ours = Replies.text(both.tester.run("DUMP", key));
        assertEquals("+OK\r\n", redis.run(restore("ours-" + key, ours)), key);
        assertEquals(
            "+OK\r\n", both.tester.run(both.tester.client(), restore("ours-" + key, ours)));
        sameContent(both, "ours-" + key);
        redis.run(restore("theirs-" + key, theirs));
        String reply = both.tester.run(both.tester.client(), restore("theirs-" + key, theirs));
        assertEquals("+OK\r\n", reply, key);
        sameContent(both, "theirs-" + key);
        both.same(key, "OBJECT", "ENCODING", "theirs-" + key);
      }
      both.same("size", "DBSIZE");
    }
  }

  private static void expireSome(Comparison both, List<String> keys, SplittableRandom random) {
    for (String key : keys) {
      if (random.nextBoolean()) {
        long moment = both.tester.nowMillis + 1_000_000 + random.nextInt(1 << 20);
        both.same("fill", "PEXPIREAT", key, Long.toString(moment));
      }
    }
  }

  /** Empties ours and fills it with what theirs has saved. */
  private void importTo(Comparison both) throws IOException {
    both.redis.run("SAVE");
    both.tester.run("FLUSHALL");
    byte[] file = Files.readAllBytes(directory.resolve("dump.rdb"));
    BulkLoad load =
        new BulkLoad(both.tester.engine, PackedLimits.DEFAULT, 16, both.tester.nowMillis);
    new RdbImport(new ByteArrayInputStream(file), file.length, 16)
        .run(
            new RdbImport.Target() {
              @Override
              public void write(RdbImport.Change change) throws IOException {
                load.write(change::run);
                change.applied();
              }

              @Override
              public void library(byte[] code) {
                throw new AssertionError("there are none");
              }

              @Override
              public void finish() throws IOException {
                load.finish();
              }
            });
  }

  @Test
  void aSavedFileHasAllThatTheServerHad() throws Exception {
    System.out.println("DumpDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (String compression : List.of("yes", "no")) {
        Comparison both = new Comparison(redis);
        redis.run("CONFIG", "SET", "rdbcompression", compression);
        SplittableRandom random = new SplittableRandom(SEED);
        fill(both, random);
        List<String> keys = keys(both);
        expireSome(both, keys, random);
        importTo(both);
        for (String key : keys) {
          sameContent(both, key);
          both.same(key, "PEXPIRETIME", key);
          both.same(key, "OBJECT", "ENCODING", key);
        }
        both.same("size", "DBSIZE");
      }
    }
  }

  /** Gives redis-server all that ours has, by a file. */
  private void exportFrom(Comparison both) throws IOException {
    InMemoryEngine engine = both.tester.engine;
    Path file = directory.resolve("dump.rdb");
    try (StoreView view = engine.blockingView();
        OutputStream out = Files.newOutputStream(file)) {
      RdbExport.write(
          out,
          List.of(),
          () ->
              new Transaction(
                  engine.store(),
                  view,
                  Databases.load(view, Databases.COUNT_MAX),
                  PackedLimits.DEFAULT,
                  both.tester.nowMillis,
                  new SplittableRandom(),
                  false),
          keys -> {});
    }
    assertEquals("+OK\r\n", both.redis.run("DEBUG", "RELOAD", "NOSAVE"));
  }

  @Test
  void anExportedFileIsLoadedByRedisServer() throws Exception {
    System.out.println("DumpDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory, "--enable-debug-command", "yes")) {
      Comparison both = new Comparison(redis);
      SplittableRandom random = new SplittableRandom(SEED);
      fill(both, random);
      List<String> keys = keys(both);
      expireSome(both, keys, random);
      redis.run("FLUSHALL");
      exportFrom(both);
      for (String key : keys) {
        sameContent(both, key);
        both.same(key, "PEXPIRETIME", key);
      }
      both.same("size", "DBSIZE");
    }
  }

  /** Whose first entries went, or last ones, or those between, or all but not as a node. */
  private static void fillStreamsWithGaps(Comparison both) {
    for (String key : List.of("gaps", "few", "none")) {
      for (int i = 1; i <= 230; i++) {
        both.same("fill", "XADD", key, i + "-1", "a", "" + i);
      }
      both.same("fill", "XDEL", key, "1-1", "98-1", "100-1", "99-1", "150-1", "201-1", "230-1");
    }
    both.same("fill", "XTRIM", "few", "MINID", "229-1");
    both.same("fill", "XTRIM", "none", "MINID", "230-0");
  }

  @Test
  void streamsKeepTheirNodes() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      fillStreamsWithGaps(both);
      redis.run("CONFIG", "SET", "sanitize-dump-payload", "yes");
      for (String key : keys(both)) {
        for (boolean isOurs : new boolean[] {false, true}) {
          String dumped = isOurs ? both.tester.run("DUMP", key) : redis.run("DUMP", key);
          String to = key + (isOurs ? "-ours" : "-theirs");
          Args restore = restore(to, Replies.text(dumped));
          assertEquals("+OK\r\n", redis.run(restore), to);
          assertEquals("+OK\r\n", both.tester.run(both.tester.client(), restore), to);
          for (String minId : List.of("98", "100-1", "100-2", "230-1", "230-2")) {
            both.same(to, "XTRIM", to, "MINID", "~", minId);
          }
          for (int i = 231; i <= 340; i++) {
            both.same(to, "XADD", to, i + "-1", "a", "b");
          }
          both.same(to, "XTRIM", to, "MAXLEN", "~", "50");
          sameContent(both, to);
        }
      }
    }
  }

  @Test
  void expiryAndReplacementAreThoseOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      both.same("fill", "SET", "key", "value");
      String payload = Replies.text(redis.run("DUMP", "key"));
      String[][] requests = {
        {"RESTORE", "key", "0", payload},
        {"RESTORE", "key", "0", payload, "REPLACE"},
        {"RESTORE", "key", "4102444800000", payload, "ABSTTL", "REPLACE"},
        {"RESTORE", "more", "4102444800000", payload, "ABSTTL", "IDLETIME", "10"},
        {"RESTORE", "past", "1", payload, "ABSTTL"},
        {"RESTORE", "more", "1", payload, "ABSTTL", "REPLACE", "FREQ", "10"},
      };
      for (String[] request : requests) {
        byte[][] parts = new byte[request.length][];
        for (int i = 0; i < parts.length; i++) {
          parts[i] = request[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        Args args = new Args(parts, parts.length);
        assertEquals(redis.run(args), both.tester.run(both.tester.client(), args), request[2]);
        for (String key : List.of("key", "more", "past")) {
          both.same(key, "PEXPIRETIME", key);
          both.same(key, "GET", key);
        }
        both.same("size", "DBSIZE");
      }
    }
  }

  /** A payload with its checksum put right, so that what is inside gets read. */
  private static String signed(byte[] payload) {
    byte[] whole = payload.clone();
    long crc = 0;
    for (int i = 0; i < whole.length - 8; i++) {
      crc ^= whole[i] & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x95AC9329AC4BC9B5L;
      }
    }
    for (int i = 0; i < 8; i++) {
      whole[whole.length - 8 + i] = (byte) (crc >>> 8 * i);
    }
    return new String(whole, StandardCharsets.ISO_8859_1);
  }

  @Test
  void brokenPayloadsAreRefusedAndChangeNothing() throws Exception {
    System.out.println("DumpDifferentialTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int refused = 0;
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      fill(both, random);
      CommandTester tester = both.tester;
      for (String key : keys(both)) {
        String theirs = Replies.text(redis.run("DUMP", key));
        for (int i = 0; i < 40; i++) {
          byte[] broken = theirs.getBytes(StandardCharsets.ISO_8859_1);
          for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
            broken[random.nextInt(Math.min(broken.length, 60))] = (byte) random.nextInt(256);
          }
          String before = tester.run("DBSIZE");
          String reply = tester.run(tester.client(), restore("broken", signed(broken)));
          if (!reply.equals("+OK\r\n")) {
            refused++;
            assertTrue(
                reply.equals("-ERR Bad data format\r\n")
                    || reply.equals("-ERR DUMP payload version or checksum are wrong\r\n"),
                reply);
            assertEquals(before, tester.run("DBSIZE"));
          }
          tester.run("DEL", "broken");
        }
        String cut = theirs.substring(0, theirs.length() - 1);
        String reply = tester.run(tester.client(), restore("broken", cut));
        assertEquals("-ERR DUMP payload version or checksum are wrong\r\n", reply);
      }
    }
    assertTrue(refused > 100, "only " + refused + " were refused");
  }

  /** Values as older versions wrote them, as Redis 7.0 still reads them. */
  @Test
  void olderEncodingsAreRead() throws Exception {
    List<byte[]> words = new ArrayList<>();
    for (String word :
        List.of("one", "1", "two", "-2", "x".repeat(300), "77", "w".repeat(70), "1234567")) {
      words.add(word.getBytes(StandardCharsets.ISO_8859_1));
    }
    byte[] ziplist = OldBlobs.ziplist(words);
    byte[] scored =
        OldBlobs.ziplist(List.of(words.get(0), words.get(3), words.get(4), words.get(5)));
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      List<byte[]> payloads =
          List.of(
              OldBlobs.payload(10, 6, OldBlobs.string(ziplist)),
              OldBlobs.payload(12, 6, OldBlobs.string(scored)),
              OldBlobs.payload(13, 9, OldBlobs.string(ziplist)),
              OldBlobs.payload(14, 7, new byte[] {2}, OldBlobs.string(ziplist), ziplistString(2)),
              OldBlobs.payload(9, 2, OldBlobs.string(OldBlobs.zipmap(words))),
              OldBlobs.payload(3, 5, new byte[] {2, 1, 'a', 3, '1', '.', '5', 1, 'b', (byte) 255}));
      for (int i = 0; i < payloads.size(); i++) {
        Args args = restore("old" + i, signed(payloads.get(i)));
        assertEquals("+OK\r\n", redis.run(args), "redis " + i);
        assertEquals("+OK\r\n", both.tester.run(both.tester.client(), args), "varve " + i);
        sameContent(both, "old" + i);
      }
    }
  }

  private static byte[] ziplistString(int items) {
    List<byte[]> numbers = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      numbers.add(Integer.toString(i).getBytes(StandardCharsets.ISO_8859_1));
    }
    return OldBlobs.string(OldBlobs.ziplist(numbers));
  }
}
