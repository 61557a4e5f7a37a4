package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * COMMAND DOCS describes every command of Redis 7.0 as redis-server does: all of it but for texts
 * that are for people, which are Varve's own.
 */
class CommandDocsDifferentialTest {
  /** What came with later versions, and has arguments all the same. */
  private static final List<String> LATER =
      List.of("hexpire", "hpexpireat", "httl", "hpexpiretime", "hpersist", "hgetex", "hsetex");

  @TempDir private Path path;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyCommandIsDescribedAsInRedis(boolean isResp3) throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      RespServer varve = varve();
      try (WirePair pair = new WirePair(redis.port(), varve.port(), isResp3)) {
        WirePair.Both both = pair.ask(List.of(List.of("COMMAND", "DOCS")));
        Map<String, String> expected = described(both.redis().replies().get(0));
        Map<String, String> found = described(both.varve().replies().get(0));
        found.keySet().retainAll(expected.keySet());
        assertEquals(lines(expected), lines(found));
      } finally {
        varve.stop();
      }
    }
  }

  @Test
  void laterCommandsHaveArgumentsToo() throws Exception {
    RespServer varve = varve();
    try (WireClient client = new WireClient(varve.port())) {
      for (String name : LATER) {
        client.send(List.of(List.of("COMMAND", "DOCS", name)));
        assertTrue(client.read().contains("$9\r\nnumfields\r\n"), name);
      }
    } finally {
      varve.stop();
    }
  }

  private RespServer varve() throws Exception {
    return SurfaceDifferentialTest.varve(
        path.resolve("varve"), SurfaceDifferentialTest.IN_MEMORY_BYTES);
  }

  /** What is told of each command, by their full names. */
  private static Map<String, String> described(String reply) {
    Map<String, String> described = new TreeMap<>();
    List<String> parts = Replies.elements(reply);
    for (int i = 0; i < parts.size(); i += 2) {
      describe(described, Replies.text(parts.get(i)), parts.get(i + 1));
    }
    return described;
  }

  private static void describe(Map<String, String> described, String name, String docs) {
    StringBuilder text = new StringBuilder().append(docs.charAt(0));
    List<String> parts = Replies.elements(docs);
    for (int i = 0; i < parts.size(); i += 2) {
      String key = Replies.text(parts.get(i));
      String value = parts.get(i + 1);
      text.append(' ').append(key).append(' ');
      switch (key) {
        case "summary", "complexity" -> assertTrue(Replies.text(value).length() > 2, name);
        case "history" -> {
          text.append(value.charAt(0));
          for (String change : Replies.elements(value)) {
            text.append(change.charAt(0)).append(Replies.elements(change).get(0));
          }
        }
        case "replaced_by" -> text.append(Replies.text(value).split("`")[1]);
        case "subcommands" -> {
          text.append(value.charAt(0));
          described.putAll(described(value));
        }
        default -> text.append(value);
      }
    }
    described.put(name, text.toString().replace("\r\n", "|"));
  }

  private static String lines(Map<String, String> described) {
    StringBuilder lines = new StringBuilder();
    described.forEach((name, text) -> lines.append(name).append(": ").append(text).append('\n'));
    return lines.toString();
  }
}
