package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.RedisOracle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the groups string and generic give the very replies of redis-server 7.0. */
class StringAndKeyDifferentialTest {
  private static final String FAR_SECONDS = "4102444800";
  private static final String FAR_MILLIS = "4102444800123";

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET k v
      SET k v EX 0
      SET k v EX -1
      SET k v EX abc
      SET k v EX 9223372036854775807
      SET k v PX 9223372036854775807
      SET k v EXAT 9223372036854775
      SET k v EX
      SET k v EX 10 PX 10
      SET k v EX 10 EX 20
      SET k v foo
      SET k v NX XX
      SET k v XX NX
      SET k v KEEPTTL EX 5
      SET k v EX 5 KEEPTTL
      SET k v KEEPTTL KEEPTTL
      SET k v NX GET
      SET k w XX GET
      SET none w XX GET
      SET none w XX
      SET k v NX
      SET k v GET PERSIST
      SET k 1 EXAT 4102444800
      EXPIRETIME k
      SET k 2 KEEPTTL
      PEXPIRETIME k
      GETSET k 3
      PEXPIRETIME k
      SET past x PXAT 1
      GET past
      EXISTS past
      SETNX k 1
      SETNX fresh 1
      SETEX k 0 v
      SETEX k abc v
      SETEX k 1
      PSETEX k 0 v
      PSETEX k -1 v
      GETEX k EX 10 PERSIST
      GETEX k PERSIST EX 10
      GETEX k KEEPTTL
      GETEX k NX
      GETEX k EX abc
      GETEX k EX 0
      GETEX none EX 0
      GETEX none EX abc
      GETEX k PXAT 4102444800123
      PEXPIRETIME k
      GETEX k
      GETEX k PERSIST
      PEXPIRETIME k
      GETEX k PXAT 1
      EXISTS k
      GETDEL k
      GETDEL fresh
      GETDEL fresh
      APPEND a x
      APPEND a ""
      OBJECT ENCODING a
      APPEND b 12
      OBJECT ENCODING b
      APPEND b 3
      OBJECT ENCODING b
      INCR b
      OBJECT ENCODING b
      STRLEN b
      STRLEN none
      SETRANGE s 5 x
      OBJECT ENCODING s
      GET s
      SETRANGE s -1 x
      SETRANGE s 536870912 x
      SETRANGE s 9223372036854775807 x
      SETRANGE s abc x
      SETRANGE s 0 ""
      SETRANGE none 0 ""
      SETRANGE none 100 ""
      GETRANGE s 0 -1
      GETRANGE s -3 -1
      GETRANGE s 3 1
      GETRANGE s -1 -3
      GETRANGE s -100 -99
      GETRANGE s 1 9223372036854775807
      GETRANGE s -9223372036854775808 2
      GETRANGE s a 2
      GETRANGE none 0 -1
      SUBSTR s 0 2
      INCR n
      INCRBY n abc
      INCRBY n 9223372036854775807
      INCRBY n 9223372036854775806
      INCR n
      DECRBY n -9223372036854775808
      DECRBY m 9223372036854775807
      DECR m
      DECR m
      SET bad 012
      INCR bad
      INCRBYFLOAT bad 1
      INCRBYFLOAT f 3.0e3
      INCRBYFLOAT f 0.1
      OBJECT ENCODING f
      INCRBYFLOAT f -0.1
      INCRBYFLOAT g 5
      OBJECT ENCODING g
      INCRBYFLOAT g inf
      INCRBYFLOAT g nan
      INCRBYFLOAT g abc
      INCRBYFLOAT g 1e4900
      INCRBYFLOAT g -1e4900
      INCRBYFLOAT g 1e4932
      INCRBYFLOAT g 1e4932
      INCRBYFLOAT g 1e4933
      INCRBYFLOAT g 1e-4950
      INCRBYFLOAT g 1e-5000
      INCRBYFLOAT h 0x1.8p3
      INCRBYFLOAT h -0x.8
      MSET a
      MSET a 1 b
      MSET a 1 b 2 a 3
      MGET a b none
      MSETNX c 1 a 2
      MSETNX c 1 d 2 c 3
      MGET c d
      LCS a
      LCS a b FOO
      LCS a b MINMATCHLEN
      LCS a b MINMATCHLEN x IDX
      LCS a b IDX LEN
      MSET a ohmytext b mynewtext
      LCS a b
      LCS a b LEN
      LCS a b IDX
      LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN
      LCS a b IDX MINMATCHLEN -4
      LCS none b
      DEL a a none
      UNLINK b none
      EXISTS c c none
      TOUCH c none c
      TYPE c
      TYPE none
      EXPIRE c 10 FOO
      EXPIRE c 10 NX XX
      EXPIRE c 10 GT LT
      EXPIRE c 10 NX GT
      EXPIRE c abc FOO
      EXPIRE c abc
      EXPIRE c 9223372036854775807
      PEXPIRE c 9223372036854775807
      EXPIRE c -9223372036854775808
      EXPIREAT c 9223372036854776
      EXPIRE none 5 NX
      EXPIREAT c 4102444800 XX
      EXPIREAT c 4102444800 GT
      EXPIREAT c 4102444800 LT
      EXPIREAT c 4102444800 LT
      EXPIREAT c 4102444801 LT
      EXPIREAT c 4102444801 GT
      EXPIREAT c 4102444801 NX
      EXPIREAT c 4102444802 XX GT
      PEXPIREAT c 4102444802501
      EXPIRETIME c
      PEXPIRETIME c
      PERSIST c
      PERSIST c
      PERSIST none
      TTL c
      TTL none
      PTTL c
      PTTL none
      EXPIRETIME c
      EXPIRETIME none
      EXPIRE c 0
      EXISTS c
      EXPIRE d -5
      EXISTS d
      SET k v EXAT 4102444800
      RENAME none x
      RENAME k k
      RENAMENX k k
      RENAMENX none k
      SET other w
      RENAMENX k other
      RENAME k other
      EXPIRETIME other
      EXISTS k
      COPY other other
      COPY other x DB 99
      COPY other x DB -1
      COPY other x DB abc
      COPY other x DB 99999999999
      COPY other x FOO
      COPY other x DB
      COPY none x
      COPY other other DB 0
      COPY other x
      COPY other x
      COPY other x REPLACE
      COPY other x DB 3 REPLACE
      EXPIRETIME x
      MOVE other 0
      MOVE other abc
      MOVE other 99
      MOVE other -1
      MOVE other 99999999999
      MOVE x 3
      MOVE other 3
      MOVE other 3
      SWAPDB a 1
      SWAPDB 1 a
      SWAPDB 1 99
      SWAPDB -1 1
      SWAPDB 1 1
      SWAPDB 0 3
      MGET x other
      DBSIZE
      SWAPDB 0 3
      FLUSHDB FOO
      FLUSHDB SYNC ASYNC
      FLUSHALL a b
      SCAN abc
      SCAN 1x
      SCAN 99999999999999999999999
      SCAN 0 COUNT 0
      SCAN 0 COUNT abc
      SCAN 0 COUNT
      SCAN 0 MATCH
      SCAN 0 TYPE
      SCAN 0 FOO bar
      OBJECT ENCODING none
      OBJECT FREQ x
      OBJECT IDLETIME x
      OBJECT REFCOUNT x
      OBJECT FOO x
      OBJECT ENCODING
      OBJECT ENCODING x x
      OBJECT
      FLUSHDB ASYNC
      DBSIZE
      KEYS *
      RANDOMKEY
      SCAN 0
      SCAN 0 TYPE nonsense
      SCAN ""
      SET "" v
      KEYS *
      KEYS **
      KEYS ""
      KEYS ?
      SCAN 0 MATCH *
      SCAN 0 MATCH **
      SCAN 0 MATCH ""
      FLUSHALL SYNC
      FLUSHALL
      """;

  @TempDir private Path directory;

  @Test
  void everyRequestOfTheListGetsTheSameReply() throws Exception {
    CommandTester tester = new CommandTester();
    tester.nowMillis = System.currentTimeMillis();
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (String line : REQUESTS.split("\n", -1)) {
        if (!line.isBlank()) {
          String[] parts = line.strip().split(" ", -1);
          for (int i = 0; i < parts.length; i++) {
            parts[i] = parts[i].equals("\"\"") ? "" : parts[i];
          }
          assertEquals(redis.run(parts), tester.run(parts), line);
        }
      }
    }
  }

  @Test
  void randomRequestsGetTheSameReplies() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < 20; seed++) {
        CommandTester tester = new CommandTester();
        tester.nowMillis = System.currentTimeMillis();
        redis.run("FLUSHALL");
        SplittableRandom random = new SplittableRandom(seed);
        for (int step = 0; step < 200; step++) {
          String[] request = request(random);
          assertEquals(
              redis.run(request),
              tester.run(request),
              "seed " + seed + " step " + step + ": " + String.join(" ", request));
        }
        assertEquals(sorted(redis.run("KEYS", "*")), sorted(tester.run("KEYS", "*")));
        assertEquals(
            sorted(redis.run("SCAN", "0", "COUNT", "1000")),
            sorted(tester.run("SCAN", "0", "COUNT", "1000")));
      }
    }
  }

  private static List<String> sorted(String reply) {
    return new ArrayList<>(new TreeSet<>(List.of(reply.split("\r\n"))));
  }

  private static String[] request(SplittableRandom random) {
    String key = "k" + random.nextInt(5);
    String other = "k" + random.nextInt(5);
    String value = value(random);
    String number = Integer.toString(random.nextInt(-12, 12));
    return switch (random.nextInt(34)) {
      case 0 -> new String[] {"SET", key, value};
      case 1 -> new String[] {"SET", key, value, "NX"};
      case 2 -> new String[] {"SET", key, value, "XX", "GET"};
      case 3 -> new String[] {"SET", key, value, "EXAT", FAR_SECONDS};
      case 4 -> new String[] {"SET", key, value, "KEEPTTL"};
      case 5 -> new String[] {"SET", key, value, "PXAT", "1000"};
      case 6 -> new String[] {"GET", key};
      case 7 -> new String[] {"GETSET", key, value};
      case 8 -> new String[] {"GETDEL", key};
      case 9 -> new String[] {"GETEX", key, "PXAT", FAR_MILLIS};
      case 10 -> new String[] {"GETEX", key, "PERSIST"};
      case 11 -> new String[] {"APPEND", key, value};
      case 12 -> new String[] {"STRLEN", key};
      case 13 -> new String[] {"SETRANGE", key, Integer.toString(random.nextInt(50)), value};
      case 14 -> new String[] {"GETRANGE", key, number, Integer.toString(random.nextInt(-9, 9))};
      case 15 -> new String[] {"INCRBY", key, number};
      case 16 -> new String[] {"DECR", key};
      case 17 -> new String[] {"INCRBYFLOAT", key, floating(random)};
      case 18 -> new String[] {"MSET", key, value, other, number};
      case 19 -> new String[] {"MSETNX", key, value, other, number};
      case 20 -> new String[] {"MGET", key, other, "none"};
      case 21 -> new String[] {"LCS", key, other, "IDX", "WITHMATCHLEN"};
      case 22 -> new String[] {"DEL", key, other};
      case 23 -> new String[] {"EXISTS", key, other, key};
      case 24 -> new String[] {"EXPIREAT", key, FAR_SECONDS, random.nextBoolean() ? "NX" : "GT"};
      case 25 -> new String[] {"PEXPIREAT", key, FAR_MILLIS, random.nextBoolean() ? "XX" : "LT"};
      case 26 -> new String[] {"PEXPIRETIME", key};
      case 27 -> new String[] {"PERSIST", key};
      case 28 -> new String[] {"RENAME", key, other};
      case 29 -> new String[] {"RENAMENX", key, other};
      case 30 -> new String[] {"COPY", key, other, random.nextBoolean() ? "REPLACE" : "replace"};
      case 31 -> new String[] {"OBJECT", "ENCODING", key};
      case 32 -> new String[] {"MOVE", key, "1"};
      default -> new String[] {"SWAPDB", "0", Integer.toString(random.nextInt(2))};
    };
  }

  private static String value(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> Integer.toString(random.nextInt(-100, 100));
      case 1 -> "x".repeat(random.nextInt(60));
      case 2 -> floating(random);
      default -> "ab" + random.nextInt(30) + "ba";
    };
  }

  private static String floating(SplittableRandom random) {
    double value = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-8, 12));
    return random.nextBoolean() ? Double.toString(value) : "%.5f".formatted(value);
  }
}
