package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the geo group give the very replies of redis-server 7.0. */
class GeoDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final Pattern DISTANCE = Pattern.compile("[0-9]+\\.[0-9]{4}");
  private static final BigDecimal LAST_DECIMAL = new BigDecimal("0.0001");

  private static final String REQUESTS =
      """
      GEOADD
      GEOADD g
      GEOADD g a b c
      GEOADD g 1 2
      GEOADD g 1 2 a 3
      GEOADD g 181 2 a
      GEOADD g 1 86 a
      GEOADD g nan 86 a
      GEOADD g -0.0 86 a
      GEOADD g 0 -86 a
      GEOADD g -0.0000001 86 a
      GEOADD g nx xx 1 2 a
      GEOADD g nx ch ch
      GEOADD g nx 1 2 a
      GEOADD g ch 1 2 b
      GEOADD g xx ch 1 3 b
      GEOADD g xx ch 1 3 c
      GEOADD g foo 1 2 b
      GEOADD g 180 85.05112878 e 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
      GEOADD g -180 -85.05112878 w 0 0 zero -0.0 -0.0 minus
      GEODIST g a b
      GEODIST g a b km
      GEODIST g Palermo Catania
      GEODIST g Palermo Catania MI
      GEODIST g Palermo Catania ft
      GEODIST g a b xx
      GEODIST g a none
      GEODIST none a b
      GEODIST none a b xx
      GEODIST g a b m x
      GEOHASH g a none e w zero Palermo
      GEOHASH none a
      GEOHASH g
      GEOPOS g a none e w zero Palermo
      GEOPOS none a b
      GEOPOS g
      GEOSEARCH g
      GEOSEARCH g FROMMEMBER a
      GEOSEARCH g FROMMEMBER a BYRADIUS 1 km
      GEOSEARCH g FROMMEMBER none BYRADIUS 1 km
      GEOSEARCH none FROMMEMBER x BYRADIUS 1 km
      GEOSEARCH none FROMMEMBER x FROMMEMBER y BYRADIUS 1 km
      GEOSEARCH g FROMLONLAT 1 2 BYBOX 1 2 km WITHDIST
      GEOSEARCH g FROMLONLAT 1 2 ASC DESC ASC
      GEOSEARCH g BYRADIUS 1 km ASC ASC
      GEOSEARCH g FROMLONLAT 1 2 FROMMEMBER a BYRADIUS 1 km
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km BYBOX 1 1 km
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS -1 km
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS x km
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 xx
      GEOSEARCH g FROMLONLAT 1 2 BYBOX -1 1 km
      GEOSEARCH g FROMLONLAT 1 2 BYBOX x 1 km
      GEOSEARCH g FROMLONLAT 1 2 BYBOX 1 x km
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km COUNT 0
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km COUNT a
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km ANY
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km ANY COUNT 1
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km STORE d
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 1 km STOREDIST
      GEOSEARCH g FROMLONLAT 1 2 BYRADIUS 0 m
      GEOSEARCH g FROMLONLAT 0 0 BYBOX 0 0 m
      GEOSEARCHSTORE d g FROMLONLAT 1 2 BYRADIUS 1 km WITHDIST
      GEOSEARCHSTORE d g FROMLONLAT 1 2 BYRADIUS 1 km
      ZRANGE d 0 -1 WITHSCORES
      GEOSEARCHSTORE d g FROMLONLAT 1 2 BYRADIUS 9 km STOREDIST STOREDIST
      GEORADIUS g 1 2 3 km STORE d WITHDIST
      GEORADIUS g 1 2 300 km STORE d
      ZRANGE d 0 -1 WITHSCORES
      GEORADIUS g 1 2 3 km STORE
      GEORADIUS_RO g 1 2 3 km STORE d
      GEORADIUS_RO g 1 2 3 km
      GEORADIUSBYMEMBER g a 3 km WITHDIST WITHHASH WITHCOORD
      GEORADIUSBYMEMBER_RO g a 300 km DESC WITHCOORD
      GEORADIUSBYMEMBER g none 3 km
      GEORADIUSBYMEMBER none none 3 km
      GEORADIUSBYMEMBER none none x km
      GEORADIUSBYMEMBER none none 3 km FOO
      GEOSEARCH none FROMLONLAT x 2 BYRADIUS 1 km
      GEOSEARCH none FROMLONLAT 200 2 BYRADIUS 1 km
      GEORADIUS none 200 2 3 km
      GEORADIUS none 20 2 3 km STORE d
      EXISTS d
      GEOSEARCHSTORE d none FROMLONLAT 1 2 BYRADIUS 3 km
      GEOSEARCHSTORE d none FROMMEMBER x BYRADIUS 3 km
      GEORADIUS g 1 2 3 km FROMMEMBER a
      GEORADIUS g 1 2 3 km COUNT 1 ANY
      GEORADIUS g 1 2 3 km FOO
      ZSCORE g a
      SET s x
      GEOADD s 1 2 a
      GEOADD s 1 200 a
      GEOSEARCH s FROMLONLAT 1 2 BYRADIUS 3 km
      GEOSEARCH s FOO FOO FOO FOO FOO
      GEORADIUS s FOO FOO FOO FOO
      GEODIST s a b xx
      GEODIST s a b
      GEOPOS s a
      GEOPOS s
      GEOHASH s a
      GEOSEARCHSTORE s g FROMLONLAT 1 2 BYRADIUS 3 km
      TYPE s
      ZADD strange 1e300 big -5 negative 0.5 half inf most
      GEOPOS strange half
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsGetTheSameReplies() throws Exception {
    System.out.println("GeoDifferentialTest -Dvarve.seed=" + SEED);
    int roundedOtherwise = 0;
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int round = 0; round < 5; round++) {
        Comparison both = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(SEED + round);
        double spread = Math.pow(10, -random.nextInt(5));
        int points = 1 << random.nextInt(3, 10);
        for (int i = 0; i < points; i++) {
          both.same(
              "fill",
              "GEOADD",
              "g" + i % 2,
              longitude(random, spread),
              latitude(random, spread),
              "m" + i);
        }
        for (int step = 0; step < 400; step++) {
          String[] request = request(random, points, spread);
          String where = "seed " + (SEED + round) + " " + String.join(" ", request);
          roundedOtherwise += distancesRoundedOtherwise(where, both, request);
        }
      }
    }
    assertTrue(roundedOtherwise <= 2, roundedOtherwise + " distances are rounded otherwise");
  }

  @Test
  void searchesFromTheEdgeOfTheMapFindTheSame() throws Exception {
    System.out.println("GeoDifferentialTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      for (int i = 0; i < 200; i++) {
        String longitude = i % 4 == 0 ? "180" : longitude(random, 1);
        String latitude = i % 4 == 1 ? "85.05112878" : latitude(random, 1);
        both.same("fill", "GEOADD", "g", longitude, latitude, "m" + i);
      }
      for (int i = 0; i < 300; i++) {
        boolean isEastern = random.nextBoolean();
        String radius = Double.toString(Math.rint(Math.pow(10, random.nextDouble(1, 4.5))));
        String[] request = {
          "GEORADIUS",
          "g",
          isEastern ? "180" : longitude(random, 1),
          isEastern && random.nextInt(4) > 0 ? latitude(random, 1) : "85.05112878",
          radius,
          "km"
        };
        both.same("seed " + SEED + " " + String.join(" ", request), request);
        String member = "m" + (random.nextInt(50) * 4 + random.nextInt(2));
        both.same(
            "seed " + SEED + " from " + member + " " + radius,
            "GEORADIUSBYMEMBER",
            "g",
            member,
            radius,
            "km");
      }
    }
  }

  /**
   * Sends one request to both, and counts the distances that lie so near the middle of two numbers
   * of four decimals that the last bit of the double rounds them otherwise (seed 12340264751523 has
   * one, of 9,069 km). All else must be the same.
   */
  private static int distancesRoundedOtherwise(String where, Comparison both, String... request) {
    String expected = both.redis.run(request);
    String reply = both.tester.run(request);
    String[] expectedLines = expected.split("\r\n", -1);
    String[] lines = reply.split("\r\n", -1);
    int others = 0;
    for (int i = 0; i < Math.min(lines.length, expectedLines.length); i++) {
      if (!lines[i].equals(expectedLines[i])
          && DISTANCE.matcher(lines[i]).matches()
          && DISTANCE.matcher(expectedLines[i]).matches()
          && new BigDecimal(lines[i])
                  .subtract(new BigDecimal(expectedLines[i]))
                  .abs()
                  .compareTo(LAST_DECIMAL)
              == 0) {
        lines[i] = expectedLines[i];
        others++;
      }
    }
    assertEquals(expected, String.join("\r\n", lines), where);
    return others;
  }

  /** The C library is off by the last digit too, for one distance of some hundreds. */
  @Test
  void storedDistancesAreTheSameToTheLastDigitNearlyAlways() throws Exception {
    System.out.println("GeoDifferentialTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int places = 1_000;
    int others = 0;
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      for (int i = 0; i < places; i++) {
        both.same("fill", "GEOADD", "g", longitude(random, 1), latitude(random, 1), "m" + i);
      }
      both.same(
          "all", "GEOSEARCHSTORE d g FROMLONLAT 10 20 BYRADIUS 30000 km STOREDIST".split(" ", -1));
      for (int i = 0; i < places; i++) {
        String[] score = {"ZSCORE", "d", "m" + i};
        others += both.tester.run(score).equals(redis.run(score)) ? 0 : 1;
      }
    }
    assertTrue(others < places / 50, others + " of " + places + " are others");
  }

  private static String longitude(SplittableRandom random, double spread) {
    return Double.toString(random.nextDouble(-180, 180) * spread);
  }

  private static String latitude(SplittableRandom random, double spread) {
    return Double.toString(random.nextDouble(-85, 85) * spread);
  }

  private static String[] request(SplittableRandom random, int points, double spread) {
    String key = "g" + random.nextInt(2);
    String member = "m" + random.nextInt(points + 2);
    String other = "m" + random.nextInt(points);
    String unit = List.of("m", "km", "ft", "mi").get(random.nextInt(4));
    double metersPerUnit =
        unit.equals("m") ? 1 : unit.equals("km") ? 1000 : unit.equals("ft") ? 0.3048 : 1609.34;
    double reach = Math.pow(10, random.nextDouble(2, 7.5)) * spread / metersPerUnit;
    String radius = String.format(java.util.Locale.ROOT, "%.3f", reach);
    List<String> request = new ArrayList<>();
    switch (random.nextInt(9)) {
      case 0 -> {
        return new String[] {"GEODIST", key, member, other, unit};
      }
      case 1 -> {
        return new String[] {"GEOPOS", key, member, other};
      }
      case 2 -> {
        return new String[] {"GEOHASH", key, member, other};
      }
      case 3 -> {
        return new String[] {
          "GEOADD", key, "CH", longitude(random, spread), latitude(random, spread), member
        };
      }
      case 4 ->
          request.addAll(
              List.of(
                  "GEORADIUS",
                  key,
                  longitude(random, spread),
                  latitude(random, spread),
                  radius,
                  unit));
      case 5 -> request.addAll(List.of("GEORADIUSBYMEMBER", key, member, radius, unit));
      default -> {
        request.addAll(List.of("GEOSEARCH", key));
        request.addAll(
            random.nextBoolean()
                ? List.of("FROMMEMBER", member)
                : List.of("FROMLONLAT", longitude(random, spread), latitude(random, spread)));
        String height =
            String.format(java.util.Locale.ROOT, "%.3f", reach * random.nextDouble(0.1, 3));
        request.addAll(
            random.nextBoolean()
                ? List.of("BYRADIUS", radius, unit)
                : List.of("BYBOX", radius, height, unit));
      }
    }
    if (random.nextBoolean()) {
      request.add(random.nextBoolean() ? "ASC" : "DESC");
    }
    if (random.nextInt(3) == 0) {
      request.addAll(List.of("COUNT", Integer.toString(random.nextInt(1, 9))));
      if (random.nextBoolean()) {
        request.add("ANY");
      }
    }
    for (String option : List.of("WITHDIST", "WITHHASH", "WITHCOORD")) {
      if (random.nextInt(3) == 0) {
        request.add(option);
      }
    }
    return request.toArray(String[]::new);
  }
}
