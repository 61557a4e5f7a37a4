package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Scans of a server, held against what the model holds.
 *
 * <p>Single-threaded.
 */
final class ModelScan {
  private final Server server;
  private final RedisModel model;

  ModelScan(Server server, RedisModel model) {
    this.server = server;
    this.model = model;
  }

  /**
   * What is scanned.
   *
   * @param key the collection; "" for the keys of a database
   */
  record Target(String command, String key) {
    static final Target KEYS = new Target("SCAN", "");

    boolean isKeys() {
      return command.equals("SCAN");
    }

    /** Whether elements come with something beside them. */
    boolean isPairs() {
      return command.equals("HSCAN") || command.equals("ZSCAN");
    }
  }

  /** What goes on between two pages. */
  interface Interlude {
    void run() throws IOException;
  }

  /** Scans all keys of a database, and what each of them holds. */
  void atRest(int database) throws IOException {
    server.look("SELECT", Integer.toString(database));
    TreeMap<String, Entry> expected = model.database(database);
    assertEquals(expected.keySet(), new HashSet<>(server.scan("SCAN", "")), "SCAN");
    for (Map.Entry<String, Entry> held : expected.entrySet()) {
      Object value = held.getValue().value();
      if (value instanceof Entry.Members members) {
        assertEquals(members, new HashSet<>(server.scan("SSCAN", held.getKey())), held.getKey());
      } else if (value instanceof Entry.Fields fields) {
        assertEquals(fields, pairs(server.scan("HSCAN", held.getKey())), held.getKey());
      } else if (value instanceof Entry.Scores scores) {
        Map<String, String> texts = new TreeMap<>();
        scores.forEach((member, score) -> texts.put(member, Wire.score(score)));
        assertEquals(texts, pairs(server.scan("ZSCAN", held.getKey())), held.getKey());
      }
    }
  }

  private static Map<String, String> pairs(List<String> texts) {
    Map<String, String> pairs = new TreeMap<>();
    for (int i = 0; i < texts.size(); i += 2) {
      pairs.put(texts.get(i), texts.get(i + 1));
    }
    return pairs;
  }

  /**
   * Scans while things change: what is there from the first page to the last is found, and nothing
   * is found that never was there.
   *
   * @param target what is scanned; what it holds comes and goes, the server as well
   */
  void whileChanging(int database, Target target, Interlude interlude) throws IOException {
    Set<String> always = new TreeSet<>(elements(database, target));
    Set<String> ever = new TreeSet<>(always);
    Set<String> found = new TreeSet<>();
    String cursor = "0";
    do {
      server.look("SELECT", Integer.toString(database));
      String reply =
          target.isKeys()
              ? server.look("SCAN", cursor, "COUNT", "3")
              : server.look(target.command(), target.key(), cursor, "COUNT", "3");
      if (!reply.startsWith("*")) {
        assertEquals(Wire.error(ModelError.WRONG_TYPE), reply);
        return;
      }
      List<String> page = Replies.elements(reply);
      List<String> elements = Replies.elements(page.get(1));
      for (int i = 0; i < elements.size(); i += target.isPairs() ? 2 : 1) {
        found.add(Replies.text(elements.get(i)));
      }
      cursor = Replies.text(page.get(0));
      if (!cursor.equals("0")) {
        interlude.run();
        always.retainAll(elements(database, target));
        ever.addAll(elements(database, target));
      }
    } while (!cursor.equals("0"));
    always.removeAll(found);
    assertEquals(Set.of(), always, "not found by a scan of " + target);
    found.removeAll(ever);
    assertEquals(Set.of(), found, "found by a scan of " + target);
  }

  private Set<String> elements(int database, Target target) {
    if (target.isKeys()) {
      return model.database(database).keySet();
    }
    Entry entry = model.database(database).get(target.key());
    if (entry == null) {
      return Set.of();
    }
    Object value = entry.value();
    return switch (target.command()) {
      case "SSCAN" -> value instanceof Entry.Members members ? members : Set.of();
      case "HSCAN" -> value instanceof Entry.Fields fields ? fields.keySet() : Set.of();
      default -> value instanceof Entry.Scores scores ? scores.keySet() : Set.of();
    };
  }
}
