package dev.varve.server.model;

import dev.varve.server.model.Entry.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The commands of hashes. */
final class ModelHashes {
  private ModelHashes() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("HSET", call -> Wire.integer(set(call)));
    commands.put(
        "HMSET",
        call -> {
          set(call);
          return Wire.OK;
        });
    commands.put("HSETNX", ModelHashes::setIfMissing);
    commands.put("HDEL", ModelHashes::delete);
    commands.put("HINCRBY", ModelHashes::increment);
    commands.put("HGET", call -> Wire.bulk(fields(call).get(call.arg(2))));
    commands.put(
        "HMGET",
        call -> {
          Fields fields = fields(call);
          return Wire.bulks(call.from(2).stream().map(fields::get).toList());
        });
    commands.put("HLEN", call -> Wire.integer(fields(call).size()));
    commands.put(
        "HSTRLEN", call -> Wire.integer(fields(call).getOrDefault(call.arg(2), "").length()));
    commands.put("HEXISTS", call -> Wire.flag(fields(call).containsKey(call.arg(2))));
    commands.put("HKEYS", call -> Wire.bulks(List.copyOf(fields(call).keySet())));
    commands.put("HVALS", call -> Wire.bulks(List.copyOf(fields(call).values())));
    commands.put("HGETALL", ModelHashes::getAll);
    commands.put("HRANDFIELD", call -> Choice.check(call, fields(call)));
  }

  private static Fields fields(Call call) {
    Fields found = call.value(call.arg(1), Fields.class);
    return found == null ? new Fields() : found;
  }

  private static long set(Call call) {
    Fields fields = call.valueOrNew(call.arg(1), Fields.class, Fields::new);
    long before = fields.size();
    for (int i = 2; i < call.count(); i += 2) {
      fields.put(call.arg(i), call.arg(i + 1));
    }
    call.changed(call.arg(1));
    return fields.size() - before;
  }

  private static String setIfMissing(Call call) {
    Fields fields = call.valueOrNew(call.arg(1), Fields.class, Fields::new);
    if (fields.putIfAbsent(call.arg(2), call.arg(3)) != null) {
      return Wire.integer(0);
    }
    call.changed(call.arg(1));
    return Wire.integer(1);
  }

  private static String delete(Call call) {
    Fields fields = fields(call);
    long deleted = call.from(2).stream().filter(field -> fields.remove(field) != null).count();
    if (deleted > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(deleted);
  }

  private static String increment(Call call) {
    Fields fields = fields(call);
    String text = fields.getOrDefault(call.arg(2), "0");
    if (!ModelStrings.isInteger(text)) {
      throw new ModelError("ERR hash value is not an integer");
    }
    long sum = Long.parseLong(text) + call.integer(3);
    call.valueOrNew(call.arg(1), Fields.class, Fields::new)
        .replace(call.arg(2), before -> Long.toString(sum));
    call.changed(call.arg(1));
    return Wire.integer(sum);
  }

  private static String getAll(Call call) {
    List<String> all = new ArrayList<>();
    fields(call)
        .forEach(
            (field, value) -> {
              all.add(field);
              all.add(value);
            });
    return Wire.bulks(all);
  }
}
