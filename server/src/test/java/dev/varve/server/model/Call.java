package dev.varve.server.model;

import dev.varve.server.command.Replies;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request as a command of the model meets it. */
final class Call {
  final RedisModel model;
  final ModelClient client;

  /** What the server has replied: to be believed, once checked, where chance has a say. */
  final String actual;

  private final String[] args;

  Call(RedisModel model, ModelClient client, String[] args, String actual) {
    this.model = model;
    this.client = client;
    this.args = args;
    this.actual = actual;
  }

  int count() {
    return args.length;
  }

  String arg(int index) {
    return args[index];
  }

  List<String> from(int index) {
    return Arrays.asList(args).subList(index, args.length);
  }

  boolean is(int index, String word) {
    return index < args.length && args[index].equalsIgnoreCase(word);
  }

  /** Where an option stands from {@code index} on, or 0. */
  int find(String option, int index) {
    for (int i = index; i < args.length; i++) {
      if (is(i, option)) {
        return i;
      }
    }
    return 0;
  }

  boolean has(String option, int index) {
    return find(option, index) > 0;
  }

  long integer(int index) {
    return Long.parseLong(args[index]);
  }

  long nowMillis() {
    return model.nowMillis();
  }

  TreeMap<String, Entry> database() {
    return model.database(client.database);
  }

  @Nullable Entry entry(String key) {
    return database().get(key);
  }

  /** What a key holds if it is of that type, or null if there is none. */
  <T> @Nullable T value(String key, Class<T> type) {
    Entry entry = entry(key);
    if (entry == null) {
      return null;
    }
    if (!type.isInstance(entry.value())) {
      throw new ModelError(ModelError.WRONG_TYPE);
    }
    return type.cast(entry.value());
  }

  /** What a key holds, of that type, created empty if there is none. */
  <T> T valueOrNew(String key, Class<T> type, Supplier<T> empty) {
    T found = value(key, type);
    if (found == null) {
      found = empty.get();
      database().put(key, new Entry(found, Entry.NO_EXPIRY));
    }
    return found;
  }

  /** Lets a key hold something else, for ever. */
  void put(String key, Object value) {
    put(key, value, Entry.NO_EXPIRY);
  }

  /** Lets a key hold something else; what has expired already is gone. */
  void put(String key, Object value, long expiryMillis) {
    database().put(key, new Entry(value, expiryMillis));
    changed(key);
    if (expiryMillis <= nowMillis()) {
      database().remove(key);
    }
  }

  /** As {@link #put}, or deletes the key if the collection is empty. */
  void store(String key, Object value) {
    if (new Entry(value, Entry.NO_EXPIRY).isEmpty()) {
      remove(key);
    } else {
      put(key, value);
    }
  }

  boolean remove(String key) {
    boolean existed = database().remove(key) != null;
    if (existed) {
      changed(key);
    }
    return existed;
  }

  /** A key was changed in place: tells who watches it, and removes it if it is empty now. */
  void changed(String key) {
    model.changed(client.database, key);
    removeIfEmpty(key);
  }

  void removeIfEmpty(String key) {
    Entry entry = entry(key);
    if (entry != null && entry.isEmpty()) {
      database().remove(key);
    }
  }

  // What was chosen at random --------------------------------------------------------------------

  /** The bulk strings of the server's reply. */
  List<String> actualTexts() {
    return Replies.elements(actual).stream().map(Replies::text).toList();
  }

  boolean isActualArray() {
    return actual.startsWith("*") && !actual.equals(Wire.NULL_ARRAY);
  }

  /** What to return when the server's reply is none of those it may give. */
  static String wanted(String what) {
    return "(" + what + ")";
  }
}
