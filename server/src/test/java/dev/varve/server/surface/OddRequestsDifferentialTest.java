package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.RespServer;
import dev.varve.server.resp.InlineRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that few clients send are answered as by redis-server, and counted and shown so. */
class OddRequestsDifferentialTest {
  private static final String REQUESTS =
      """
      HELLO 3 SETNAME foo BAR
      CLIENT GETNAME
      HELLO 3 SETNAME foo2 SETNAME "a b"
      CLIENT GETNAME
      HELLO 2 SETNAME foo3 AUTH nobody x
      CLIENT GETNAME
      HELLO 2 AUTH nobody x SETNAME foo4
      CLIENT GETNAME
      HELLO 2 SETNAME foo5 AUTH default x
      CLIENT GETNAME
      HELLO 2 SETNAME foo6 AUTH
      CLIENT GETNAME
      HELLO 9 SETNAME foo7
      CLIENT GETNAME
      XADD s 1-1 a b
      XADD s MAXLEN 1 MAXLEN 2 2-1 a b
      XADD s MINID 1 MINID 2 2-1 a b
      XADD s MAXLEN 1 MINID 2 2-1 a b
      XTRIM s MAXLEN 1 MAXLEN 2
      XTRIM s MINID 1 MINID 2
      XTRIM s MAXLEN 1 MAXLEN
      XTRIM s MAXLEN 1 MAXLEN abc
      XLEN s
      XGROUP CREATE s g $ MKSTREAM ENTRIESREAD 1
      XGROUP CREATE s g2 $ MKSTREAM ENTRIESREAD 1 FOO
      XGROUP CREATE s g3 $ MKSTREAM ENTRIESREAD 1 MKSTREAM
      XGROUP CREATE s g4 $ MKSTREAM MKSTREAM ENTRIESREAD 1 ENTRIESREAD 2
      XGROUP CREATE s g5 $ MKSTREAM MKSTREAM MKSTREAM
      XGROUP CREATE s g6 $ MKSTREAM MKSTREAM MKSTREAM MKSTREAM
      XGROUP CREATE none g $ MKSTREAM MKSTREAM MKSTREAM MKSTREAM
      XGROUP CREATE none g $ ENTRIESREAD 1 ENTRIESREAD 1
      EXISTS none
      XGROUP SETID s g $ ENTRIESREAD 1 ENTRIESREAD 2
      XGROUP SETID s none $ ENTRIESREAD 1 ENTRIESREAD 2
      SET text t
      XGROUP CREATE text g $ ENTRIESREAD 1 ENTRIESREAD 1
      GEOADD g 1 1 a 2 2 b
      GEOSEARCH g FROMMEMBER a FROMMEMBER b BYRADIUS 1 m
      GEOSEARCH g FROMMEMBER a FROMMEMBER none BYRADIUS 1 m
      GEOSEARCH g FROMMEMBER a FROMLONLAT 1 1 BYRADIUS 1 m
      GEOSEARCH g FROMLONLAT 2 2 FROMLONLAT 1 1 BYRADIUS 1 m
      GEOSEARCH g FROMLONLAT 2 2 FROMMEMBER a BYRADIUS 1 m
      GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m BYRADIUS 1000 km
      GEOSEARCH g FROMLONLAT 1 1 BYBOX 1 1 m BYBOX 1000 1000 km
      GEOSEARCH g FROMLONLAT 1 1 BYBOX 1 1 m BYRADIUS 1000 km
      GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1000 km BYBOX 1 1 m
      GEOSEARCH none FROMMEMBER a FROMMEMBER b BYRADIUS 1 m
      GEOSEARCH none FROMMEMBER a FROMLONLAT 1 1 BYRADIUS 1 m
      GEOSEARCH none FROMLONLAT 1 1 FROMMEMBER a BYRADIUS 1 m
      COMMAND GETKEYS GEORADIUS a 1 1 1 m STORE b STOREDIST c
      COMMAND GETKEYS GEORADIUS a 1 1 1 m STOREDIST b STORE c
      COMMAND GETKEYS GEORADIUSBYMEMBER a b 1 m STOREDIST b STORE c
      COMMAND GETKEYS GEORADIUS a 1 1 1 m STORE STORE STORE
      COMMAND GETKEYS GEORADIUS a 1 1 1 m STORE
      COMMAND GETKEYS GEORADIUS a 1 1 1 m
      EVAL "#!lua flags=\\nreturn 1" 0
      EVAL "#!lua flags=,\\nreturn 1" 0
      EVAL "#!lua flags=no-writes,\\nreturn 1" 0
      EVAL "#!lua flags=,no-writes\\nreturn 1" 0
      EVAL "#!lua flags=no-writes,,allow-oom\\nreturn 1" 0
      EVAL "#!lua 'flags=no-writes'\\nreturn 1" 0
      EVAL "#!lua \\"flags=no-writes\\"\\nreturn redis.call('set','a',1)" 0
      EVAL "#!lua fl\\"ags=no-writes\\"\\nreturn 1" 0
      EVAL "#!lua 'flags=no-writes\\nreturn 1" 0
      EVAL "#!lua 'flags=no-writes'x\\nreturn 1" 0
      EVAL "#!'lua'\\nreturn 1" 0
      EVAL "#!\\nreturn 1" 0
      EVAL "#! lua\\nreturn 1" 0
      EVAL "#!lua" 0
      EVAL "#!lua\\x00\\nreturn 1" 0
      EVAL "#!lua\\x0b\\nreturn 1" 0
      EVAL "#!lua \\"flags=a\\\\x41\\"\\nreturn 1" 0
      EVAL "#!lua flags= no-writes\\nreturn 1" 0
      EVAL "#!lua flags=No-writes\\nreturn 1" 0
      EVAL "#!lua ''\\nreturn 1" 0
      EVAL "#!lua flags=no-writes flags=allow-oom\\nreturn 1" 0
      ACL SETUSER u1 ""
      ACL SETUSER u1 "" on ""
      ACL SETUSER u1 "(+get )"
      ACL SETUSER u1 (+get "" )
      ACL GETUSER u1
      CONFIG SET zset-max-ziplist-value 64 zset-max-listpack-value 65
      CONFIG GET zset-max-listpack-value
      CONFIG SET zset-max-listpack-value 66 zset-max-ziplist-value 67
      CONFIG GET zset-max-listpack-value
      CONFIG SET zset-max-listpack-value x zset-max-ziplist-value 68
      CONFIG GET zset-max-listpack-value
      CONFIG SET zset-max-listpack-value 64 ZSET-max-listpack-value 64
      CONFIG SET ZSET-max-listpack-value 64 zset-max-listpack-value 64
      CONFIG GET ZSET-MAX-LISTPACK-VALUE zset-max-listpack-value
      CONFIG GET zset-max-listpack-valu* ZSET-MAX-LISTPACK-VALUE
      CONFIG GET Zset-Max-Listpack-Value zset-max-listpack-valu*
      DEBUG PROTOCOL push
      REPLCONF listening-port abc
      REPLCONF listening-port 7000
      CLIENT PAUSE -1
      CLIENT PAUSE 9223372036854775808
      CLIENT PAUSE 9223372036854775807 FOO
      SLOWLOG RESET
      CONFIG SET slowlog-log-slower-than 0
      ACL DELUSER x y
      ACL GETUSER x
      ACL SETUSER u1 on
      CONFIG SET slowlog-log-slower-than -1
      """;

  /** What a client that is in MONITOR may ask for, and what not. */
  private static final String MONITORED =
      """
      MONITOR
      PING
      GET a
      SET a 1
      MONITOR
      EVAL "return 1" 0
      EVAL_RO "return 1" 0
      FCALL f 0
      PUBLISH a b
      PFCOUNT a
      CLIENT SETNAME a
      MULTI | GET a | EXEC
      MULTI | PING | EXEC
      RESET
      GET a
      """;

  /** What is counted as a command that ran, or is not. */
  private static final String COUNTED =
      """
      PING
      NOSUCH
      GET
      CLIENT NOSUCH
      LPUSH l a
      GET l
      EVAL "redis.call('get','a') redis.call('set','a',1) redis.pcall('get') return 1" 0
      MULTI | GET a | SET a 1 | EXEC
      MULTI | GET | EXEC
      DISCARD
      BLPOP l 0
      EVAL "return redis.call('nosuch')" 0
      """;

  private static final String ASKED =
      """
      PING
      NOSUCH
      GET
      CLIENT NOSUCH
      SET a
      MULTI
      GET a
      DISCARD
      config set nosuch a
      CONFIG GET
      """;

  private static final Pattern LINE_OF_MONITOR =
      Pattern.compile("\\+\\d+\\.\\d+ \\[.*", Pattern.DOTALL);

  @TempDir private Path path;

  /** What is asked of both servers. */
  private interface Asked {
    void of(WirePair pair, WirePair other) throws Exception;
  }

  private void ask(boolean isResp3, Asked asked) throws Exception {
    try (RedisOracle redis = RedisOracle.start(path, "--enable-debug-command", "yes")) {
      RespServer varve =
          SurfaceDifferentialTest.varve(
              path.resolve("varve"), SurfaceDifferentialTest.IN_MEMORY_BYTES);
      try (WirePair pair = new WirePair(redis.port(), varve.port(), isResp3);
          WirePair other = new WirePair(redis.port(), varve.port(), false)) {
        asked.of(pair, other);
      } finally {
        varve.stop();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theyAreAnsweredAsByRedis(boolean isResp3) throws Exception {
    ask(isResp3, (pair, other) -> compare(pair, REQUESTS));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void monitorsAreRefusedKeysAsByRedis(boolean isResp3) throws Exception {
    ask(isResp3, (pair, other) -> compare(pair, MONITORED));
  }

  @Test
  void commandsAreCountedAsByRedis() throws Exception {
    ask(
        false,
        (pair, other) -> {
          for (String line : COUNTED.split("\n")) {
            pair.ask(requests(line));
            WirePair.Both info = other.ask(List.of(List.of("INFO", "stats")));
            assertEquals(commands(info.redis()), commands(info.varve()), line);
          }
        });
  }

  private static String commands(WirePair.Said said) {
    return found("total_commands_processed:(\\d+)", said.replies().get(0));
  }

  @Test
  void theLastCommandOfAClientIsShownAsByRedis() throws Exception {
    ask(
        false,
        (pair, other) -> {
          pair.ask(List.of(List.of("CLIENT", "SETNAME", "asks")));
          for (String line : ASKED.split("\n")) {
            pair.send(List.of(words(line)));
            pair.redis.read();
            pair.varve.read();
            WirePair.Both list = other.ask(List.of(List.of("CLIENT", "LIST")));
            assertEquals(last(list.redis()), last(list.varve()), line);
          }
        });
  }

  private static String last(WirePair.Said said) {
    return found("name=asks [^\n]* cmd=(\\S+)", said.replies().get(0));
  }

  private static String found(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertEquals(true, found.find(), () -> pattern + " in " + text);
    String group = found.group(1);
    assertNotNull(group);
    return group;
  }

  private static void compare(WirePair pair, String requests) throws IOException {
    for (String line : requests.split("\n")) {
      WirePair.Both both = pair.ask(requests(line));
      assertEquals(comparable(both.redis()), comparable(both.varve()), line);
    }
  }

  /** Without what no two servers have in common, and what comes at any time. */
  private static List<String> comparable(WirePair.Said said) {
    List<String> frames = new ArrayList<>(said.messages());
    said.replies().stream()
        .filter(reply -> !LINE_OF_MONITOR.matcher(reply).matches())
        .map(reply -> reply.replaceAll("(\\$2\r\nid\r\n):\\d+", "$1"))
        .forEach(frames::add);
    return frames;
  }

  private static List<List<String>> requests(String line) {
    return Arrays.stream(line.split(" [|] ")).map(OddRequestsDifferentialTest::words).toList();
  }

  private static List<String> words(String line) {
    byte[] text = line.getBytes(StandardCharsets.UTF_8);
    byte[][] words = InlineRequest.split(text, 0, text.length);
    assertNotNull(words, line);
    return Arrays.stream(words).map(word -> new String(word, StandardCharsets.UTF_8)).toList();
  }
}
