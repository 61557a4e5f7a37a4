package dev.varve.server.model;

import dev.varve.server.command.Replies;
import dev.varve.server.model.ModelClient.Watched;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Redis 7.0 in plain collections: what the reply to each request must be.
 *
 * <p>An expired key is gone for good as soon as time reaches its moment, whatever the clock does
 * afterwards. Requests are expected to have the right arity and well-formed options, but for those
 * that say otherwise.
 *
 * <p>Single-threaded.
 */
final class RedisModel {
  private final List<TreeMap<String, Entry>> databases = new ArrayList<>();
  private final Map<String, ModelCommand> commands = new HashMap<>();
  private final List<ModelClient> clients = new ArrayList<>();
  private long nowMillis;

  RedisModel(int databaseCount, long nowMillis) {
    this.nowMillis = nowMillis;
    for (int i = 0; i < databaseCount; i++) {
      databases.add(new TreeMap<>());
    }
    ModelKeys.register(commands);
    ModelExpiry.register(commands);
    ModelStrings.register(commands);
    ModelBitmaps.register(commands);
    ModelHashes.register(commands);
    ModelFieldExpiry.register(commands);
    ModelLists.register(commands);
    ModelSets.register(commands);
    ModelSortedSets.register(commands);
    ModelStreams.register(commands);
    ModelSketches.register(commands);
    ModelPlaces.register(commands);
  }

  /** The same data without the clients. */
  RedisModel copy() {
    RedisModel copy = new RedisModel(databases.size(), nowMillis);
    for (int i = 0; i < databases.size(); i++) {
      TreeMap<String, Entry> target = copy.databases.get(i);
      databases.get(i).forEach((key, entry) -> target.put(key, entry.copy()));
    }
    return copy;
  }

  ModelClient newClient() {
    ModelClient client = new ModelClient();
    clients.add(client);
    return client;
  }

  /** All connections are gone. */
  void forgetClients() {
    clients.clear();
  }

  long nowMillis() {
    return nowMillis;
  }

  /** Sets the clock. What has expired by then is gone. */
  void nowMillis(long millis) {
    nowMillis = millis;
    for (int database = 0; database < databases.size(); database++) {
      List<String> expired = new ArrayList<>();
      List<String> due = new ArrayList<>();
      databases
          .get(database)
          .forEach(
              (key, entry) -> {
                if (entry.expiryMillis() <= millis) {
                  expired.add(key);
                } else if (entry.value() instanceof Entry.Fields fields
                    && fields.removeDue(millis)) {
                  due.add(key);
                }
              });
      for (String key : due) {
        changed(database, key);
        Entry left = databases.get(database).get(key);
        if (left != null && left.isEmpty()) {
          expired.add(key);
        }
      }
      for (String key : expired) {
        databases.get(database).remove(key);
        changed(database, key);
      }
    }
  }

  int databaseCount() {
    return databases.size();
  }

  TreeMap<String, Entry> database(int number) {
    return databases.get(number);
  }

  void flush(int database) {
    databases.get(database).keySet().forEach(key -> changed(database, key));
    databases.get(database).clear();
  }

  void swap(int one, int other) {
    if (one == other) {
      return;
    }
    for (ModelClient client : clients) {
      for (ModelClient.WatchedKey watch : client.watches) {
        if (watch.database() == one || watch.database() == other) {
          boolean isInEither =
              databases.get(one).containsKey(watch.key())
                  || databases.get(other).containsKey(watch.key());
          if (isInEither) {
            client.watched = Watched.CHANGED;
          } else if (client.watched == Watched.UNCHANGED) {
            client.watched = Watched.MAYBE_CHANGED;
          }
        }
      }
    }
    TreeMap<String, Entry> swapped = databases.get(one);
    databases.set(one, databases.get(other));
    databases.set(other, swapped);
  }

  /** Tells who watches it that a key has changed. */
  void changed(int database, String key) {
    ModelClient.WatchedKey changed = new ModelClient.WatchedKey(database, key);
    for (ModelClient client : clients) {
      if (client.watches.contains(changed)) {
        client.watched = Watched.CHANGED;
      }
    }
  }

  /** Runs a request and fails if {@code actual} is not a reply that it may get. */
  void check(ModelClient client, String[] request, String actual, String where) {
    String expected = answer(client, request, actual);
    if (!expected.equals(actual)) {
      Assertions.assertEquals(expected, actual, where);
    }
  }

  /** The right reply; {@code actual} itself if that differs only in an order nobody promises. */
  String answer(ModelClient client, String[] request, String actual) {
    String name = request[0].toUpperCase(Locale.ROOT);
    switch (name) {
      case "MULTI" -> {
        client.beginQueue();
        return Wire.OK;
      }
      case "EXEC" -> {
        return exec(client, actual);
      }
      case "DISCARD" -> {
        client.endTransaction();
        return Wire.OK;
      }
      default -> {}
    }
    if (request.length == 1 && name.equals("GET")) {
      client.queueBroken = client.isQueueing();
      return Wire.error("ERR wrong number of arguments for 'get' command");
    }
    List<String[]> queue = client.queue;
    if (queue != null) {
      queue.add(request);
      return Wire.QUEUED;
    }
    return run(client, request, actual);
  }

  private String exec(ModelClient client, String actual) {
    List<String[]> queue = client.queue;
    if (queue == null) {
      return Wire.error("ERR EXEC without MULTI");
    }
    boolean broken = client.queueBroken;
    boolean fails =
        client.watched == Watched.CHANGED
            || (client.watched == Watched.MAYBE_CHANGED && actual.equals(Wire.NULL_ARRAY));
    client.endTransaction();
    if (broken) {
      return Wire.error("EXECABORT Transaction discarded because of previous errors.");
    }
    if (fails) {
      return Wire.NULL_ARRAY;
    }
    List<String> actuals = actual.startsWith("*") ? Replies.elements(actual) : List.of();
    List<String> replies = new ArrayList<>();
    for (int i = 0; i < queue.size(); i++) {
      replies.add(run(client, queue.get(i), i < actuals.size() ? actuals.get(i) : ""));
    }
    return Wire.array(replies);
  }

  private String run(ModelClient client, String[] request, String actual) {
    String name = request[0].toUpperCase(Locale.ROOT);
    @Nullable ModelCommand command = commands.get(name);
    if (command == null) {
      throw new IllegalArgumentException("the model does not know " + name);
    }
    String expected;
    try {
      expected = command.run(new Call(this, client, request, actual));
    } catch (ModelError error) {
      expected = Wire.error(error.reply());
    }
    int group = orderGroup(name);
    boolean same =
        group > 0
            && isArray(expected)
            && isArray(actual)
            && Replies.sorted(expected, group).equals(Replies.sorted(actual, group));
    return same ? actual : expected;
  }

  private static boolean isArray(String reply) {
    return reply.startsWith("*") && !reply.equals(Wire.NULL_ARRAY);
  }

  /** How many elements of the reply belong together where their order is open; else 0. */
  static int orderGroup(String name) {
    return switch (name) {
      case "SMEMBERS", "SINTER", "SUNION", "SDIFF", "HKEYS", "HVALS", "KEYS" -> 1;
      case "HGETALL" -> 2;
      default -> 0;
    };
  }
}
