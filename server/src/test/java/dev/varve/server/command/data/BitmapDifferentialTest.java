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

/** The commands of the bitmap group, and strings in fragments, reply as redis-server 7.0 does. */
class BitmapDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  /** Whole up to the longest that Redis embeds: OBJECT ENCODING tells them apart. */
  private static final PackedLimits SMALL = PackedLimits.DEFAULT.withStrings(44, 20, 16, 8);

  private static final String REQUESTS =
      """
      SET k x
      LPUSH l a
      SETBIT k
      SETBIT k a 1
      SETBIT k -1 1
      SETBIT k 1 2
      SETBIT k 1 a
      SETBIT k 4294967296 1
      SETBIT l 0 1
      SETBIT l a 2
      GETBIT k a
      GETBIT l a
      GETBIT l 0
      GETBIT k 4294967295
      BITCOUNT k
      BITCOUNT k 1
      BITCOUNT l 1
      BITCOUNT none 1
      BITCOUNT k a b
      BITCOUNT none a b
      BITCOUNT k 0 1 x
      BITCOUNT k a 1 x
      BITCOUNT k 0 1 BIT x
      BITCOUNT k -1 -2
      BITCOUNT k 5 9 BIT
      BITPOS k 2
      BITPOS k a
      BITPOS none a
      BITPOS none 1 a
      BITPOS k 1 a b
      BITPOS k 1 a 1 foo
      BITPOS k 1 0 1 foo bar
      BITPOS l 1 a
      BITPOS l 2
      BITPOS none 1 0 1 foo
      BITPOS none 0
      SET empty ""
      BITPOS empty 0
      BITPOS empty 1
      BITPOS empty 0 0 -1
      BITCOUNT empty
      BITCOUNT empty 0 -1
      BITOP FOO d k
      BITOP NOT d k k
      BITOP AND d l
      BITOP NOT d
      BITOP NOT d k
      GET d
      OBJECT ENCODING d
      BITOP OR d none empty
      EXISTS d
      BITFIELD k
      BITFIELD k GET
      BITFIELD k GET x8 0
      BITFIELD k GET "" 0
      BITFIELD k GET u64 0
      BITFIELD k GET i65 0
      BITFIELD k GET u0 0
      BITFIELD k GET u8 #a
      BITFIELD k GET u8 #
      BITFIELD k GET u8 -1
      BITFIELD k GET u8 4294967296
      SET short abc
      BITFIELD short GET u2 0
      OBJECT ENCODING short
      BITFIELD short OVERFLOW FAIL INCRBY u2 0 3
      OBJECT ENCODING short
      SET short 12
      BITFIELD short SET u2 0 0
      OBJECT ENCODING short
      DEL short
      BITFIELD k SET u8 0
      BITFIELD k SET u8 0 a
      BITFIELD k OVERFLOW
      BITFIELD k OVERFLOW x
      BITFIELD k foo
      BITFIELD l GET u8 0
      BITFIELD l GET x 0
      BITFIELD_RO k SET u8 0 1
      BITFIELD_RO k SET u8 0
      BITFIELD far OVERFLOW SAT SET i63 0 -4611686018427387905 GET i63 0
      BITFIELD far OVERFLOW SAT SET i8 0 -9223372036854775808 SET i8 0 -9223372036854775000 GET i8 0
      BITFIELD far OVERFLOW SAT INCRBY i64 0 -9223372036854775808 INCRBY i64 0 -1 INCRBY i64 0 5
      BITFIELD_RO k OVERFLOW SAT
      BITFIELD_RO k OVERFLOW SAT GET u8 0
      BITFIELD none OVERFLOW SAT
      BITFIELD none GET u8 0
      EXISTS none
      BITFIELD none OVERFLOW FAIL SET u2 20 9
      EXISTS none
      STRLEN none
      OBJECT ENCODING none
      BITFIELD k GET U8 0
      BITFIELD k GET u8 #99999999999
      BITFIELD k GET u08 0
      SETBIT bits 7 1
      OBJECT ENCODING bits
      SETBIT bits 7 1
      GET bits
      SET short abc
      SETBIT short 0 0
      OBJECT ENCODING short
      GET short
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsGetTheSameReplies() throws Exception {
    System.out.println("BitmapDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int round = 0; round < 8; round++) {
        Comparison comparison =
            new Comparison(redis, round % 2 == 0 ? SMALL : PackedLimits.DEFAULT);
        SplittableRandom random = new SplittableRandom(SEED + round);
        for (int step = 0; step < 1_500; step++) {
          String[] request = request(random, round < 6 ? 600 : 300_000);
          comparison.same("seed " + (SEED + round) + " " + String.join(" ", request), request);
        }
        for (int key = 0; key < 3; key++) {
          comparison.same("at the end of seed " + (SEED + round), "GET", "k" + key);
          comparison.same("at the end of seed " + (SEED + round), "STRLEN", "k" + key);
        }
      }
    }
  }

  private static String[] request(SplittableRandom random, int bits) {
    String key = "k" + random.nextInt(3);
    String other = "k" + random.nextInt(3);
    String bit = Integer.toString(random.nextInt(2));
    String at = Integer.toString(random.nextInt(bits));
    String byteAt = Integer.toString(random.nextInt(-bits / 8, bits / 8));
    String byteEnd = Integer.toString(random.nextInt(-bits / 8, bits / 8));
    String unit = random.nextBoolean() ? "BIT" : "BYTE";
    String text = "\u007f".repeat(random.nextInt(4)) + "\0".repeat(random.nextInt(30)) + "a";
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> new String[] {"SETBIT", key, at, bit};
      case 4 -> new String[] {"GETBIT", key, at};
      case 5 -> new String[] {"BITCOUNT", key};
      case 6 -> new String[] {"BITCOUNT", key, byteAt, byteEnd};
      case 7 -> new String[] {"BITCOUNT", key, byteAt, byteEnd, unit};
      case 8 -> new String[] {"BITPOS", key, bit};
      case 9 -> new String[] {"BITPOS", key, bit, byteAt};
      case 10 -> new String[] {"BITPOS", key, bit, byteAt, byteEnd, unit};
      case 11, 12 ->
          switch (random.nextInt(4)) {
            case 0 -> new String[] {"BITOP", "NOT", key, other};
            case 1 -> new String[] {"BITOP", "AND", key, other, "k1", "k2"};
            case 2 -> new String[] {"BITOP", "OR", key, other, "k0"};
            default -> new String[] {"BITOP", "XOR", key, other, "k1"};
          };
      case 13, 14, 15 -> field(random, key, bits);
      case 16 -> new String[] {"SETRANGE", key, Integer.toString(random.nextInt(bits / 8)), text};
      case 17 -> new String[] {"GETRANGE", key, byteAt, byteEnd};
      case 18 ->
          random.nextInt(4) > 0
              ? new String[] {"APPEND", key, text}
              : new String[] {"SET", key, text.repeat(random.nextInt(20))};
      default ->
          switch (random.nextInt(9)) {
            case 0 -> new String[] {"DEL", key};
            case 1 -> new String[] {"COPY", key, other, "REPLACE"};
            case 2 -> new String[] {"RENAMENX", key, other};
            case 3 -> new String[] {"GETSET", key, text};
            case 4 -> new String[] {"INCR", key};
            case 5 -> new String[] {"EXPIRE", key, "10000"};
            case 6 -> new String[] {"GETDEL", key};
            case 7 -> new String[] {"GET", key};
            default -> new String[] {"OBJECT", "ENCODING", key};
          };
    };
  }

  private static String[] field(SplittableRandom random, String key, int bits) {
    List<String> request = new ArrayList<>(List.of("BITFIELD", key));
    for (int i = random.nextInt(4); i >= 0; i--) {
      boolean isSigned = random.nextBoolean();
      int width = random.nextInt(1, isSigned ? 65 : 64);
      String type = (isSigned ? "i" : "u") + width;
      String offset = random.nextInt(4) == 0 ? "#" + random.nextInt(5) : "" + random.nextInt(bits);
      long number = random.nextLong() >> random.nextInt(64);
      switch (random.nextInt(4)) {
        case 0 -> request.addAll(List.of("GET", type, offset));
        case 1 -> request.addAll(List.of("SET", type, offset, Long.toString(number)));
        case 2 ->
            request.addAll(
                List.of("OVERFLOW", List.of("WRAP", "SAT", "FAIL").get(random.nextInt(3))));
        default -> request.addAll(List.of("INCRBY", type, offset, Long.toString(number)));
      }
    }
    return request.toArray(String[]::new);
  }

  @Test
  void bitsFarOutAreThoseOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      new Comparison(redis)
          .sameLines(
              """
              SETBIT k 4294967295 1
              STRLEN k
              BITCOUNT k
              BITPOS k 1
              BITPOS k 0
              BITPOS k 0 -1
              BITPOS k 1 -3 -2
              GETRANGE k -2 -1
              SETRANGE k 536870911 ab
              SETRANGE k 536870912 a
              SETRANGE k 536870911 a
              APPEND k a
              SETBIT k 1000 1
              BITCOUNT k 0 4294967294 BIT
              BITFIELD k SET u8 4294967295 255
              STRLEN k
              DEL k
              """);
    }
  }
}
