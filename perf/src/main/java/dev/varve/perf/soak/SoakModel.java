package dev.varve.perf.soak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one client's keys hold. A batch of commands is made up, and applied at once; if it turns out
 * that the server never ran it, it is taken back. For one thread.
 */
final class SoakModel {
  private static final int STRINGS = 1_500;
  private static final int COLLECTIONS = 12;
  private static final int MEMBERS = 400;
  private static final int VALUE_LENGTH_MIN = 8;
  private static final int VALUE_LENGTH_RANGE = 500;

  /** A command, and the number of its reply. */
  record Request(List<String> words, long reply) {}

  private final String prefix;
  private final Random random;

  /** By key: a string's seed, or a collection's members by name; null for what is no value. */
  private final Map<String, Map<String, Long>> maps = new HashMap<>();

  private final Map<String, Long> strings = new HashMap<>();
  private final Map<String, ArrayDeque<Long>> lists = new HashMap<>();

  private final List<Runnable> undo = new ArrayList<>();
  private final Set<String> saved = new HashSet<>();
  private long values;

  SoakModel(String prefix, long seed) {
    this.prefix = prefix;
    this.random = new Random(seed);
  }

  /** The text that a number stands for: hardly to be compressed, of any length. */
  static String text(long seed) {
    SplittableRandom letters = new SplittableRandom(seed);
    int length = VALUE_LENGTH_MIN + letters.nextInt(VALUE_LENGTH_RANGE);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + letters.nextInt(26)));
    }
    return text.toString();
  }

  /** Keys that exist. */
  long keys() {
    return strings.size() + maps.size() + lists.size();
  }

  /** A batch is about to be made up. */
  void begin() {
    undo.clear();
    saved.clear();
  }

  /** The server never ran the batch. */
  void takeBack() {
    undo.forEach(Runnable::run);
    begin();
  }

  /** One random command; the model is as after it. */
  Request next() {
    String name = prefix + random.nextInt(COLLECTIONS);
    return switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> set();
      case 4, 5 -> get();
      case 6 -> putMember(name + ":hash", "HSET");
      case 7 -> removeMember(name + ":hash", "HDEL");
      case 8 -> putMember(name + ":zset", "ZADD");
      case 9 -> removeMember(name + ":zset", "ZREM");
      case 10 -> push(name + ":list");
      case 11 -> pop(name + ":list");
      case 12 -> putMember(name + ":set", "SADD");
      default -> random.nextInt(20) == 0 ? delete(name) : removeMember(name + ":set", "SREM");
    };
  }

  private Request set() {
    String key = prefix + "string:" + random.nextInt(STRINGS);
    Long before = strings.get(key);
    undo.add(0, () -> put(strings, key, before));
    if (random.nextInt(4) == 0) {
      strings.remove(key);
      return new Request(List.of("DEL", key), before == null ? 0 : 1);
    }
    long seed = values++ * 31 + prefix.hashCode();
    strings.put(key, seed);
    return new Request(List.of("SET", key, text(seed)), 0);
  }

  private static <V> void put(Map<String, V> map, String key, @Nullable V value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }

  private Request get() {
    String key = prefix + "string:" + random.nextInt(STRINGS);
    Long seed = strings.get(key);
    return new Request(List.of("GET", key), seed == null ? -1 : text(seed).length());
  }

  private Map<String, Long> members(String key) {
    Map<String, Long> members = maps.get(key);
    if (saved.add(key)) {
      Map<String, Long> copy = members == null ? null : new TreeMap<>(members);
      undo.add(0, () -> put(maps, key, copy));
    }
    return members == null ? new TreeMap<>() : members;
  }

  private Request putMember(String key, String command) {
    Map<String, Long> members = members(key);
    String member = "m" + random.nextInt(MEMBERS);
    long seed = values++;
    long reply = members.put(member, seed) == null ? 1 : 0;
    maps.put(key, members);
    return switch (command) {
      case "HSET" -> new Request(List.of(command, key, member, text(seed)), reply);
      case "ZADD" -> new Request(List.of(command, key, Long.toString(seed), member), reply);
      default -> new Request(List.of(command, key, member), reply);
    };
  }

  private Request removeMember(String key, String command) {
    Map<String, Long> members = members(key);
    String member = "m" + random.nextInt(MEMBERS);
    long reply = members.remove(member) == null ? 0 : 1;
    if (members.isEmpty()) {
      maps.remove(key);
    }
    return new Request(List.of(command, key, member), reply);
  }

  private ArrayDeque<Long> elements(String key) {
    ArrayDeque<Long> elements = lists.get(key);
    if (saved.add(key)) {
      ArrayDeque<Long> copy = elements == null ? null : new ArrayDeque<>(elements);
      undo.add(0, () -> put(lists, key, copy));
    }
    return elements == null ? new ArrayDeque<>() : elements;
  }

  private Request push(String key) {
    ArrayDeque<Long> elements = elements(key);
    if (elements.size() >= MEMBERS) {
      return pop(key);
    }
    long seed = values++;
    elements.addLast(seed);
    lists.put(key, elements);
    return new Request(List.of("RPUSH", key, text(seed)), elements.size());
  }

  private Request pop(String key) {
    ArrayDeque<Long> elements = elements(key);
    Long first = elements.pollFirst();
    if (elements.isEmpty()) {
      lists.remove(key);
    }
    return new Request(List.of("LPOP", key), first == null ? -1 : text(first).length());
  }

  /** A whole collection: its members are left to compaction. */
  private Request delete(String name) {
    String kind = List.of(":hash", ":zset", ":set").get(random.nextInt(3));
    long reply = members(name + kind).isEmpty() ? 0 : 1;
    maps.remove(name + kind);
    return new Request(List.of("DEL", name + kind), reply);
  }

  /** Requests that read everything, each with the text of its reply. */
  Map<List<String>, String> everything() {
    Map<List<String>, String> all = new HashMap<>();
    strings.forEach((key, seed) -> all.put(List.of("GET", key), text(seed)));
    maps.forEach(
        (key, members) ->
            members.forEach(
                (member, seed) -> {
                  if (key.endsWith(":hash")) {
                    all.put(List.of("HGET", key, member), text(seed));
                  } else if (key.endsWith(":zset")) {
                    all.put(List.of("ZSCORE", key, member), Long.toString(seed));
                  }
                }));
    lists.forEach(
        (key, elements) -> {
          int index = 0;
          for (Long seed : elements) {
            all.put(List.of("LINDEX", key, Integer.toString(index++)), text(seed));
          }
        });
    return all;
  }

  /** Requests for how large each collection is, and the answers. */
  List<Request> sizes() {
    List<Request> sizes = new ArrayList<>();
    maps.forEach(
        (key, members) -> {
          String command =
              key.endsWith(":hash") ? "HLEN" : key.endsWith(":zset") ? "ZCARD" : "SCARD";
          sizes.add(new Request(List.of(command, key), members.size()));
          if (command.equals("SCARD")) {
            members
                .keySet()
                .forEach(member -> sizes.add(new Request(List.of("SISMEMBER", key, member), 1)));
          }
        });
    lists.forEach((key, elements) -> sizes.add(new Request(List.of("LLEN", key), elements.size())));
    return sizes;
  }
}
