package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.command.access.Catalog;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ACL says what redis-server says, and users may do what its users may. */
class AccessDifferentialTest {
  private static final String REQUESTS =
      """
      ACL WHOAMI
      ACL USERS
      ACL LIST
      ACL GETUSER default
      ACL GETUSER Default
      ACL GETUSER nobody
      ACL CAT
      ACL CAT nope
      ACL CAT read write
      ACL GENPASS 0
      ACL GENPASS -1
      ACL GENPASS 4097
      ACL GENPASS x
      ACL GENPASS 128 3
      ACL DRYRUN default get k
      ACL DRYRUN default SET k v
      ACL DRYRUN default config get x
      ACL DRYRUN nobody get k
      ACL DRYRUN default none k
      ACL DRYRUN default get
      ACL DRYRUN default config
      ACL DRYRUN default config none
      ACL DRYRUN default config|get x
      ACL LOG
      ACL LOG 0
      ACL LOG x
      ACL LOG 1 2
      CONFIG SET requirepass secret
      ACL LIST
      ACL GETUSER default
      AUTH secret
      AUTH wrong
      AUTH wrong
      auth wrong
      AUTH somebody wrong
      HELLO 2 AUTH default wrong
      ACL LOG
      ACL LOG 2
      ACL LOG -1
      MULTI
      AUTH somebody wrong
      PING
      EXEC
      ACL LOG
      CONFIG SET acllog-max-len 2
      AUTH default wrong
      ACL LOG 1000
      AUTH another wrong
      ACL LOG 1000
      ACL LOG reset
      ACL LOG
      CONFIG SET requirepass ""
      ACL LIST
      """;

  /** Users are made and changed, are who they say they are, and are denied things. */
  private static final String REQUESTS_ABOUT_USERS =
      """
      ACL SETUSER
      ACL SETUSER alice
      ACL LIST
      ACL USERS
      ACL GETUSER alice
      AUTH alice x
      ACL SETUSER bob on >pw ~a* %R~b* &ch +@read -get +config|get +select|0 (+set ~x) (-@all +get %W~y resetchannels)
      ACL GETUSER bob
      ACL LIST
      ACL SETUSER bob xx
      ACL SETUSER bob +nope
      ACL SETUSER bob +@nope
      ACL SETUSER bob #ab
      ACL SETUSER bob <zz
      ACL SETUSER bob !zz
      ACL SETUSER bob %X~a
      ACL SETUSER bob %~a
      ACL SETUSER bob %Ra
      ACL SETUSER bob %
      ACL SETUSER bob %RR~a
      ACL SETUSER empty %W %RW~
      ACL GETUSER empty
      ACL SETUSER bob ~
      ACL GETUSER bob
      ACL SETUSER bob resetkeys ~a* %R~b*
      ACL SETUSER bob +config|
      ACL SETUSER bob +config|nope
      ACL SETUSER bob +config|get|x
      ACL SETUSER bob -select|0
      ACL SETUSER bob +debug|
      ACL SETUSER bob (+get
      ACL SETUSER bob (+get ~a
      ACL SETUSER bob ()
      ACL SETUSER bob (on)
      ACL SETUSER bob (
      ACL SETUSER bob
      ACL GETUSER bob
      ACL SETUSER bob +GET off +@nope on
      ACL GETUSER bob
      ACL SETUSER tmp ~* &* ~x
      ACL SETUSER tmp ~* &* &x
      ACL SETUSER tmp allkeys allchannels allcommands nopass on
      ACL GETUSER tmp
      ACL SETUSER tmp resetkeys ~a %R~b %W~b %rw~c resetchannels &c &d nocommands +@string +@string
      ACL GETUSER tmp
      ACL SETUSER tmp clearselectors (~q) sanitize-payload
      ACL LIST
      ACL SETUSER tmp skip-sanitize-payload resetpass
      ACL LIST
      ACL SETUSER tmp reset
      ACL LIST
      ACL SETUSER tmp2 +@all -config|set
      ACL SETUSER tmp3 -@all +config -config|set
      ACL SETUSER tmp4 +@list +@hash
      ACL SETUSER tmp5 +@all -@admin -@list
      ACL LIST
      ACL DRYRUN bob get a
      ACL DRYRUN bob set x 1
      ACL DRYRUN bob set z 1
      ACL DRYRUN bob mget a b c
      ACL DRYRUN bob publish x y
      ACL DRYRUN bob select 1
      ACL DRYRUN bob select 0
      ACL DRYRUN bob exists b a zz
      ACL DELUSER default
      ACL DELUSER tmp nobody tmp2 tmp3 tmp4 tmp5
      ACL USERS
      ACL LOAD
      ACL SAVE
      CLIENT KILL USER nobody
      ACL SETUSER bob reset on >pw ~a* &ok* +@all -@dangerous -mget +acl|log +acl|whoami
      AUTH bob wrong
      AUTH bob pw
      ACL WHOAMI
      GET b
      GET a
      MGET a
      KEYS *
      CONFIG GET x
      CLIENT LIST
      SORT_RO a
      PUBLISH no x
      PUBLISH ok1 x
      PSUBSCRIBE no*
      SUBSCRIBE ok no
      EVAL x 1 b
      EVAL return(redis.call('get','b')) 0
      EVAL return(redis.call('mget','a')) 0
      EVAL return(redis.call('publish','no',1)) 0
      EVAL return(redis.pcall('get','b')) 0
      EVAL return{redis.acl_check_cmd('mget','a'),redis.acl_check_cmd('get','b'),redis.acl_check_cmd('get','a')} 0
      MULTI
      SET a 1
      SET b 1
      EXEC
      MULTI
      MGET a
      DISCARD
      ACL LOG
      ACL SETUSER bob +@all
      AUTH default x
      RESET
      ACL WHOAMI
      ACL LOG 20
      ACL LOG RESET
      ACL SETUSER bob +@all resetkeys ~a %R~*
      AUTH bob pw
      SORT a BY w_* GET #
      SORT a GET x*
      SORT a BY nosort
      ACL SETUSER bob resetkeys ~a
      SORT a BY w_* GET #
      SORT a GET x*
      SORT a BY nosort
      MULTI
      SET a 1
      ACL SETUSER bob -set
      EXEC
      MULTI
      SORT a BY w_*
      GET a
      EXEC
      MULTI
      ACL SETUSER bob -get
      GET a
      EXEC
      ACL LOG
      CLIENT KILL USER bob SKIPME yes
      ACL DELUSER alice
      ACL SETUSER default on >x
      CONFIG GET requirepass
      RESET
      PING
      AUTH x
      PING
      ACL SETUSER default nopass
      RESET
      PING
      CONFIG SET acl-pubsub-default allchannels
      ACL SETUSER open
      ACL GETUSER open
      ACL SETUSER open resetchannels reset
      ACL GETUSER open
      """;

  private static final int USERS = 400;
  private static final int REQUESTS_OF_USER = 20;

  /** What is tried; K is some key. */
  private static final List<String> ASKED =
      List.of(
          "GET K",
          "SET K v",
          "SET K v GET",
          "MGET K a1 K",
          "MSET K v K v",
          "DEL K K",
          "EXISTS K K",
          "COPY K K",
          "RENAME K K",
          "LPUSH K v",
          "LPOP K",
          "LRANGE K 0 -1",
          "LMOVE K K LEFT RIGHT",
          "LMPOP 2 K K LEFT",
          "BLPOP K K 1",
          "SADD K m",
          "SINTERSTORE K K K",
          "SINTERCARD 2 K K",
          "ZADD K 1 m",
          "ZRANGESTORE K K 0 -1",
          "ZUNIONSTORE K 2 K K",
          "HSET K f v",
          "HGETALL K",
          "BITFIELD K GET u8 0",
          "BITFIELD K SET u8 0 1",
          "BITOP AND K K K",
          "PFCOUNT K K",
          "PFMERGE K K",
          "GEORADIUS K 1 1 1 m STORE K",
          "GEOSEARCHSTORE K K FROMMEMBER m BYRADIUS 1 m",
          "SORT K",
          "SORT K STORE K",
          "EVAL x 1 K",
          "EVAL_RO x 2 K K",
          "FCALL f 1 K",
          "XADD K * f v",
          "XREAD STREAMS K K 0 0",
          "XREADGROUP GROUP g c STREAMS K >",
          "OBJECT ENCODING K",
          "MEMORY USAGE K",
          "TYPE K",
          "TTL K",
          "EXPIRE K 1",
          "RESTORE K 0 x",
          "MIGRATE h 1 K 0 1",
          "PUBLISH K v",
          "SPUBLISH K v",
          "SUBSCRIBE K K",
          "SSUBSCRIBE K",
          "PSUBSCRIBE K b1",
          "UNSUBSCRIBE K",
          "PING",
          "AUTH x",
          "SELECT 0",
          "CONFIG GET K",
          "CONFIG SET K v",
          "CLIENT LIST",
          "CLIENT ID",
          "ACL WHOAMI",
          "FLUSHALL",
          "KEYS K",
          "SCAN 0",
          "MULTI",
          "WATCH K",
          "TOUCH K",
          "DEBUG OBJECT K");

  private static final Pattern RULES = Pattern.compile("([+-]@all)((?: [+-][^ )\r]+)+)");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsAskedIsAnsweredAsByRedis(boolean isResp3) throws Exception {
    compare(REQUESTS, isResp3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void usersAreMadeAndDeniedThingsAsByRedis(boolean isResp3) throws Exception {
    compare(REQUESTS_ABOUT_USERS, isResp3);
  }

  /** Whoever is made of random modifiers, and whatever he asks for. */
  @Test
  void whatUsersMayDoIsWhatRedissMay() throws Exception {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("AccessDifferentialTest -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      for (int user = 0; user < USERS; user++) {
        List<String> set = new ArrayList<>(List.of("ACL", "SETUSER", "u", "reset"));
        for (int i = random.nextInt(8); i >= 0; i--) {
          set.add(random.nextInt(6) == 0 ? selector(random) : modifier(random));
        }
        assertSame(pair, set, seed);
        for (int i = 0; i < REQUESTS_OF_USER; i++) {
          List<String> run = new ArrayList<>(List.of("ACL", "DRYRUN", "u"));
          run.addAll(
              List.of(
                  ASKED.get(random.nextInt(ASKED.size())).replace("K", key(random)).split(" ")));
          assertSame(pair, run, seed);
        }
      }
    } finally {
      server.stop();
    }
  }

  private static void assertSame(WirePair pair, List<String> request, long seed) throws Exception {
    pair.send(List.of(request));
    assertEquals(pair.redis.read(), pair.varve.read(), () -> request + " of seed " + seed);
  }

  private static String key(Random random) {
    return List.of("a1", "a2", "b1", "b", "c").get(random.nextInt(5));
  }

  private static String selector(Random random) {
    List<String> words = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      words.add(modifier(random));
    }
    return '(' + String.join(" ", words) + ')';
  }

  private static String modifier(Random random) {
    String sign = random.nextInt(3) == 0 ? "-" : "+";
    List<String> keys = List.of("~a*", "%R~b*", "%W~b*", "~c", "~*", "resetkeys", "%RW~b1");
    List<String> channels = List.of("&a*", "&b1", "&*", "resetchannels");
    switch (random.nextInt(5)) {
      case 0 -> {
        return sign + '@' + Catalog.CATEGORIES.get(random.nextInt(Catalog.CATEGORIES.size()));
      }
      case 1 -> {
        return sign + (random.nextBoolean() ? "@all" : "@string");
      }
      case 2 -> {
        return channels.get(random.nextInt(channels.size()));
      }
      case 3 -> {
        return sign + ASKED.get(random.nextInt(ASKED.size())).split(" ")[0];
      }
      default -> {
        return keys.get(random.nextInt(keys.size()));
      }
    }
  }

  private void compare(String requests, boolean isResp3) throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), isResp3)) {
      for (String line : requests.split("\n")) {
        List<String> request =
            List.of(line.split(" ")).stream().map(word -> word.replace("\"\"", "")).toList();
        pair.send(List.of(request));
        assertEquals(timeless(pair.redis.read()), timeless(pair.varve.read()), line);
      }
    } finally {
      server.stop();
    }
  }

  @Test
  void categoriesHoldTheCommandsThatRedisHasInThem() throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      // Every command is of one of these two, those of the cluster and of later releases too.
      TreeSet<String> common = new TreeSet<>();
      for (String speed : List.of("fast", "slow")) {
        List<TreeSet<String>> all = commands(pair, speed);
        all.get(0).retainAll(all.get(1));
        common.addAll(all.get(0));
      }
      assertTrue(common.contains("config|get"), () -> common.toString());
      // What there is of a cluster is refused.
      common.removeIf(name -> name.startsWith("cluster|") || name.equals("restore-asking"));
      pair.send(List.of(List.of("ACL", "CAT")));
      pair.varve.read();
      for (String category : Replies.elements(pair.redis.read())) {
        List<TreeSet<String>> both = commands(pair, Replies.text(category));
        both.forEach(names -> names.retainAll(common));
        assertEquals(both.get(0), both.get(1), category);
      }
    } finally {
      server.stop();
    }
  }

  /** What is in a category, first by Redis. */
  private static List<TreeSet<String>> commands(WirePair pair, String category) throws Exception {
    pair.send(List.of(List.of("ACL", "CAT", category)));
    List<TreeSet<String>> both = new ArrayList<>();
    for (String reply : List.of(pair.redis.read(), pair.varve.read())) {
      TreeSet<String> names = new TreeSet<>();
      Replies.elements(reply).forEach(name -> names.add(Replies.text(name)));
      both.add(names);
    }
    return both;
  }

  /**
   * Without what no two servers agree on: ages, the lines of clients, and the order of single
   * commands, which is that of a hash table in Redis.
   */
  private static String timeless(String reply) {
    return RULES
        .matcher(reply)
        .replaceAll(
            rules -> {
              String[] words = rules.group(2).trim().split(" ");
              Arrays.sort(words);
              return rules.group(1) + ' ' + String.join(" ", words).replace("$", "\\$");
            })
        .replaceAll("(age-seconds\r\n)(\\$\\d+\r\n|,)[0-9.e-]+", "$1age")
        .replaceAll("\\$\\d+\r\nid=\\d+ addr=[^\r]*", "client");
  }

  @Test
  void passwordsThatAreMadeUpAreAsLongAsRedisMakesThemAndNeverTheSame() throws Exception {
    RespServer server = server();
    try (RedisOracle redis = RedisOracle.start(directory);
        WirePair pair = new WirePair(redis.port(), server.port(), false)) {
      for (String bits : List.of("1", "4", "5", "128", "4096")) {
        pair.send(List.of(List.of("ACL", "GENPASS", bits)));
        String made = pair.varve.read();
        assertEquals(pair.redis.read().length(), made.length(), bits);
        assertTrue(made.matches("\\$\\d+\r\n[0-9a-f]+\r\n"), made);
      }
      pair.send(List.of(List.of("ACL", "GENPASS"), List.of("ACL", "GENPASS")));
      String first = pair.varve.read();
      assertEquals(pair.redis.read().length(), first.length());
      assertTrue(!first.equals(pair.varve.read()));
    } finally {
      server.stop();
    }
  }

  private static RespServer server() throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.PORT, "0");
    return RespServer.start(
        settings,
        new InMemoryEngine(),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }
}
