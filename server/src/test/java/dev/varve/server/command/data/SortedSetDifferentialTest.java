package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of sorted sets give the very replies of redis-server 7.0. */
class SortedSetDifferentialTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison comparison = comparison(redis, protocol);
      for (String line : requests()) {
        String[] parts = Replies.parts(line);
        Arrays.setAll(parts, i -> parts[i].replace('~', ' ').replace('^', '\0'));
        comparison.same(line, parts);
      }
    }
  }

  private static Comparison comparison(RedisOracle redis, int protocol) {
    Comparison comparison = new Comparison(redis);
    if (protocol == 3) {
      comparison.useResp3();
    }
    return comparison;
  }

  private static List<String> requests() throws IOException {
    try (InputStream file =
        SortedSetDifferentialTest.class.getResourceAsStream("sorted-set-requests.txt")) {
      String text =
          new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void packedSetsGiveTheSameReplies(int protocol) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < 20; seed++) {
        new Run(redis, protocol, seed, 20, Scores.MIXED).steps(300);
      }
    }
  }

  @Test
  void setsAroundThePackedLimitGiveTheSameReplies() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 100; seed < 106; seed++) {
        Run run = new Run(redis, 2, seed, 200, Scores.MIXED);
        run.fill(120);
        run.steps(300);
      }
    }
  }

  @Test
  void spreadSetsGiveTheSameReplies() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 200; seed < 203; seed++) {
        Run run = new Run(redis, 2, seed, 3000, Scores.MIXED);
        run.fill(2500);
        run.steps(300);
      }
    }
  }

  @Test
  void spreadSetsOfFewScoresGiveTheSameReplies() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 300; seed < 303; seed++) {
        Run run = new Run(redis, 2, seed, 3000, Scores.FEW);
        run.fill(2500);
        run.steps(300);
      }
    }
  }

  @Test
  void spreadSetsOfOneScoreGiveTheSameRepliesByBytes() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 400; seed < 403; seed++) {
        Run run = new Run(redis, 2, seed, 2000, Scores.ONE);
        run.fill(1500);
        run.steps(300);
      }
    }
  }

  private enum Scores {
    MIXED,
    FEW,
    ONE
  }

  /** Random requests to both servers, all from one seed. */
  private static final class Run {
    private static final String[] FEW = {"-inf", "-1", "0", "1", "inf"};

    private final Comparison comparison;
    private final long seed;
    private final SplittableRandom random;
    private final int members;
    private final Scores scores;
    private int filled;

    Run(RedisOracle redis, int protocol, long seed, int members, Scores scores) {
      this.comparison = comparison(redis, protocol);
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.members = members;
      this.scores = scores;
      same(0, "SADD", "s", member(), member(), member());
    }

    /** From now on the first two sets have about so many members. */
    void fill(int count) {
      filled = count;
      for (String key : new String[] {"z0", "z1"}) {
        List<String> request = new ArrayList<>(List.of("ZADD", key));
        for (int i = 0; i < count; i++) {
          request.add(score());
          request.add(member());
        }
        same(0, request.toArray(String[]::new));
      }
    }

    void steps(int count) {
      for (int step = 1; step <= count; step++) {
        if (random.nextInt(12) == 0) {
          unordered(step);
        } else {
          same(step, request());
        }
        if (step % 30 == 0 && filled > 0) {
          fill(filled);
        }
        if (step % 50 == 0) {
          for (int i = 0; i < 4; i++) {
            same(step, "ZRANGE", "z" + i, "0", "-1", "WITHSCORES");
            same(step, "ZCARD", "z" + i);
            same(step, "OBJECT", "ENCODING", "z" + i);
          }
        }
      }
    }

    private void same(int step, String... request) {
      comparison.same(at(step, request), request);
    }

    private String at(int step, String... request) {
      int shown = Math.min(request.length, 20);
      return "seed " + seed + " step " + step + ": " + Arrays.asList(request).subList(0, shown);
    }

    /** What comes in no order that is promised is compared without it. */
    private void unordered(int step) {
      String key = key();
      if (random.nextBoolean()) {
        comparison.sameScan(
            at(step, "ZSCAN", key), 2, "ZSCAN", key, "COUNT", anyOf("7", "500"), "MATCH", "*1*");
        return;
      }
      String[] request = {"ZRANDMEMBER", key, "1000000", "WITHSCORES"};
      int group = comparison.tester.client().protocol() == 3 ? 1 : 2;
      assertEquals(
          Replies.sorted(comparison.redis.run(request), group),
          Replies.sorted(comparison.tester.run(request), group),
          at(step, request));
    }

    private String key() {
      return "z" + random.nextInt(4);
    }

    private String member() {
      int number = random.nextInt(members);
      return number % 97 == 0 ? "long" + "0".repeat(number % 70) + number : "m" + number;
    }

    private String score() {
      return switch (scores) {
        case ONE -> "7";
        case FEW -> FEW[random.nextInt(FEW.length)];
        case MIXED ->
            random.nextInt(10) == 0
                ? FEW[random.nextInt(FEW.length)]
                : Double.toString(random.nextInt(1 - members, members) / 4.0).replace("-0.0", "0");
      };
    }

    private String bound() {
      return (random.nextInt(3) == 0 ? "(" : "") + score();
    }

    private String lexBound() {
      return switch (random.nextInt(6)) {
        case 0 -> "-";
        case 1 -> "+";
        case 2, 3 -> "(" + member();
        default -> "[" + member();
      };
    }

    private String rank() {
      return Integer.toString(random.nextInt(-members, members));
    }

    private String few() {
      return Integer.toString(random.nextInt(6));
    }

    private String anyOf(String... words) {
      return words[random.nextInt(words.length)];
    }

    /** Sometimes with a LIMIT, always in order of the arguments that it gets. */
    private String[] limited(String... request) {
      if (random.nextInt(3) != 0) {
        return request;
      }
      String offset = Integer.toString(random.nextInt(-1, random.nextBoolean() ? members : 4));
      return with(request, "LIMIT", offset, Integer.toString(random.nextInt(-2, 12)));
    }

    private static String[] with(String[] request, String... more) {
      String[] longer = Arrays.copyOf(request, request.length + more.length);
      System.arraycopy(more, 0, longer, request.length, more.length);
      return longer;
    }

    private String[] request() {
      // Ranges by bytes have a meaning where all scores are the same, and only there.
      if (scores == Scores.ONE && random.nextInt(3) == 0) {
        return lexRequest();
      }
      String key = key();
      return switch (random.nextInt(36)) {
        case 0, 1, 2 -> new String[] {"ZADD", key, score(), member(), score(), member()};
        case 3 -> new String[] {"ZADD", key, "NX", "CH", score(), member(), score(), member()};
        case 4 -> new String[] {"ZADD", key, "XX", "CH", score(), member(), score(), member()};
        case 5 -> new String[] {"ZADD", key, anyOf("GT", "LT"), "CH", score(), member()};
        case 6 -> new String[] {"ZADD", key, incrementCondition(), "INCR", delta(), member()};
        case 7 -> new String[] {"ZINCRBY", key, scores == Scores.ONE ? "7" : delta(), newMember()};
        case 8 -> new String[] {"ZREM", key, member(), member()};
        case 9 -> new String[] {"ZSCORE", key, member()};
        case 10 -> new String[] {"ZMSCORE", key, member(), member()};
        case 11, 12, 13 -> new String[] {anyOf("ZRANK", "ZREVRANK"), key, member()};
        case 14 -> new String[] {anyOf("ZPOPMIN", "ZPOPMAX"), key};
        case 15 -> new String[] {anyOf("ZPOPMIN", "ZPOPMAX"), key, few()};
        case 16 -> new String[] {"ZMPOP", "2", key, key(), anyOf("MIN", "MAX"), "COUNT", "3"};
        case 17 -> new String[] {anyOf("ZRANGE", "ZREVRANGE"), key, rank(), rank()};
        case 18 -> new String[] {"ZRANGE", key, rank(), rank(), "REV", "WITHSCORES"};
        case 19, 20 -> limited("ZRANGEBYSCORE", key, bound(), bound(), "WITHSCORES");
        case 21, 22 -> limited("ZREVRANGEBYSCORE", key, bound(), bound(), "WITHSCORES");
        case 23 -> limited("ZRANGE", key, bound(), bound(), "BYSCORE");
        case 24 -> limited("ZRANGE", key, bound(), bound(), "BYSCORE", "REV");
        case 25, 26 -> new String[] {"ZCOUNT", key, bound(), bound()};
        case 27 -> limited("ZRANGESTORE", target(), key, bound(), bound(), "BYSCORE");
        case 28 -> new String[] {"ZRANGESTORE", target(), key, rank(), rank(), anyOf("REV", "rev")};
        case 29 -> new String[] {"ZREMRANGEBYRANK", key, rank(), rank()};
        case 30 -> narrowRemoval(key);
        case 31 ->
            with(algebra(anyOf("ZUNION", "ZINTER", "ZDIFF")), anyOf("WITHSCORES", "withscores"));
        case 32 -> weighted(algebra(anyOf("ZUNION", "ZINTER")));
        case 33 ->
            algebra(anyOf("ZUNIONSTORE", "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"), target());
        case 34 -> new String[] {"ZINTERCARD", "2", key, key(), "LIMIT", few()};
        default -> new String[] {"ZRANGEBYSCORE", key, "-inf", "+inf", "LIMIT", rank(), "3"};
      };
    }

    /** A set that may get scores of any kind: z0 and z1 keep to one, if there is one. */
    private String target() {
      return scores == Scores.ONE ? "z" + (2 + random.nextInt(2)) : key();
    }

    private String incrementCondition() {
      return scores == Scores.ONE ? "XX" : anyOf("NX", "XX", "GT", "LT");
    }

    private String newMember() {
      return scores == Scores.ONE ? "new" + random.nextLong() : member();
    }

    private String delta() {
      return scores == Scores.ONE
          ? "0"
          : Double.toString(random.nextInt(-9, 10) / 4.0).replace("-0.0", "0");
    }

    private String[] narrowRemoval(String key) {
      if (scores != Scores.MIXED) {
        String first = rank();
        return new String[] {"ZREMRANGEBYRANK", key, first, first};
      }
      int from = random.nextInt(-members, members) / 4;
      return new String[] {"ZREMRANGEBYSCORE", key, "(" + from, Integer.toString(from + 2)};
    }

    private String[] algebra(String command, String... target) {
      String[] request = with(new String[] {command}, target);
      return random.nextInt(3) == 0
          ? with(request, "3", key(), "s", key())
          : with(request, "2", key(), key());
    }

    private String[] weighted(String[] request) {
      String[] weighted = with(request, "WEIGHTS");
      for (int i = 0; i < Integer.parseInt(request[1]); i++) {
        weighted = with(weighted, anyOf("1", "2", "0.5", "3"));
      }
      return with(weighted, "AGGREGATE", anyOf("SUM", "MIN", "MAX"), "WITHSCORES");
    }

    private String[] lexRequest() {
      String key = "z" + random.nextInt(2);
      return switch (random.nextInt(6)) {
        case 0 -> limited("ZRANGEBYLEX", key, lexBound(), lexBound());
        case 1 -> limited("ZREVRANGEBYLEX", key, lexBound(), lexBound());
        case 2 -> limited("ZRANGE", key, lexBound(), lexBound(), "BYLEX");
        case 3 -> new String[] {"ZLEXCOUNT", key, lexBound(), lexBound()};
        case 4 -> limited("ZRANGESTORE", "lex", key, lexBound(), lexBound(), "BYLEX");
        default -> {
          String member = member();
          yield new String[] {"ZREMRANGEBYLEX", key, "[" + member, "(" + member + "5"};
        }
      };
    }
  }
}
