package dev.varve.server.command.data;

import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the list group give the very replies of redis-server 7.0. */
class ListDifferentialTest {

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET text x
      LPUSH l
      LPUSH l a b ""
      RPUSH l c d
      LPUSH text a
      RPUSH text a
      LPUSHX none a
      RPUSHX none a b
      EXISTS none
      LPUSHX l e f
      RPUSHX l g
      LPUSHX text a
      RPUSHX text a
      TYPE l
      OBJECT ENCODING l
      LLEN l
      LLEN none
      LLEN text
      LLEN l l
      LRANGE l 0 -1
      LRANGE l -3 -1
      LRANGE l -100 100
      LRANGE l 3 2
      LRANGE l 100 200
      LRANGE l -9223372036854775808 9223372036854775807
      LRANGE l 9223372036854775807 -9223372036854775808
      LRANGE l a 1
      LRANGE l 0 b
      LRANGE none 0 b
      LRANGE none 0 -1
      LRANGE text 0 b
      LRANGE text 0 -1
      LINDEX l 0
      LINDEX l -1
      LINDEX l 7
      LINDEX l -9
      LINDEX l abc
      LINDEX l 9223372036854775807
      LINDEX l -9223372036854775808
      LINDEX none 0
      LINDEX none abc
      LINDEX text 0
      LINDEX text abc
      LSET l 0 first
      LSET l -1 last
      LSET l 8 x
      LSET l -9 x
      LSET l abc x
      LSET none 0 x
      LSET none abc x
      LSET text 0 x
      LSET text abc x
      LINSERT l BEFORE c new
      LINSERT l after c new2
      LINSERT l AFTER last end
      LINSERT l BEFORE first start
      LINSERT l BEFORE nothing x
      LINSERT l BESIDE c x
      LINSERT none BEFORE c x
      LINSERT none BESIDE c x
      LINSERT text BEFORE c x
      LINSERT text BESIDE c x
      LINSERT l BEFORE c
      LRANGE l 0 -1
      RPUSH p a b c 1 2 3 c c
      LPOS p c
      LPOS p c RANK 2
      LPOS p c RANK -1
      LPOS p c RANK 4
      LPOS p c RANK 0
      LPOS p c RANK abc
      LPOS p c RANK -9223372036854775807
      LPOS p c COUNT 2
      LPOS p c COUNT 0
      LPOS p c COUNT -1
      LPOS p c COUNT abc
      LPOS p c RANK -1 COUNT 2
      LPOS p c RANK -2 COUNT 0
      LPOS p c COUNT 0 MAXLEN 3
      LPOS p c COUNT 0 MAXLEN 2
      LPOS p c RANK -1 COUNT 0 MAXLEN 2
      LPOS p c MAXLEN 2
      LPOS p c MAXLEN -1
      LPOS p c MAXLEN abc
      LPOS p c MAXLEN
      LPOS p c FOO 1
      LPOS p c RANK
      LPOS p c RANK 1 RANK 2
      LPOS p nothing
      LPOS p nothing COUNT 1
      LPOS none c
      LPOS none c COUNT 1
      LPOS none c FOO 1
      LPOS none c RANK 0
      LPOS text c
      LPOS text c RANK 0
      LREM p 0 nothing
      LREM p 1 c
      LREM p -1 c
      LRANGE p 0 -1
      LREM p 0 c
      LREM p 100 1
      LREM p -100 2
      LREM p abc a
      LREM p 9223372036854775807 3
      LREM p -9223372036854775807 3
      LREM p -9223372036854775808 3
      LREM none 0 c
      LREM none abc c
      LREM text 0 c
      LREM text abc c
      LRANGE p 0 -1
      LREM p 0 a
      LREM p 0 b
      EXISTS p
      RPUSH t 1 2 3 4 5 6 7 8 9
      LTRIM t 1 -2
      LRANGE t 0 -1
      LTRIM t -100 100
      LTRIM t 2 100
      LRANGE t 0 -1
      LTRIM t a 1
      LTRIM t 1 b
      LTRIM none a 1
      LTRIM none 0 1
      LTRIM text 0 1
      LTRIM text a 1
      LTRIM t 3 2
      EXISTS t
      LPOP none
      LPOP none 1
      LPOP none 0
      LPOP none -1
      LPOP none abc
      LPOP none 1 2
      RPOP none
      RPOP none 1
      LPOP text
      LPOP text 1
      LPOP text 0
      LPOP l
      RPOP l
      LPOP l 0
      LPOP l 2
      RPOP l 2
      RPOP l -1
      RPOP l abc
      RPOP l 1 2
      LPOP l 1 2
      RPOP l 100
      EXISTS l
      RPUSH s 1 2 3
      RPOPLPUSH s d
      RPOPLPUSH s s
      LRANGE s 0 -1
      RPOPLPUSH none d
      RPOPLPUSH none text
      RPOPLPUSH s text
      RPOPLPUSH text s
      RPOPLPUSH s
      LMOVE s d LEFT RIGHT
      LMOVE s d right left
      LMOVE s d LEFT RIGHT
      LRANGE d 0 -1
      LMOVE d d LEFT RIGHT
      LMOVE d d LEFT LEFT
      LMOVE d d RIGHT RIGHT
      LRANGE d 0 -1
      LMOVE d d UP LEFT
      LMOVE d d LEFT UP
      LMOVE none d LEFT UP
      LMOVE none text LEFT LEFT
      LMOVE d text LEFT LEFT
      LMOVE text d LEFT LEFT
      LRANGE d 0 -1
      LMPOP 1 l LEFT COUNT LMPOP 3
      LMPOP 1 d
      LMPOP 0 d LEFT
      LMPOP -1 d LEFT
      LMPOP abc d LEFT
      LMPOP 3 d LEFT
      LMPOP 2 d LEFT
      LMPOP 9223372036854775807 d LEFT
      LMPOP 1 d UP
      LMPOP 1 d LEFT COUNT
      LMPOP 1 d LEFT COUNT 0
      LMPOP 1 d LEFT COUNT -1
      LMPOP 1 d LEFT COUNT abc
      LMPOP 1 d LEFT FOO 1
      LMPOP 1 d LEFT COUNT 1 COUNT 1
      LMPOP 1 d LEFT 1
      LMPOP 2 none none2 LEFT
      LMPOP 2 none none2 RIGHT COUNT 2
      LMPOP 2 none text RIGHT
      LMPOP 2 text d RIGHT
      LMPOP 2 none d RIGHT
      LMPOP 2 d text LEFT COUNT 100
      EXISTS d
      RPUSH c 1 2 3
      COPY c copy
      RPUSH copy 4
      LRANGE copy 0 -1
      RENAME copy moved
      LRANGE moved 0 -1
      LPUSH copy x
      LRANGE c 0 -1
      DEL moved
      LLEN moved
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsOnSmallListsGetTheSameReplies() throws Exception {
    randomRequests(25, 300, 0, 4);
  }

  @Test
  void randomRequestsOnLargeListsGetTheSameReplies() throws Exception {
    randomRequests(4, 400, 600, 30);
  }

  private void randomRequests(int seeds, int steps, int startSize, int rangeMax) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < seeds; seed++) {
        Comparison comparison = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < startSize; i++) {
          comparison.same("start", "RPUSH", "k" + i % 3, element(random));
        }
        for (int step = 0; step < steps; step++) {
          String[] request = request(random, startSize / 3, rangeMax);
          comparison.same(
              "seed " + seed + " step " + step + ": " + String.join(" ", request), request);
        }
        for (int key = 0; key < 4; key++) {
          comparison.same("at the end of seed " + seed, "LRANGE", "k" + key, "0", "-1");
        }
      }
    }
  }

  private static String element(SplittableRandom random) {
    int number = random.nextInt(12);
    return number == 7 ? "" : number % 4 == 0 ? Integer.toString(number) : "element " + number;
  }

  private static String[] request(SplittableRandom random, int size, int rangeMax) {
    String key = "k" + random.nextInt(4);
    String other = "k" + random.nextInt(4);
    String element = element(random);
    String second = element(random);
    String count = Integer.toString(random.nextInt(-3, 4));
    String some = Integer.toString(random.nextInt(rangeMax));
    String index = Integer.toString(random.nextInt(-size - 4, size + 4));
    String early = Integer.toString(random.nextInt(rangeMax));
    String late = Integer.toString(-random.nextInt(rangeMax));
    String end = random.nextBoolean() ? "LEFT" : "RIGHT";
    String to = random.nextBoolean() ? "LEFT" : "right";
    return switch (random.nextInt(24)) {
      case 0, 1 -> new String[] {"LPUSH", key, element, second, element};
      case 2, 3 -> new String[] {"RPUSH", key, element, second, element};
      case 4 -> new String[] {random.nextBoolean() ? "LPUSHX" : "RPUSHX", key, element};
      case 5 -> new String[] {random.nextBoolean() ? "LPOP" : "RPOP", key};
      case 6 -> new String[] {random.nextBoolean() ? "LPOP" : "RPOP", key, some};
      case 7 -> new String[] {"LMPOP", "2", key, other, end, "COUNT", "1" + some};
      case 8 -> new String[] {"LMOVE", key, other, end, to};
      case 9 -> new String[] {"RPOPLPUSH", key, other};
      case 10, 11 -> new String[] {"LINSERT", key, "BEFORE", element, second};
      case 12 -> new String[] {"LINSERT", key, "AFTER", element, second};
      case 13 -> new String[] {"LSET", key, index, element};
      case 14 -> new String[] {"LREM", key, count, element};
      case 15 -> new String[] {"LTRIM", key, early, late};
      case 16 ->
          random.nextInt(4) == 0
              ? new String[] {"LTRIM", key, index, some}
              : new String[] {"LLEN", key};
      case 17 -> new String[] {"LINDEX", key, index};
      case 18 -> new String[] {"LRANGE", key, index, some};
      case 19 -> new String[] {"LRANGE", key, early, late};
      case 20 -> new String[] {"LPOS", key, element, "RANK", count, "COUNT", some};
      case 21 -> new String[] {"LPOS", key, element, "RANK", count, "MAXLEN", some};
      case 22 -> new String[] {random.nextBoolean() ? "RENAMENX" : "COPY", key, other};
      default ->
          random.nextInt(6) == 0
              ? new String[] {"DEL", key}
              : new String[] {"RPUSH", key, "large ".repeat(random.nextInt(900))};
    };
  }
}
