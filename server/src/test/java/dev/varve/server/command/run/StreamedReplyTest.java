package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replies that leave in pieces are the same to the byte as those that are made whole. */
class StreamedReplyTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int MEMBERS = 3_000;
  private static final int ITEM_BYTES_MAX = 1_200;
  private static final int PIECES_MIN = 3;
  private static final int PIECE_BYTES_MAX = 256 << 10;
  private static final int LONG_BYTES = 900_000;

  private static final List<String> READS =
      List.of(
          "HGETALL hash",
          "HKEYS hash",
          "HVALS hash",
          "HRANDFIELD hash 2500 WITHVALUES",
          "HRANDFIELD hash -4000",
          "SMEMBERS set",
          "SUNION set set2 none",
          "SDIFF set set2",
          "SRANDMEMBER set 2900",
          "LRANGE list 0 -1",
          "LRANGE list 5 -7",
          "ZRANGE zset 0 -1",
          "ZRANGE zset 0 -1 WITHSCORES",
          "ZRANGE zset 0 -1 REV WITHSCORES",
          "ZRANGE zset -inf (50 BYSCORE WITHSCORES",
          "ZREVRANGEBYSCORE zset +inf 1 WITHSCORES LIMIT 3 2800",
          "ZRANGE zset 3 -5 REV",
          "ZRANGEBYLEX same - +",
          "ZRANGEBYLEX zset - + LIMIT 10 2500",
          "ZRANGE zset - (9 BYLEX",
          "ZREVRANGEBYLEX same + [1",
          "ZUNION 2 zset same WITHSCORES",
          "XRANGE stream - +",
          "XREVRANGE stream + - COUNT 2900",
          "XREAD STREAMS stream none stream2 0 0 0",
          "XREAD COUNT 2800 STREAMS stream 0",
          "XINFO STREAM stream FULL COUNT 2500",
          "KEYS *",
          "KEYS key:1*",
          "SORT_RO list ALPHA",
          "GEOSEARCH geo FROMLONLAT 0 0 BYRADIUS 20000 km WITHCOORD WITHDIST",
          "GET long",
          "GETRANGE long 1 -2",
          "MGET none long long",
          "HVALS longs",
          "LRANGE longs:list 0 -1");

  private final Random random = new Random(SEED);
  private TreeTester tester;
  private Session client;

  @BeforeEach
  void fill(@TempDir Path directory) throws IOException {
    System.out.println("StreamedReplyTest: -Dvarve.seed=" + SEED);
    tester =
        new TreeTester(
            RealStorageDirectory.open(directory),
            new TreeTester.Sizes(4 << 20, 16 << 10, 2 << 20, 4 << 20),
            PackedLimits.DEFAULT,
            1_700_000_000_000L);
    client = tester.session();
    for (int i = 0; i < MEMBERS; i++) {
      run("HSET", "hash", item(i), item(i));
      run("SADD", "set", item(i));
      run("RPUSH", "list", item(i));
      run("ZADD", "zset", String.valueOf(random.nextInt(100) + i % 2 * 0.25), item(i));
      run("ZADD", "same", "1", item(i));
      run("XADD", "stream", "*", item(i), item(i));
      run("SET", "key:" + item(i), "value");
      run("GEOADD", "geo", String.valueOf(i % 180), String.valueOf(i % 80), item(i));
      if (i % 3 == 0) {
        run("SADD", "set2", item(i));
        run("XADD", "stream2", "*", "f", item(i));
      }
    }
    String text = "0123456789abcdef!".repeat(LONG_BYTES / 16);
    run("SET", "long", text.substring(0, LONG_BYTES + random.nextInt(100)));
    for (int i = 0; i < 20; i++) {
      String around = text.substring(i, i + PIECE_BYTES_MAX - 10 + i);
      run("HSET", "longs", String.valueOf(i), around);
      run("RPUSH", "longs:list", around, "short");
    }
  }

  @AfterEach
  void close() throws IOException {
    tester.close();
  }

  private String item(int number) {
    return number + ":" + "x".repeat(random.nextInt(ITEM_BYTES_MAX));
  }

  private String run(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1);
  }

  /** Where everything is made whole. */
  private String inTransaction(Args args) throws IOException {
    run("MULTI");
    assertEquals("+QUEUED\r\n", tester.run(client, args, Role.WRITER, 1));
    String all = run("EXEC");
    return all.substring("*1\r\n".length());
  }

  @Test
  void eachReadGivesTheSameInPieces() throws IOException {
    for (String protocol : List.of("2", "3")) {
      run("HELLO", protocol);
      for (String read : READS) {
        Args args = Args.of(read.split(" "));
        client.nextRun().seed(7);
        String whole = inTransaction(args);
        client.nextRun().seed(7);
        List<String> pieces = tester.stream(client, args);
        if (read.contains("RAND")) {
          // What is drawn differs, how much does not.
          assertEquals(
              whole.substring(0, whole.indexOf('\r')),
              pieces.get(0).substring(0, pieces.get(0).indexOf('\r')));
        } else {
          assertEquals(whole.length(), String.join("", pieces).length(), read);
          assertEquals(whole, String.join("", pieces), read);
        }
        assertTrue(pieces.size() >= PIECES_MIN, () -> pieces.size() + " pieces of " + read);
        for (String piece : pieces) {
          assertTrue(piece.length() <= PIECE_BYTES_MAX, () -> piece.length() + " of " + read);
        }
      }
    }
  }

  @Test
  void shortRepliesAndErrorsAreOnePiece() throws IOException {
    for (String request :
        List.of(
            "HGETALL none",
            "SMEMBERS none",
            "ZRANGE none 0 -1",
            "KEYS none*",
            "LRANGE hash 0 -1",
            "LRANGE list a b",
            "XRANGE hash - +",
            "XREAD STREAMS none stream 0 $",
            "XREAD STREAMS stream hash 0 0",
            "GET none",
            "NONE")) {
      Args args = Args.of(request.split(" "));
      assertEquals(
          List.of(tester.run(client, args, Role.WRITER, 1)), tester.stream(client, args), request);
    }
  }

  @Test
  void fieldsThatHaveExpiredAreNotAnnounced() throws IOException {
    run("HPEXPIRE", "hash", "1000", "FIELDS", "1", fields().get(5));
    Args all = Args.of("HGETALL", "hash");
    assertTrue(String.join("", tester.stream(client, all)).startsWith("*" + 2 * MEMBERS + "\r\n"));
    tester.nowMillis += 1000;
    String without = String.join("", tester.stream(client, all));
    assertTrue(
        without.startsWith("*" + 2 * (MEMBERS - 1) + "\r\n"), () -> without.substring(0, 20));
    assertEquals(inTransaction(all), without);
  }

  private List<String> fields() {
    String reply = String.join("", tester.stream(client, Args.of("HKEYS", "hash")));
    List<String> fields = new ArrayList<>();
    String[] lines = reply.split("\r\n", -1);
    for (int i = 2; i < lines.length; i += 2) {
      fields.add(lines[i]);
    }
    return fields;
  }

  @Test
  void writesBetweenTwoPiecesAreNotSeen() throws IOException {
    for (String read :
        List.of("HGETALL hash", "ZRANGE zset 0 -1 WITHSCORES", "XRANGE stream - +")) {
      Args args = Args.of(read.split(" "));
      String key = args.text(1);
      String before = inTransaction(args);
      StringBuilder reply = new StringBuilder();
      tester.stream(
          client,
          args,
          piece -> {
            try {
              if (reply.isEmpty()) {
                run("DEL", key);
                run("SET", key, "other");
                tester.flush();
                while (tester.work()) {
                  // Until nothing is left to do.
                }
              }
            } catch (IOException failure) {
              throw new AssertionError(failure);
            }
            reply.append(piece);
          });
      assertEquals(before, reply.toString());
    }
  }

  @Test
  void whoGivesUpInTheMiddleHoldsNothing() {
    for (String read : List.of("HGETALL hash", "ZRANGE zset 0 -1", "KEYS *")) {
      Args args = Args.of(read.split(" "));
      int[] pieces = new int[1];
      assertThrows(
          ReplyCutShortException.class,
          () ->
              tester.stream(
                  client,
                  args,
                  piece -> {
                    if (++pieces[0] == 2) {
                      throw new ReplyCutShortException("enough");
                    }
                  }));
      // The tester's close fails while a snapshot is open; and what follows begins afresh.
      assertTrue(tester.stream(client, args).size() >= PIECES_MIN);
    }
  }

  @Test
  void nothingLeavesForAClientThatWantsNoReplies() throws IOException {
    client.replyMode(Session.ReplyMode.OFF);
    assertEquals(List.of(), tester.stream(client, Args.of("HGETALL", "hash")));
    client.replyMode(Session.ReplyMode.SKIP);
    assertEquals(List.of(), tester.stream(client, Args.of("ZRANGE", "zset", "0", "-1")));
    assertTrue(tester.stream(client, Args.of("HGETALL", "hash")).size() >= PIECES_MIN);
  }
}
