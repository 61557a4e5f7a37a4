package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the set group give the very replies of redis-server 7.0. */
class SetDifferentialTest {

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET text x
      SADD s
      SADD s a b a ""
      SADD s a
      SADD s c
      SADD text a
      SADD ints 3 1 2 3
      OBJECT ENCODING ints
      OBJECT ENCODING s
      SADD ints 01
      OBJECT ENCODING ints
      TYPE s
      SREM s
      SREM s none
      SREM s c c none
      SREM none a
      SREM text a
      SCARD s
      SCARD none
      SCARD text
      SCARD s s
      SISMEMBER s a
      SISMEMBER s ""
      SISMEMBER s none
      SISMEMBER none a
      SISMEMBER text a
      SMISMEMBER s
      SMISMEMBER s a none b a
      SMISMEMBER none a b
      SMISMEMBER text a
      SMEMBERS s
      SMEMBERS ints
      SMEMBERS none
      SMEMBERS text
      SADD t b x y
      SMOVE s t
      SMOVE s t a
      SMOVE s t a
      SMOVE s t b
      SMOVE s s ""
      SMOVE s s none
      SMOVE s text ""
      SMOVE text s a
      SMOVE none text a
      SMOVE none t a
      SMOVE s fresh ""
      EXISTS s fresh
      SMEMBERS t
      SADD s 1 2 3 4
      SADD u 2 3 5
      SINTER
      SINTER s
      SINTER s u
      SINTER s u none
      SINTER none s
      SINTER none text
      SINTER s text
      SINTER s s
      SUNION s u
      SUNION none s none
      SUNION none
      SUNION none text
      SDIFF s u
      SDIFF s u none
      SDIFF none s
      SDIFF s s
      SDIFF s text
      SDIFF none text
      SDIFF text s
      SINTERCARD
      SINTERCARD 1
      SINTERCARD 0 s
      SINTERCARD -1 s
      SINTERCARD abc s
      SINTERCARD 3 s u
      SINTERCARD 2 s u
      SINTERCARD 2 s u LIMIT
      SINTERCARD 2 s u LIMIT 1
      SINTERCARD 2 s u LIMIT 0
      SINTERCARD 2 s u LIMIT -1
      SINTERCARD 2 s u LIMIT abc
      SINTERCARD 2 s u FOO 1
      SINTERCARD 2 s u LIMIT 9 LIMIT 1
      SINTERCARD 1 s u
      SINTERCARD 2 s text
      SINTERCARD 2 none text
      SINTERCARD 2 none s
      SINTERSTORE d
      SINTERSTORE d s u
      OBJECT ENCODING d
      SMEMBERS d
      SINTERSTORE d s none
      EXISTS d
      SINTERSTORE d none
      SUNIONSTORE d s u t
      SMEMBERS d
      SDIFFSTORE d d t
      SMEMBERS d
      SDIFFSTORE text2 text s
      SUNIONSTORE d text s
      SUNIONSTORE text s u
      TYPE text
      SMEMBERS text
      SINTERSTORE s s u
      SMEMBERS s
      SET text x EXAT 4102444800
      SUNIONSTORE text s
      TTL text
      SET text x
      SPOP none
      SPOP none 3
      SPOP none abc
      SPOP s 0
      SPOP s -1
      SPOP s abc
      SPOP s 1 2
      SPOP text
      SPOP text 1
      SADD one x
      SPOP one
      EXISTS one
      SADD one x
      SPOP one 5
      EXISTS one
      SRANDMEMBER none
      SRANDMEMBER none 3
      SRANDMEMBER none -3
      SRANDMEMBER s 0
      SRANDMEMBER s abc
      SRANDMEMBER s 1 2
      SRANDMEMBER s -9223372036854775808
      SRANDMEMBER text
      SRANDMEMBER text 1
      SADD one x
      SRANDMEMBER one
      SRANDMEMBER one 5
      SRANDMEMBER one -5
      SSCAN none 0
      SSCAN none abc
      SSCAN none 0 FOO
      SSCAN text 0
      SSCAN text 0 FOO
      SSCAN one abc
      SSCAN one 0
      SSCAN one 0 FOO
      SSCAN one 0 COUNT 0
      SSCAN one 0 COUNT abc
      SSCAN one 0 TYPE set
      SSCAN one 0 MATCH y*
      COPY s copy
      SADD copy more
      SMEMBERS copy
      RENAME copy moved
      SMEMBERS moved
      SISMEMBER s more
      SREM moved 2 3
      SMEMBERS moved
      DEL moved
      SMEMBERS moved
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsOnSmallSetsGetTheSameReplies() throws Exception {
    randomRequests(20, 200, 15);
  }

  @Test
  void randomRequestsOnLargeSetsGetTheSameReplies() throws Exception {
    randomRequests(3, 400, 1500);
  }

  private void randomRequests(int seeds, int steps, int members) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < seeds; seed++) {
        Comparison comparison = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < members; i++) {
          comparison.same("start", "SADD", "k" + random.nextInt(3), member(random, members));
        }
        for (int step = 0; step < steps; step++) {
          String[] request = request(random, members);
          String where = "seed " + seed + " step " + step + ": " + String.join(" ", request);
          if (request[0].equals("SSCAN")) {
            comparison.sameScan(where, 1, "SSCAN", request[1], "COUNT", "7", "MATCH", "*1*");
          } else if (request[0].equals("SPOP")) {
            pop(comparison, where, request);
          } else {
            comparison.same(where, request);
          }
        }
        for (int key = 0; key < 4; key++) {
          comparison.same("at the end of seed " + seed, "SMEMBERS", "k" + key);
          comparison.sameScan("at the end of seed " + seed, 1, "SSCAN", "k" + key);
        }
      }
    }
  }

  private static String member(SplittableRandom random, int members) {
    int number = random.nextInt(members);
    return number % 5 == 4 ? "member " + number : Integer.toString(number);
  }

  /** Which members come out is chance: those that came out here are taken out there. */
  private static void pop(Comparison comparison, String where, String[] request) {
    String key = request[1];
    int size = Replies.elements(comparison.tester.run("SMEMBERS", key)).size();
    List<String> popped = Replies.elements(comparison.tester.run(request));
    assertEquals(Math.min(size, Integer.parseInt(request[2])), popped.size(), where);
    for (String member : popped) {
      assertEquals(":1\r\n", comparison.redis.run("SREM", key, Replies.text(member)), where);
    }
  }

  private static String[] request(SplittableRandom random, int members) {
    String key = "k" + random.nextInt(4);
    String other = "k" + random.nextInt(4);
    String third = "k" + random.nextInt(4);
    String member = member(random, members);
    String second = member(random, members);
    return switch (random.nextInt(22)) {
      case 0, 1, 2 -> new String[] {"SADD", key, member, second, member};
      case 3, 4 -> new String[] {"SREM", key, member, second, member};
      case 5 -> new String[] {"SMOVE", key, other, member};
      case 6 -> new String[] {"SCARD", key};
      case 7 -> new String[] {"SISMEMBER", key, member};
      case 8 -> new String[] {"SMISMEMBER", key, member, second, member};
      case 9 -> new String[] {"SMEMBERS", key};
      case 10 -> new String[] {"SINTER", key, other, third};
      case 11 -> new String[] {"SUNION", key, other, third};
      case 12 -> new String[] {"SDIFF", key, other, third};
      case 13 -> new String[] {"SINTERSTORE", key, other, third};
      case 14 -> new String[] {"SUNIONSTORE", key, other, third};
      case 15 -> new String[] {"SDIFFSTORE", key, other, third};
      case 16 -> new String[] {"SINTERCARD", "3", key, other, third};
      case 17 -> new String[] {"SINTERCARD", "2", key, other, "LIMIT", "3"};
      case 18 -> new String[] {"SSCAN", key};
      case 19 ->
          new String[] {"SPOP", key, Integer.toString(random.nextInt(4) * random.nextInt(9))};
      case 20 -> new String[] {random.nextBoolean() ? "RENAMENX" : "COPY", key, other};
      default ->
          random.nextInt(5) == 0
              ? new String[] {"DEL", key}
              : new String[] {"SADD", key, "1", "2", "3"};
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 1000})
  void randomMembersAreMembersAndPoppedOnesAreGone(int size) {
    CommandTester tester = new CommandTester();
    HashSet<String> members = new HashSet<>();
    for (int i = 0; i < size; i++) {
      tester.run("SADD", "s", "m" + i);
      members.add("m" + i);
    }
    assertTrue(members.contains(Replies.text(tester.run("SRANDMEMBER", "s"))));
    for (int count : List.of(1, 3, size, 2 * size, -3, -2 * size)) {
      List<String> sample = Replies.elements(tester.run("SRANDMEMBER", "s", "" + count));
      assertEquals(count < 0 ? -count : Math.min(count, size), sample.size());
      assertTrue(count < 0 || new HashSet<>(sample).size() == sample.size(), "all different");
      for (String member : sample) {
        assertTrue(members.contains(Replies.text(member)), member);
      }
    }
    while (!members.isEmpty()) {
      assertTrue(members.remove(Replies.text(tester.run("SPOP", "s"))));
      for (String member : Replies.elements(tester.run("SPOP", "s", "" + members.size() / 2))) {
        assertTrue(members.remove(Replies.text(member)), member);
      }
      assertEquals(":" + members.size() + "\r\n", tester.run("SCARD", "s"));
    }
    assertEquals(":0\r\n", tester.run("EXISTS", "s"));
  }

  @Test
  void encodingIsTheOneOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison comparison = new Comparison(redis);
      for (int i = 0; i < 514; i++) {
        comparison.same("integer " + i, "SADD", "s", Integer.toString(7 * i));
        comparison.same("integer " + i, "OBJECT", "ENCODING", "s");
      }
      comparison.sameLines(
          """
          SADD a 1 2 3
          SADD b 2 3 x
          OBJECT ENCODING b
          SINTERSTORE c a b
          OBJECT ENCODING c
          SUNIONSTORE c a b
          OBJECT ENCODING c
          SREM b x
          OBJECT ENCODING b
          COPY b d
          OBJECT ENCODING d
          """);
    }
  }
}
