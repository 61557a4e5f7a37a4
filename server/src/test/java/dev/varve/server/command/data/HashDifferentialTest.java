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
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the hash group give the very replies of redis-server 7.0. */
class HashDifferentialTest {

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET text x
      HSET h
      HSET h f
      HSET h f 1 g
      HSET h f 1 g 2 f 3
      HSET h f 4
      HSET h "" ""
      HSET text f 1
      HGET h f
      HGET h ""
      HGET h none
      HGET none f
      HGET text f
      HMSET h a
      HMSET h a 1 b
      HMSET h a 1 b 2
      HMSET text a 1
      HMGET h
      HMGET h a none f a
      HMGET none a b
      HMGET text a
      HSETNX h a 9
      HSETNX h new 9
      HSETNX fresh f v
      HSETNX text f v
      HSETNX h a
      HEXISTS h a
      HEXISTS h none
      HEXISTS none f
      HEXISTS text f
      HLEN h
      HLEN none
      HLEN text
      HLEN h x
      HSTRLEN h a
      HSTRLEN h none
      HSTRLEN none f
      HSTRLEN text f
      HKEYS h
      HVALS h
      HGETALL h
      HKEYS none
      HVALS none
      HGETALL none
      HKEYS text
      HVALS text
      HGETALL text
      OBJECT ENCODING h
      TYPE h
      HINCRBY h n 5
      HINCRBY h n -7
      HINCRBY h n 9223372036854775807
      HINCRBY h n 9223372036854775807
      HINCRBY h m -9223372036854775808
      HINCRBY h m -1
      HINCRBY h n abc
      HINCRBY h n
      HINCRBY h n 1 2
      HSET h bad 012
      HINCRBY h bad 1
      HINCRBY h "" 1
      HINCRBY text n 1
      HINCRBY text n abc
      HINCRBYFLOAT h n 0.5
      HINCRBYFLOAT h d 3.0e3
      HINCRBYFLOAT h d 0.1
      HINCRBYFLOAT h d -0.1
      HINCRBYFLOAT h d abc
      HINCRBYFLOAT h d inf
      HINCRBYFLOAT h d -inf
      HINCRBYFLOAT h d nan
      HINCRBYFLOAT h d 1e4932
      HINCRBYFLOAT h d 1e4932
      HINCRBYFLOAT h d 1e4933
      HSET h word abc infinite inf
      HINCRBYFLOAT h word 1
      HINCRBYFLOAT h infinite 1
      HINCRBYFLOAT none2 f 0
      HINCRBYFLOAT text n 1
      HINCRBYFLOAT text n abc
      HINCRBYFLOAT text n inf
      HGET h d
      HDEL h
      HDEL h none
      HDEL h a a b none
      HDEL none a
      HDEL text a
      HDEL fresh f
      EXISTS fresh
      HRANDFIELD none
      HRANDFIELD none 5
      HRANDFIELD none 5 WITHVALUES
      HRANDFIELD none -5 WITHVALUES
      HRANDFIELD text
      HRANDFIELD text 1
      HRANDFIELD h abc
      HRANDFIELD h 0
      HRANDFIELD h 1 FOO
      HRANDFIELD h 1 WITHVALUES WITHVALUES
      HRANDFIELD h abc FOO
      HRANDFIELD h -9223372036854775808
      HRANDFIELD h -9223372036854775807 WITHVALUES
      HRANDFIELD h 9223372036854775807 WITHVALUES
      HRANDFIELD h 4611686018427387904 WITHVALUES
      HRANDFIELD h 9223372036854775807 FOO
      HSET nameless "" v
      HSCAN nameless 0 MATCH *
      HSCAN nameless 0 MATCH **
      HSCAN nameless 0 MATCH ""
      DEL nameless
      HSCAN none 0
      HSCAN none abc
      HSCAN none 0 FOO
      HSCAN none 0 COUNT 0
      HSCAN text 0
      HSCAN text 0 FOO
      HSET p word 1 other 2
      HSCAN p abc
      HSCAN p 0
      HSCAN p 0 FOO
      HSCAN p 0 COUNT
      HSCAN p 0 COUNT 0
      HSCAN p 0 COUNT abc
      HSCAN p 0 TYPE hash
      HSCAN p 0 MATCH w*
      HSCAN p 0 MATCH w* COUNT 1
      HSCAN p 77
      COPY h copy
      HGETALL copy
      RENAME copy moved
      HGETALL moved
      HSET moved f 1
      HGET h f
      DEL moved
      HGETALL moved
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsOnSmallHashesGetTheSameReplies() throws Exception {
    randomRequests(20, 200, 12, 12);
  }

  @Test
  void randomRequestsOnLargeHashesGetTheSameReplies() throws Exception {
    randomRequests(3, 500, 700, 5);
  }

  private void randomRequests(int seeds, int steps, int fields, int valueRepeatsMax)
      throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < seeds; seed++) {
        Comparison comparison = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < fields; i++) {
          comparison.same("start", "HSET", "k" + i % 3, "f" + i, "v" + i);
        }
        for (int step = 0; step < steps; step++) {
          String[] request = request(random, fields, valueRepeatsMax);
          String where = "seed " + seed + " step " + step + ": " + String.join(" ", request);
          if (request[0].equals("HSCAN")) {
            comparison.sameScan(where, 2, "HSCAN", request[1], "COUNT", "7", "MATCH", "*1*");
          } else {
            comparison.same(where, request);
          }
        }
        for (int key = 0; key < 4; key++) {
          comparison.same("at the end of seed " + seed, "HGETALL", "k" + key);
          comparison.same("at the end of seed " + seed, "OBJECT", "ENCODING", "k" + key);
          comparison.sameScan("at the end of seed " + seed, 2, "HSCAN", "k" + key);
        }
      }
    }
  }

  private static String[] request(SplittableRandom random, int fields, int valueRepeatsMax) {
    String key = "k" + random.nextInt(4);
    String other = "k" + random.nextInt(4);
    String field = "f" + random.nextInt(fields);
    String second = "f" + random.nextInt(fields);
    String value = "w".repeat(random.nextInt(valueRepeatsMax)) + random.nextInt(100);
    String number = Integer.toString(random.nextInt(-12, 12));
    return switch (random.nextInt(22)) {
      case 0, 1 -> new String[] {"HSET", key, field, value};
      case 2, 3 -> new String[] {"HSET", key, field, value, second, number, field, number};
      case 4 -> new String[] {"HMSET", key, field, number, second, value};
      case 5 -> new String[] {"HSETNX", key, field, value};
      case 6 -> new String[] {"HGET", key, field};
      case 7 -> new String[] {"HMGET", key, field, second, field};
      case 8, 9 -> new String[] {"HDEL", key, field, second, field};
      case 10 -> new String[] {"HINCRBY", key, field, number};
      case 11 -> new String[] {"HINCRBYFLOAT", key, field, number + ".37"};
      case 12 -> new String[] {"HLEN", key};
      case 13 -> new String[] {"HSTRLEN", key, field};
      case 14 -> new String[] {"HEXISTS", key, field};
      case 15 -> new String[] {"HKEYS", key};
      case 16 -> new String[] {"HVALS", key};
      case 17 -> new String[] {"HGETALL", key};
      case 18 -> new String[] {"HSCAN", key};
      case 19 ->
          random.nextInt(4) == 0
              ? new String[] {"HSET", key, field, "large".repeat(20)}
              : new String[] {"OBJECT", "ENCODING", key};
      case 20 -> new String[] {random.nextBoolean() ? "RENAMENX" : "COPY", key, other};
      default ->
          random.nextInt(5) == 0
              ? new String[] {"DEL", key}
              : new String[] {"HDEL", key, "f1", "f2", "f3"};
    };
  }

  @Test
  void encodingIsTheOneOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison comparison = new Comparison(redis);
      for (int i = 0; i < 130; i++) {
        comparison.same("field " + i, "HSET", "h", "f" + i, "v");
        comparison.same("field " + i, "OBJECT", "ENCODING", "h");
      }
      for (int bytes = 63; bytes < 67; bytes++) {
        String large = "x".repeat(bytes);
        comparison.same("bytes " + bytes, "HSET", "value" + bytes, "f", large);
        comparison.same("bytes " + bytes, "HSET", "field" + bytes, large, "v");
        comparison.same("bytes " + bytes, "OBJECT", "ENCODING", "value" + bytes);
        comparison.same("bytes " + bytes, "OBJECT", "ENCODING", "field" + bytes);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 1000})
  void randomFieldsAreFieldsWithTheirValues(int size) {
    CommandTester tester = new CommandTester();
    for (int i = 0; i < size; i++) {
      tester.run("HSET", "h", "f" + i, "v" + i);
    }
    assertTrue(tester.run("HRANDFIELD", "h").startsWith("$"));
    for (int count : List.of(1, 3, size, 2 * size, -3, -2 * size)) {
      String[] request = {"HRANDFIELD", "h", Integer.toString(count), "WITHVALUES"};
      tester.client().protocol(2);
      List<String> pairs = Replies.groups(Replies.elements(tester.run(request)), 2);
      assertSample(count, size, pairs);
      tester.client().protocol(3);
      assertSample(
          count,
          size,
          Replies.elements(tester.run(request)).stream()
              .map(pair -> String.join("", Replies.elements(pair)))
              .toList());
      assertEquals(
          pairs.size(), Replies.elements(tester.run("HRANDFIELD", "h", "" + count)).size());
    }
  }

  private static void assertSample(int count, int size, List<String> pairs) {
    assertEquals(count < 0 ? -count : Math.min(count, size), pairs.size());
    Set<String> different = new HashSet<>(pairs);
    assertTrue(count < 0 || different.size() == pairs.size(), "different fields");
    for (String pair : different) {
      String field = pair.split("\r\n")[1];
      String value = pair.split("\r\n")[3];
      assertEquals("v" + field.substring(1), value);
    }
  }
}
