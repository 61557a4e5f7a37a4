package dev.varve.server.command.data;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the stream group give the very replies of redis-server 7.0. */
class StreamDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET s x
      LPUSH l a
      DEL s
      XADD s
      XADD s * a
      XADD s * a b c
      XADD s 0-0 a b
      XADD s 0 a b
      XADD s 0-* a b
      XADD s 5-1 a b
      XADD s 5-1 a b
      XADD s 5-* a b
      XADD s 4-* a b
      XADD s abc a b
      XADD s 5-a a b
      XADD s + a b
      XADD s - a b
      XADD s 6 a b
      XADD s 18446744073709551616-1 a b
      XADD s 18446744073709551616-* a b
      XADD s 1-1-1 a b
      XADD moments +5-* a b
      XADD moments 005-* a b
      XADD moments 5-1-* a b
      XADD moments 5-** a b
      XADD moments %s6-* a b
      XADD moments %s6-* a b
      XRANGE moments - +
      XADD s *-* a b
      XADD s *-1 a b
      XADD s -* a b
      XADD l 0-0 a b
      XADD l 1-1 a b
      XADD l * a
      XADD s NOMKSTREAM 7 a b
      XADD none NOMKSTREAM 7 a b
      XADD none NOMKSTREAM 0-0 a b
      XADD s MAXLEN
      XADD s MAXLEN * a b
      XADD s MAXLEN = 10 * a
      XADD s MAXLEN -1 * a b
      XADD s MAXLEN a * a b
      XADD s MAXLEN 1 MINID 2 * a b
      XADD s LIMIT 1 * a b
      XADD s MAXLEN 3 LIMIT 1 * a b
      XADD s MAXLEN ~ 3 LIMIT -1 * a b
      XADD s MAXLEN ~ 3 LIMIT a * a b
      XADD s MINID a * a b
      XADD s MINID ~ 5 LIMIT 0 8-1 a b
      XADD s MAXLEN = 3 9-1 a b
      XADD s MINID = 8 9-2 a b
      XLEN s
      XTRIM s
      XTRIM s MAXLEN
      XTRIM s FOO 3
      XTRIM s MAXLEN 3 FOO
      XTRIM s MAXLEN 3 LIMIT 3
      XTRIM s LIMIT 3 MAXLEN 3
      XTRIM s NOMKSTREAM 3 4
      XTRIM s LIMIT 3 LIMIT 3
      XTRIM l MAXLEN a
      XTRIM l MAXLEN 1
      XTRIM none MAXLEN 3
      XTRIM s MAXLEN 5 MINID 3
      XTRIM s MAXLEN ~ 3 LIMIT
      XLEN l
      XLEN none
      XDEL s a
      XDEL s 1 a
      XDEL l 1
      XDEL none a
      XDEL none 1
      XRANGE s - + COUNT 0
      XRANGE s - + COUNT -1
      XRANGE s a +
      XRANGE s - a
      XRANGE s (- +
      XRANGE s - (+
      XRANGE s ( +
      XRANGE s (18446744073709551615-18446744073709551615 +
      XRANGE s - (0-0
      XRANGE s (8-1 +
      XRANGE s 8 8
      XRANGE s + -
      XRANGE l a b
      XRANGE l - +
      XRANGE none a b
      XRANGE none - + COUNT 0
      XRANGE s - + FOO
      XRANGE s - + COUNT
      XRANGE s - + COUNT a
      XRANGE s - + COUNT 1 COUNT 2
      XREVRANGE s + - COUNT 1
      XREVRANGE s + -
      XREVRANGE s a -
      XREVRANGE s + a
      XREVRANGE s (9-2 (8-1
      XSETID none 5
      XSETID s 5-0
      XSETID s a
      XSETID s *
      XSETID s 99999999999999 ENTRIESADDED -1 MAXDELETEDID 0-0
      XSETID s 99999999999999 ENTRIESADDED 1 MAXDELETEDID 0-0
      XSETID s 99999999999999 ENTRIESADDED a MAXDELETEDID 0-0
      XSETID s 99999999999999 ENTRIESADDED 100
      XSETID s 99999999999999 ENTRIESADDED 100 MAXDELETEDID 999999999999999
      XSETID s 99999999999999 ENTRIESADDED 100 MAXDELETEDID 9
      XSETID s 99999999999999 FOO 1
      XSETID l 5
      XINFO STREAM s
      XSETID s 99999999999999 MAXDELETEDID 9
      XSETID s 10
      XSETID s 5-3 ENTRIESADDED 100 MAXDELETEDID 7
      XSETID s 8
      XINFO STREAM s
      XADD top 18446744073709551615-18446744073709551615 a b
      XADD top * a b
      XADD top 18446744073709551615-* a b
      XADD near 5-18446744073709551615 a b
      XADD near 5-* a b
      XADD near 5 a b
      TYPE s
      OBJECT ENCODING s
      COPY s t
      XINFO STREAM t
      RENAME t u
      XADD u 20-1 a b
      XLEN s
      DEL u
      DEL s
      XADD s 1-1 a b
      XGROUP
      XGROUP FOO
      XGROUP CREATE s
      XGROUP CREATE none g 0
      XGROUP CREATE none g a
      XGROUP CREATE s g a
      XGROUP CREATE s g $ FOO
      XGROUP CREATE s g 0 ENTRIESREAD a
      XGROUP CREATE s g 0 ENTRIESREAD -2
      XGROUP CREATE s g 0 ENTRIESREAD
      XGROUP CREATE s g 0 ENTRIESREAD 3 MKSTREAM
      XGROUP CREATE s g 0
      XGROUP CREATE s g a
      XGROUP CREATE l g 0
      XGROUP CREATE l g 0 MKSTREAM
      XGROUP CREATE l g a
      XGROUP CREATE m g $ MKSTREAM
      XINFO STREAM m
      XINFO STREAM m FULL
      XADD m 0-1 a b
      XINFO GROUPS m
      XGROUP SETID s none 0
      XGROUP SETID none none 0
      XGROUP SETID s g a
      XGROUP SETID s g 0 MKSTREAM
      XGROUP SETID s g - ENTRIESREAD 5
      XGROUP SETID s g +
      XINFO GROUPS s
      XGROUP SETID s g 0
      XINFO GROUPS s
      XGROUP DESTROY s none
      XGROUP DESTROY none none
      XGROUP DESTROY l none
      XGROUP CREATECONSUMER s none c
      XGROUP CREATECONSUMER s g c
      XGROUP CREATECONSUMER s g c
      XGROUP CREATECONSUMER none g c
      XGROUP DELCONSUMER s g c
      XGROUP DELCONSUMER s g c
      XGROUP DELCONSUMER s none c
      XREAD
      XREAD STREAMS s
      XREAD STREAMS s 0
      XREAD STREAMS s a
      XREAD STREAMS s >
      XREAD STREAMS s $
      XREAD STREAMS s l 0 0
      XREAD STREAMS l a
      XREAD STREAMS none 0
      XREAD STREAMS none s m 0 0 0
      XREAD COUNT a STREAMS s 0
      XREAD COUNT 0 STREAMS s 0
      XREAD COUNT -1 STREAMS s 0
      XREAD BLOCK a STREAMS s 0
      XREAD BLOCK -1 STREAMS s 0
      XREAD FOO STREAMS s 0
      XREAD NOACK STREAMS s 0
      XREAD GROUP g c STREAMS s 0
      XREAD COUNT 1
      XREAD COUNT 1 BLOCK 3
      XREAD STREAMS s s 0
      XREAD STREAMS s -
      XREAD STREAMS s (1-1
      XREAD STREAMS s 18446744073709551615-18446744073709551615
      XREADGROUP GROUP g c STREAMS s $
      XREADGROUP GROUP g c STREAMS s >
      XREADGROUP GROUP g c STREAMS s 0
      XREADGROUP GROUP g c STREAMS s 1-1
      XREADGROUP GROUP none c STREAMS s >
      XREADGROUP GROUP g c STREAMS none >
      XREADGROUP GROUP g c STREAMS none a
      XREADGROUP GROUP g c STREAMS s a
      XGROUP SETID s g 0
      XREADGROUP GROUP g c STREAMS s 18446744073709551615-18446744073709551615
      XREADGROUP GROUP g c STREAMS s 18446744073709551615-18446744073709551615
      XREADGROUP GROUP none c STREAMS s a
      XREADGROUP GROUP g c STREAMS l >
      XREADGROUP FOO g c STREAMS s >
      XREADGROUP COUNT 1 NOACK STREAMS s >
      XREADGROUP GROUP g
      XREADGROUP GROUP g c COUNT 1 STREAMS s s >
      XREADGROUP GROUP g c STREAMS s l > >
      XREADGROUP GROUP g c STREAMS s m 0 >
      XREADGROUP GROUP g c2 STREAMS s >
      XREADGROUP GROUP g c3 STREAMS s 0
      XINFO CONSUMERS s g
      XINFO CONSUMERS s none
      XINFO CONSUMERS none g
      XINFO GROUPS none
      XINFO STREAM none
      XINFO STREAM l
      XINFO GROUPS l
      XINFO STREAM s FULL
      XINFO STREAM s FULL COUNT -1
      XINFO STREAM s FULL COUNT 0
      XINFO STREAM s FULL COUNT a
      XINFO STREAM s FOO
      XINFO STREAM s FULL FOO 1
      XINFO STREAM s FULL COUNT
      XINFO STREAM none FULL FOO 1
      XINFO
      XINFO FOO s
      XACK s g
      XACK s g a
      XACK none g 1
      XACK none g a
      XACK s none 1
      XACK s none a
      XACK l g 1
      XACK l g a
      XPENDING s g
      XPENDING none g
      XPENDING s none
      XPENDING l g
      XPENDING s g a
      XPENDING s g - +
      XPENDING s g - + 10
      XPENDING s g - + 10 c
      XPENDING s g - + 10 none
      XPENDING s g - + a
      XPENDING s g - + -1
      XPENDING s g - + 0
      XPENDING s g a + 1
      XPENDING none g a + 1
      XPENDING s g IDLE 0 - + 10
      XPENDING s g IDLE 100000000 - + 10
      XPENDING s g IDLE a - + 10
      XPENDING s g IDLE 0
      XPENDING s g IDLE 0 - + 10 c x
      XPENDING s g FOO 0 - + 10
      XPENDING s g - + 10 c x
      XPENDING s g (1-1 + 10
      XCLAIM s g c2 0 1-1
      XCLAIM s g c3 a 1-1
      XCLAIM s none c3 0 1-1
      XCLAIM s none c3 a 1-1
      XCLAIM none g c3 0 1-1
      XCLAIM s g c3 0 a
      XCLAIM s g c3 0 1-1 FOO
      XCLAIM s g c3 0 1-1 IDLE
      XCLAIM s g c3 0 1-1 IDLE a
      XCLAIM s g c3 0 1-1 TIME a
      XCLAIM s g c3 0 1-1 RETRYCOUNT a
      XCLAIM s g c3 0 1-1 RETRYCOUNT -1
      XCLAIM s g c3 0 1-1 RETRYCOUNT 7
      XCLAIM s g c3 0 1-1 LASTID a
      XCLAIM s g c3 0 1-1 LASTID 3
      XCLAIM s g c3 0 1-1 JUSTID FORCE
      XINFO STREAM s FULL
      XCLAIM s g c4 100000000 1-1 9-9
      XCLAIM l g c4 100000 1-1
      XINFO CONSUMERS s g
      XADD s 5-5 n v
      XCLAIM s g forced 100 5-5 FORCE
      XCLAIM s g forced 0 6-6 FORCE
      XINFO STREAM s FULL
      XAUTOCLAIM s g c5 0 0
      XAUTOCLAIM s g c5 a 0
      XAUTOCLAIM s g c5 0 a
      XAUTOCLAIM s g c5 0 0 COUNT 0
      XAUTOCLAIM s g c5 0 0 COUNT a
      XAUTOCLAIM s g c5 0 0 COUNT 1
      XAUTOCLAIM s g c5 0 0 FOO
      XAUTOCLAIM s g c5 0 - JUSTID
      XAUTOCLAIM none g c5 0 -
      XAUTOCLAIM none g c5 a -
      XAUTOCLAIM s none c5 0 -
      XAUTOCLAIM l none c5 0 -
      XAUTOCLAIM s g c6 100000000 - COUNT 1
      XAUTOCLAIM s g c6 0 (18446744073709551615-18446744073709551615
      XINFO CONSUMERS s g
      XDEL s 1-1
      XREADGROUP GROUP g c5 STREAMS s 0
      XPENDING s g - + 10
      XAUTOCLAIM s g c7 0 0 COUNT 1
      XAUTOCLAIM s g c7 0 0 COUNT 1
      XINFO STREAM s FULL
      XGROUP DELCONSUMER s g c7
      XINFO STREAM s FULL
      XCLAIM s g c8 0 5-5 1-1 FORCE JUSTID
      COPY s t
      XINFO STREAM t FULL
      RENAME t u
      XGROUP DESTROY u g
      XINFO STREAM u FULL
      XGROUP DESTROY s g
      XPENDING s g
      """
          .formatted("0".repeat(124), "0".repeat(125));

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsGetTheSameReplies() throws Exception {
    System.out.println("StreamDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int round = 0; round < 8; round++) {
        int nodeEntries = round % 2 == 0 ? 100 : 5;
        redis.run("CONFIG", "SET", "stream-node-max-entries", Integer.toString(nodeEntries));
        Comparison both =
            new Comparison(redis, PackedLimits.DEFAULT.withStreamNodes(nodeEntries, 4096));
        SplittableRandom random = new SplittableRandom(SEED + round);
        int ids = 10 << random.nextInt(7);
        for (int step = 0; step < 700; step++) {
          String[] request = request(random, ids);
          String where =
              "seed " + (SEED + round) + " step " + step + ": " + String.join(" ", request);
          both.same(where, request);
          if (step % 20 == 0) {
            both.same(where, "XINFO", "STREAM", "x" + random.nextInt(3), "FULL", "COUNT", "0");
          }
        }
        for (int key = 0; key < 3; key++) {
          String where = "at the end of seed " + (SEED + round);
          both.same(where, "XINFO", "STREAM", "x" + key, "FULL", "COUNT", "0");
          both.same(where, "XREVRANGE", "x" + key, "+", "-");
        }
      }
    }
  }

  private static String id(SplittableRandom random, int ids) {
    return random.nextInt(ids) + (random.nextInt(4) == 0 ? "" : "-" + random.nextInt(4));
  }

  private static String[] request(SplittableRandom random, int ids) {
    String key = "x" + random.nextInt(3);
    String id = id(random, ids);
    String other = id(random, ids);
    String group = "g" + random.nextInt(3);
    String consumer = "c" + random.nextInt(3);
    String count = Integer.toString(random.nextInt(1, 20));
    String value = "v".repeat(random.nextInt(random.nextInt(20) == 0 ? 900 : 30));
    List<String> request = new ArrayList<>();
    switch (random.nextInt(32)) {
      case 0, 1, 2, 3, 4, 5 -> request.addAll(List.of("XADD", key, id, "field", value, "n", count));
      case 6, 7, 8 -> request.addAll(List.of("XADD", key, ids + "-*", "f", value));
      case 9 ->
          request.addAll(
              List.of(
                  "XADD",
                  key,
                  random.nextBoolean() ? "MAXLEN" : "MINID",
                  random.nextBoolean() ? "~" : "=",
                  Integer.toString(random.nextInt(ids)),
                  ids + 1 + "-*",
                  "f",
                  value));
      case 10 -> request.addAll(List.of("XDEL", key, id, other));
      case 11 -> {
        request.addAll(List.of("XTRIM", key, random.nextBoolean() ? "MAXLEN" : "MINID"));
        request.add(random.nextBoolean() ? "~" : "=");
        request.add(Integer.toString(random.nextInt(ids)));
        if (request.get(3).equals("~") && random.nextBoolean()) {
          request.addAll(List.of("LIMIT", Integer.toString(random.nextInt(150))));
        }
      }
      case 12, 13 -> request.addAll(List.of("XRANGE", key, id, other, "COUNT", count));
      case 14 -> request.addAll(List.of("XREVRANGE", key, "(" + id, other));
      case 15 -> request.addAll(List.of("XREAD", "COUNT", count, "STREAMS", key, "x1", id, other));
      case 16 -> request.addAll(List.of("XLEN", key));
      case 17 ->
          request.addAll(
              List.of("XGROUP", "CREATE", key, group, random.nextBoolean() ? "0" : id, "MKSTREAM"));
      case 18 ->
          request.addAll(List.of("XGROUP", "SETID", key, group, random.nextBoolean() ? "$" : id));
      case 19, 20, 21 -> {
        request.addAll(List.of("XREADGROUP", "GROUP", group, consumer, "COUNT", count));
        if (random.nextInt(5) == 0) {
          request.add("NOACK");
        }
        request.addAll(List.of("STREAMS", key, ">"));
      }
      case 22 ->
          request.addAll(
              List.of("XREADGROUP", "GROUP", group, consumer, "COUNT", count, "STREAMS", key, id));
      case 23, 24 -> request.addAll(List.of("XACK", key, group, id, other));
      case 25 -> request.addAll(List.of("XPENDING", key, group));
      case 26 -> request.addAll(List.of("XPENDING", key, group, "-", other, count, consumer));
      case 27 -> {
        request.addAll(List.of("XCLAIM", key, group, consumer, "0", id, other));
        if (random.nextInt(3) == 0) {
          request.add("FORCE");
        }
        if (random.nextInt(3) == 0) {
          request.addAll(List.of("RETRYCOUNT", count));
        }
        if (random.nextInt(3) == 0) {
          request.add("JUSTID");
        }
      }
      case 28 -> {
        request.addAll(List.of("XAUTOCLAIM", key, group, consumer, "0", id, "COUNT", count));
        if (random.nextBoolean()) {
          request.add("JUSTID");
        }
      }
      case 29 ->
          request.addAll(
              List.of(
                  "XGROUP",
                  random.nextBoolean() ? "CREATECONSUMER" : "DELCONSUMER",
                  key,
                  group,
                  consumer));
      case 30 -> request.addAll(List.of("XINFO", "GROUPS", key));
      default ->
          request.addAll(
              switch (random.nextInt(12)) {
                case 0 -> List.of("DEL", key);
                case 1 -> List.of("XGROUP", "DESTROY", key, group);
                case 2 -> List.of("COPY", key, "x" + random.nextInt(3));
                case 3 -> List.of("RENAMENX", key, "x" + random.nextInt(3));
                case 4 -> List.of("XSETID", key, ids + 2 + "-0");
                case 5, 6 -> List.of("XINFO", "STREAM", key);
                default -> List.of("XINFO", "CONSUMERS", key, group);
              });
    }
    return request.toArray(String[]::new);
  }
}
