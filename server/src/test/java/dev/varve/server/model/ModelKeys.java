package dev.varve.server.model;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keys whatever they hold, and databases. */
final class ModelKeys {
  private ModelKeys() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("DEL", ModelKeys::delete);
    commands.put("UNLINK", ModelKeys::delete);
    commands.put("EXISTS", ModelKeys::exists);
    commands.put("TOUCH", ModelKeys::exists);
    commands.put("TYPE", ModelKeys::type);
    commands.put("RENAME", call -> rename(call, true));
    commands.put("RENAMENX", call -> rename(call, false));
    commands.put("COPY", ModelKeys::copy);
    commands.put("MOVE", ModelKeys::move);
    commands.put("KEYS", call -> Wire.bulks(List.copyOf(call.database().keySet())));
    commands.put("DBSIZE", call -> Wire.integer(call.database().size()));
    commands.put("RANDOMKEY", ModelKeys::randomKey);
    commands.put("SELECT", ModelKeys::select);
    commands.put("FLUSHDB", ModelKeys::flush);
    commands.put("FLUSHALL", ModelKeys::flushAll);
    commands.put("SWAPDB", ModelKeys::swap);
    commands.put("WATCH", ModelKeys::watch);
    commands.put("UNWATCH", ModelKeys::unwatch);
  }

  private static String delete(Call call) {
    return Wire.integer(call.from(1).stream().filter(call::remove).count());
  }

  private static String exists(Call call) {
    return Wire.integer(call.from(1).stream().filter(call.database()::containsKey).count());
  }

  private static String type(Call call) {
    Entry entry = call.entry(call.arg(1));
    return Wire.status(entry == null ? "none" : entry.type());
  }

  private static String rename(Call call, boolean replace) {
    String source = call.arg(1);
    String target = call.arg(2);
    Entry entry = call.entry(source);
    if (entry == null) {
      throw new ModelError(ModelError.NO_SUCH_KEY);
    }
    if (source.equals(target)) {
      return replace ? Wire.OK : Wire.integer(0);
    }
    if (!replace && call.entry(target) != null) {
      return Wire.integer(0);
    }
    call.remove(source);
    call.put(target, entry.value(), entry.expiryMillis());
    return replace ? Wire.OK : Wire.integer(1);
  }

  private static String copy(Call call) {
    int option = call.find("DB", 3);
    int number = option == 0 ? call.client.database : (int) call.integer(option + 1);
    boolean replace = call.has("REPLACE", 3);
    if (number == call.client.database && call.arg(1).equals(call.arg(2))) {
      throw new ModelError("ERR source and destination objects are the same");
    }
    Entry entry = call.entry(call.arg(1));
    TreeMap<String, Entry> target = call.model.database(number);
    if (entry == null || (!replace && target.containsKey(call.arg(2)))) {
      return Wire.integer(0);
    }
    target.put(call.arg(2), entry.copy());
    call.model.changed(number, call.arg(2));
    return Wire.integer(1);
  }

  private static String move(Call call) {
    int number = (int) call.integer(2);
    if (number == call.client.database) {
      throw new ModelError("ERR source and destination objects are the same");
    }
    Entry entry = call.entry(call.arg(1));
    TreeMap<String, Entry> target = call.model.database(number);
    if (entry == null || target.containsKey(call.arg(1))) {
      return Wire.integer(0);
    }
    call.remove(call.arg(1));
    target.put(call.arg(1), entry);
    call.model.changed(number, call.arg(1));
    return Wire.integer(1);
  }

  private static String randomKey(Call call) {
    if (call.database().isEmpty()) {
      return Wire.NULL;
    }
    for (String key : call.database().keySet()) {
      if (Wire.bulk(key).equals(call.actual)) {
        return call.actual;
      }
    }
    return Call.wanted("one of " + call.database().keySet());
  }

  private static String select(Call call) {
    call.client.database = (int) call.integer(1);
    return Wire.OK;
  }

  private static String flush(Call call) {
    call.model.flush(call.client.database);
    return Wire.OK;
  }

  private static String flushAll(Call call) {
    for (int database = 0; database < call.model.databaseCount(); database++) {
      call.model.flush(database);
    }
    return Wire.OK;
  }

  private static String swap(Call call) {
    call.model.swap((int) call.integer(1), (int) call.integer(2));
    return Wire.OK;
  }

  private static String watch(Call call) {
    for (String key : call.from(1)) {
      call.client.watches.add(new ModelClient.WatchedKey(call.client.database, key));
    }
    return Wire.OK;
  }

  private static String unwatch(Call call) {
    call.client.watches.clear();
    call.client.watched = ModelClient.Watched.UNCHANGED;
    return Wire.OK;
  }
}
