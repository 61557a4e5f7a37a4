package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * COMMAND DOCS describes every command of Redis 7.0 as redis-server does: arguments, group, flags,
 * versions, what has taken its place. The sentences, which are for people, are Varve's own, and say
 * what holds of Varve: so does the complexity.
 */
class CommandDocsDifferentialTest {
  /** What came with later versions, and has arguments all the same. */
  private static final List<String> LATER =
      List.of("hexpire", "hpexpireat", "httl", "hpexpiretime", "hpersist", "hgetex", "hsetex");

  /** Others of these, and an argument of theirs. */
  private static final Map<String, String> LATER_WITH =
      Map.of(
          "waitaof", "numlocal",
          "delex", "ifne-value",
          "delifeq", "value",
          "msetex", "numkeys",
          "zrank", "withscore",
          "hscan", "novalues",
          "set", "ifeq-value");

  /**
   * Those that Varve lets through at times when Redis does not, which is told of their flags; what
   * is refused is not said to be for slots that move.
   */
  private static final Set<String> OTHER_FLAGS =
      Set.of("replicaof", "slaveof", "sync", "psync", "restore-asking");

  /** Where in what COMMAND INFO tells of a command these are. */
  private static final int FLAGS = 2;

  private static final int CATEGORIES = 6;
  private static final int SUBCOMMANDS = 9;

  /** What has come since this is no part of Redis 7.0. */
  private static final String LATER_THAN = "7.1";

  /** So few words can be the only ones there are, such as {@code O(1)} or a name. */
  private static final int WORDS_OF_NOBODY_MAX = 4;

  private static final int SUMMARY_CHARACTERS_MAX = 80;

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
  void everyCommandHasTheFlagsAndCategoriesOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      RespServer varve = varve();
      try (WirePair pair = new WirePair(redis.port(), varve.port(), false)) {
        WirePair.Both both = pair.ask(List.of(List.of("COMMAND", "INFO")));
        Map<String, String> expected = marked(both.redis().replies().get(0));
        Map<String, String> found = marked(both.varve().replies().get(0));
        found.keySet().retainAll(expected.keySet());
        expected.keySet().retainAll(found.keySet());
        assertTrue(expected.keySet().containsAll(OTHER_FLAGS), expected.toString());
        expected.keySet().removeAll(OTHER_FLAGS);
        found.keySet().removeAll(OTHER_FLAGS);
        assertEquals(lines(expected), lines(found));
      } finally {
        varve.stop();
      }
    }
  }

  @Test
  void sentencesAreVarvesOwn() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path)) {
      RespServer varve = varve();
      try (WirePair pair = new WirePair(redis.port(), varve.port(), false)) {
        List<List<String>> both = List.of(List.of("COMMAND", "DOCS"), List.of("COMMAND", "INFO"));
        Set<String> shared = new TreeSet<>();
        for (List<String> request : both) {
          WirePair.Both replies = pair.ask(List.of(request));
          Set<String> theirs = sentences(replies.redis().replies().get(0));
          assertTrue(theirs.size() > 2, () -> request + " has sentences");
          theirs.retainAll(sentences(replies.varve().replies().get(0)));
          shared.addAll(theirs);
        }
        assertEquals(Set.of(), shared);
      } finally {
        varve.stop();
      }
    }
  }

  @Test
  void descriptionsAreShort() throws Exception {
    RespServer varve = varve();
    try (WireClient client = new WireClient("varve", varve.port())) {
      client.send(List.of(List.of("COMMAND", "DOCS")));
      Map<String, String> wrong = new TreeMap<>();
      noteWhatIsLong(wrong, client.read());
      assertEquals(Map.of(), wrong);
    } finally {
      varve.stop();
    }
  }

  @Test
  void laterCommandsHaveArgumentsToo() throws Exception {
    RespServer varve = varve();
    try (WireClient client = new WireClient("varve", varve.port())) {
      for (String name : LATER) {
        client.send(List.of(List.of("COMMAND", "DOCS", name)));
        assertTrue(client.read().contains("$9\r\nnumfields\r\n"), name);
      }
      for (Map.Entry<String, String> each : LATER_WITH.entrySet()) {
        client.send(List.of(List.of("COMMAND", "DOCS", each.getKey())));
        assertTrue(client.read().contains("\r\n" + each.getValue() + "\r\n"), each.getKey());
      }
    } finally {
      varve.stop();
    }
  }

  private RespServer varve() throws Exception {
    return SurfaceDifferentialTest.varve(
        path.resolve("varve"), SurfaceDifferentialTest.IN_MEMORY_BYTES);
  }

  /** Every text within a reply that is long enough to be somebody's, in words only. */
  private static Set<String> sentences(String reply) {
    Set<String> sentences = new TreeSet<>();
    addSentences(sentences, reply);
    return sentences;
  }

  private static void addSentences(Set<String> sentences, String reply) {
    switch (reply.charAt(0)) {
      case '*', '%', '~' -> Replies.elements(reply).forEach(part -> addSentences(sentences, part));
      case '$' -> {
        String text = Replies.text(reply).toLowerCase(Locale.ROOT);
        String words = text.replaceAll("[^a-z0-9 ]", "").strip();
        if (words.split(" +").length > WORDS_OF_NOBODY_MAX) {
          sentences.add(words);
        }
      }
      default -> {}
    }
  }

  private static void noteWhatIsLong(Map<String, String> wrong, String reply) {
    List<String> commands = Replies.elements(reply);
    assertTrue(commands.size() > 1);
    for (int i = 0; i < commands.size(); i += 2) {
      String name = Replies.text(commands.get(i));
      List<String> parts = Replies.elements(commands.get(i + 1));
      for (int j = 0; j < parts.size(); j += 2) {
        String value = parts.get(j + 1);
        switch (Replies.text(parts.get(j))) {
          case "summary" -> {
            String summary = Replies.text(value);
            if (!summary.matches(".{5," + SUMMARY_CHARACTERS_MAX + "}(?<!\\.)")) {
              wrong.put(name, summary);
            }
          }
          case "complexity" -> {
            if (!Replies.text(value).matches("O\\(.*|that of .*")) {
              wrong.put(name, Replies.text(value));
            }
          }
          case "subcommands" -> noteWhatIsLong(wrong, value);
          default -> {}
        }
      }
    }
  }

  /** Flags and categories of each command, by their full names. */
  private static Map<String, String> marked(String reply) {
    Map<String, String> marked = new TreeMap<>();
    for (String command : Replies.elements(reply)) {
      List<String> parts = Replies.elements(command);
      Set<String> marks = new TreeSet<>(Replies.elements(parts.get(FLAGS)));
      marks.addAll(Replies.elements(parts.get(CATEGORIES)));
      marked.put(Replies.text(parts.get(0)), String.join(" ", marks).replace("\r\n", ""));
      marked.putAll(marked(parts.get(SUBCOMMANDS)));
    }
    return marked;
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
          StringBuilder changes = new StringBuilder();
          for (String change : Replies.elements(value)) {
            String version = Replies.elements(change).get(0);
            if (!isLater(version)) {
              changes.append(change.charAt(0)).append(version);
            }
          }
          if (changes.isEmpty()) {
            text.setLength(text.length() - " history ".length());
          } else {
            text.append(value.charAt(0)).append(changes);
          }
        }
        case "arguments" -> text.append(withoutLater(value));
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

  private static boolean isLater(String version) {
    return Replies.text(version).compareTo(LATER_THAN) > 0;
  }

  /** Arguments without those that are later, at whatever depth. */
  private static String withoutLater(String arguments) {
    StringBuilder kept = new StringBuilder();
    int count = 0;
    for (String argument : Replies.elements(arguments)) {
      List<String> parts = Replies.elements(argument);
      boolean isKept = true;
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < parts.size(); i += 2) {
        String name = Replies.text(parts.get(i));
        String value = parts.get(i + 1);
        isKept &= !(name.equals("since") && isLater(value));
        text.append(parts.get(i)).append(name.equals("arguments") ? withoutLater(value) : value);
      }
      if (isKept) {
        count++;
        kept.append(argument, 0, argument.indexOf('\n') + 1).append(text);
      }
    }
    return "" + arguments.charAt(0) + count + "\r\n" + kept;
  }

  private static String lines(Map<String, String> described) {
    StringBuilder lines = new StringBuilder();
    described.forEach((name, text) -> lines.append(name).append(": ").append(text).append('\n'));
    return lines.toString();
  }
}
