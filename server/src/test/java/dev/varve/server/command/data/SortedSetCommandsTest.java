package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.KeyFinder;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What no redis-server is needed to tell; the replies in full are compared with one elsewhere. */
class SortedSetCommandsTest {
  private static final int MANY = 3000;
  private static final String LONGEST = Long.toString(Long.MAX_VALUE);

  private final CommandTester tester = new CommandTester();

  /** A reply's elements, without their lengths: only good for elements without line ends. */
  private List<String> list(String... request) {
    String reply = tester.run(request);
    assertTrue(reply.startsWith("*"), reply);
    List<String> elements = new ArrayList<>();
    for (String line : reply.split("\r\n")) {
      if (!line.startsWith("*") && !line.startsWith("$")) {
        elements.add(line);
      }
    }
    return elements;
  }

  private static String name(int number) {
    return "m%05d".formatted(number);
  }

  /** Members m00000 and so on; each {@code sharing} of them have a score of their own. */
  private void fill(String key, int members, int sharing) {
    List<String> request = new ArrayList<>(List.of("ZADD", key));
    for (int i = 0; i < members; i++) {
      request.add(Integer.toString(i / sharing));
      request.add(name(i));
    }
    assertEquals(":" + members + "\r\n", tester.run(request.toArray(String[]::new)));
  }

  @Test
  void ranksAmongManyEqualScoresFollowTheBytes() {
    fill("k", MANY, MANY);
    for (int i = 0; i < MANY; i += 37) {
      assertEquals(":" + i + "\r\n", tester.run("ZRANK", "k", name(i)));
      assertEquals(":" + (MANY - 1 - i) + "\r\n", tester.run("ZREVRANK", "k", name(i)));
      String rank = Integer.toString(i);
      assertEquals(List.of(name(i)), list("ZRANGE", "k", rank, rank));
      assertEquals(":" + (MANY - i) + "\r\n", tester.run("ZLEXCOUNT", "k", "[" + name(i), "+"));
    }
    assertEquals(":" + MANY + "\r\n", tester.run("ZCOUNT", "k", "0", "0"));
    assertEquals(":0\r\n", tester.run("ZCOUNT", "k", "(0", "0"));
    assertEquals(":0\r\n", tester.run("ZCOUNT", "k", "0", "(0"));
  }

  /** As Redis 7.2. */
  @Test
  void ranksAreToldWithTheScore() {
    tester.run("ZADD", "k", "1", "a", "2.5", "b", "inf", "c");
    assertEquals("*2\r\n:1\r\n$3\r\n2.5\r\n", tester.run("ZRANK", "k", "b", "withscore"));
    assertEquals("*2\r\n:2\r\n$1\r\n1\r\n", tester.run("ZREVRANK", "k", "a", "WITHSCORE"));
    assertEquals("*-1\r\n", tester.run("ZRANK", "k", "none", "WITHSCORE"));
    assertEquals("*-1\r\n", tester.run("ZREVRANK", "none", "a", "WITHSCORE"));
    assertEquals("$-1\r\n", tester.run("ZRANK", "k", "none"));
    assertEquals("-ERR syntax error\r\n", tester.run("ZRANK", "k", "a", "WITHSCORES"));
    assertEquals(
        "-ERR wrong number of arguments for 'zrank' command\r\n",
        tester.run("ZRANK", "k", "a", "WITHSCORE", "more"));
    tester.run("SET", "text", "1");
    assertTrue(tester.run("ZRANK", "text", "a", "WITHSCORE").startsWith("-WRONGTYPE"));
    tester.client().protocol(3);
    assertEquals("*2\r\n:2\r\n,inf\r\n", tester.run("ZRANK", "k", "c", "WITHSCORE"));
    assertEquals("_\r\n", tester.run("ZRANK", "k", "none", "WITHSCORE"));
  }

  @Test
  void infinitiesAreTheEndsOfTheOrder() {
    fill("k", MANY, 1);
    tester.run("ZADD", "k", "-inf", "bottom", "inf", "top", "1.7976931348623157e308", "large");
    assertEquals(":0\r\n", tester.run("ZRANK", "k", "bottom"));
    assertEquals(":0\r\n", tester.run("ZREVRANK", "k", "top"));
    assertEquals(List.of("top", "inf"), list("ZRANGE", "k", "-1", "-1", "WITHSCORES"));
    assertEquals(List.of("large", "top"), list("ZRANGEBYSCORE", "k", "1e300", "inf"));
    assertEquals(List.of("large"), list("ZRANGEBYSCORE", "k", "1e300", "(inf"));
    assertEquals(":" + (MANY + 1) + "\r\n", tester.run("ZCOUNT", "k", "(-inf", "(inf"));
    assertEquals(":" + (MANY + 3) + "\r\n", tester.run("ZCOUNT", "k", "-inf", "inf"));
    assertEquals(List.of("bottom", "-inf"), list("ZPOPMIN", "k"));
    assertEquals(
        "-ERR resulting score is not a number (NaN)\r\n",
        tester.run("ZINCRBY", "k", "-inf", "top"));
    assertEquals("$3\r\ninf\r\n", tester.run("ZSCORE", "k", "top"));
  }

  /** Here and nowhere else a score differs from Redis's, which keeps the sign of a zero. */
  @Test
  void minusZeroIsZero() {
    tester.run("ZADD", "k", "-0", "b", "0", "a", "-0", "c");
    assertEquals("$1\r\n0\r\n", tester.run("ZSCORE", "k", "b"));
    assertEquals(List.of("a", "b", "c"), list("ZRANGE", "k", "0", "-1"));
    assertEquals(List.of("a", "b", "c"), list("ZRANGEBYSCORE", "k", "-0", "0"));
    assertEquals(List.of(), list("ZRANGEBYSCORE", "k", "(-0", "1"));
    assertEquals(":0\r\n", tester.run("ZADD", "k", "CH", "-0", "a"));
  }

  @Test
  void limitsOfAnyKindEndARange() {
    for (String key : new String[] {"packed", "spread"}) {
      fill(key, key.equals("packed") ? 100 : MANY, 1);
      String[] in = {"ZRANGEBYSCORE", key, "(10", "20", "LIMIT"};
      assertEquals(List.of(name(13), name(14)), list(limit(in, "2", "2")));
      assertEquals(8, list(limit(in, "2", "-1")).size());
      assertEquals(8, list(limit(in, "2", "-100")).size());
      assertEquals(8, list(limit(in, "2", LONGEST)).size());
      assertEquals(List.of(), list(limit(in, "2", "0")));
      assertEquals(List.of(), list(limit(in, "10", "5")));
      assertEquals(List.of(), list(limit(in, "-1", "5")));
      assertEquals(List.of(), list(limit(in, LONGEST, LONGEST)));
      String[] down = {"ZREVRANGEBYSCORE", key, "20", "(10", "LIMIT"};
      assertEquals(List.of(name(18), name(17)), list(limit(down, "2", "2")));
      assertEquals(8, list(limit(down, "2", "-1")).size());
      assertEquals(List.of(), list(limit(down, LONGEST, "1")));
      // The end before the start, by places far apart.
      assertEquals(List.of(), list("ZRANGEBYSCORE", key, "90", "5", "LIMIT", LONGEST, "1"));
      assertEquals(List.of(), list("ZREVRANGEBYSCORE", key, "5", "90", "LIMIT", LONGEST, "1"));
      assertEquals(List.of(), list("ZRANGEBYSCORE", key, "90", "5", "LIMIT", "500", "1"));
      assertEquals(List.of(), list("ZRANGEBYSCORE", key, "90", "5"));
      assertEquals(List.of(), list("ZRANGEBYSCORE", key, "50.1", "50.9"));
      assertEquals(List.of(), list("ZRANGE", key, "50", "49"));
      assertEquals(List.of(), list("ZRANGE", key, LONGEST, LONGEST));
    }
    String[] far = {"ZRANGEBYSCORE", "spread", "100", "(2900", "LIMIT", "1000", "2"};
    assertEquals(List.of(name(1100), name(1101)), list(far));
    String[] farDown = {"ZREVRANGEBYSCORE", "spread", "2900", "100", "LIMIT", "1000", "2"};
    assertEquals(List.of(name(1900), name(1899)), list(farDown));
  }

  private static String[] limit(String[] request, String offset, String count) {
    List<String> whole = new ArrayList<>(List.of(request));
    whole.add(offset);
    whole.add(count);
    return whole.toArray(String[]::new);
  }

  @Test
  void scansInStepsFindEveryMemberOnceWithItsScore() {
    fill("k", MANY, 3);
    Set<String> found = new TreeSet<>();
    int steps = 0;
    String cursor = "0";
    do {
      List<String> page = list("ZSCAN", "k", cursor, "COUNT", "100");
      cursor = page.get(0);
      for (int i = 1; i < page.size(); i += 2) {
        int number = Integer.parseInt(page.get(i).substring(1));
        assertEquals(Integer.toString(number / 3), page.get(i + 1));
        assertTrue(found.add(page.get(i)), page.get(i));
      }
      steps++;
      // Scores that change meanwhile move no member out of a scan's way.
      tester.run("ZINCRBY", "k", "0", name(steps));
    } while (!cursor.equals("0"));
    assertEquals(MANY, found.size());
    assertTrue(steps >= MANY / 110, steps + " steps");
  }

  @Test
  void randomMembersAreDifferentOnesOrDrawnEachFromAll() {
    fill("k", MANY, 1);
    for (int count : new int[] {1, 10, 200, 2999, 3000, 5000}) {
      List<String> drawn = list("ZRANDMEMBER", "k", Integer.toString(count));
      assertEquals(Math.min(count, MANY), drawn.size());
      assertEquals(drawn.size(), new HashSet<>(drawn).size());
    }
    List<String> withRepetitions = list("ZRANDMEMBER", "k", "-9000");
    assertEquals(9000, withRepetitions.size());
    assertTrue(new HashSet<>(withRepetitions).size() > 2500);
    List<String> scored = list("ZRANDMEMBER", "k", "-5", "WITHSCORES");
    assertEquals(10, scored.size());
    assertEquals(name(Integer.parseInt(scored.get(1))), scored.get(0));
    Set<String> single = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      single.add(tester.run("ZRANDMEMBER", "k"));
    }
    assertTrue(single.size() > 10);
  }

  @Test
  void expiredSetsAreGoneAndStoredOnesHaveNoExpiry() {
    fill("k", MANY, 1);
    tester.run("PEXPIRE", "k", "10");
    tester.nowMillis += 10;
    assertEquals(":0\r\n", tester.run("ZCARD", "k"));
    assertEquals(List.of(), list("ZUNION", "1", "k"));
    tester.run("ZADD", "k", "1", "new");
    assertEquals(List.of("new"), list("ZRANGE", "k", "0", "-1"));
    assertEquals(":-1\r\n", tester.run("TTL", "k"));
    tester.run("EXPIRE", "k", "10");
    tester.run("ZADD", "k", "2", "newer");
    assertEquals(":10\r\n", tester.run("TTL", "k"));
    tester.run("ZUNIONSTORE", "k", "1", "k");
    assertEquals(":-1\r\n", tester.run("TTL", "k"));
  }

  @Test
  void emptiedSetsAreNoKeys() {
    String[][] emptying = {
      {"ZREM", "k", name(0), name(1)},
      {"ZPOPMAX", "k", "5"},
      {"ZMPOP", "1", "k", "MIN", "COUNT", "2"},
      {"ZREMRANGEBYRANK", "k", "0", "-1"},
      {"ZREMRANGEBYSCORE", "k", "-inf", "inf"},
      {"ZREMRANGEBYLEX", "k", "-", "+"},
      {"ZRANGESTORE", "k", "none", "0", "-1"},
      {"ZDIFFSTORE", "k", "2", "k", "k"},
    };
    for (String[] request : emptying) {
      fill("k", 2, 2);
      tester.run(request);
      assertEquals("+none\r\n", tester.run("TYPE", "k"), request[0]);
    }
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keysAreFoundByTheirNumber() {
    assertArrayEquals(new int[] {2, 3}, keys("ZUNION", "2", "a", "b", "WITHSCORES"));
    assertArrayEquals(new int[] {1, 3, 4}, keys("ZUNIONSTORE", "t", "2", "a", "b"));
    assertArrayEquals(new int[] {2}, keys("ZMPOP", "1", "a", "MIN"));
    assertArrayEquals(new int[] {2, 3}, keys("ZINTERCARD", "2", "a", "b"));
    assertArrayEquals(new int[] {}, keys("ZDIFF", "3", "a", "b"));
    assertArrayEquals(new int[] {}, keys("ZDIFF", "x", "a", "b"));
    assertArrayEquals(new int[] {}, keys("ZDIFFSTORE", "t", "-1", "a", "b"));
  }

  private int[] keys(String... request) {
    Command command = tester.table.find(request[0].getBytes(StandardCharsets.US_ASCII));
    KeyFinder finder = Objects.requireNonNull(command).keyFinder();
    return Objects.requireNonNull(finder).find(Args.of(request));
  }

  @Test
  void pairsInResp3() {
    tester.client().protocol(3);
    fill("k", 3, 1);
    assertEquals(
        "*2\r\n*2\r\n$6\r\nm00000\r\n,0\r\n*2\r\n$6\r\nm00001\r\n,1\r\n",
        tester.run("ZRANGE", "k", "0", "1", "WITHSCORES"));
    assertEquals("*2\r\n$6\r\nm00000\r\n,0\r\n", tester.run("ZPOPMIN", "k"));
    assertEquals("*1\r\n*2\r\n$6\r\nm00001\r\n,1\r\n", tester.run("ZPOPMIN", "k", "1"));
    assertEquals("_\r\n", tester.run("ZSCORE", "k", "none"));
  }
}
