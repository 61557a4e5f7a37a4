package dev.varve.server.model;

import dev.varve.server.model.Entry.Members;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The commands of sets. */
final class ModelSets {
  private ModelSets() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("SADD", ModelSets::add);
    commands.put("SREM", ModelSets::remove);
    commands.put("SMOVE", ModelSets::move);
    commands.put("SPOP", ModelSets::pop);
    commands.put("SCARD", call -> Wire.integer(members(call, call.arg(1)).size()));
    commands.put("SISMEMBER", call -> Wire.flag(members(call, call.arg(1)).contains(call.arg(2))));
    commands.put(
        "SMISMEMBER",
        call -> {
          Members members = members(call, call.arg(1));
          return Wire.array(
              call.from(2).stream().map(member -> Wire.flag(members.contains(member))).toList());
        });
    commands.put("SMEMBERS", call -> Wire.bulks(List.copyOf(members(call, call.arg(1)))));
    commands.put("SRANDMEMBER", call -> Choice.check(call, Choice.of(members(call, call.arg(1)))));
    algebra(commands, "SINTER", Members::retainAll);
    algebra(commands, "SUNION", Members::addAll);
    algebra(commands, "SDIFF", Members::removeAll);
    commands.put("SINTERCARD", ModelSets::intersectionSize);
  }

  private static void algebra(
      Map<String, ModelCommand> commands, String name, BiConsumer<Members, Members> operation) {
    commands.put(name, call -> Wire.bulks(List.copyOf(combine(call, call.from(1), operation))));
    commands.put(
        name + "STORE",
        call -> {
          Members result = combine(call, call.from(2), operation);
          call.store(call.arg(1), result);
          return Wire.integer(result.size());
        });
  }

  private static Members combine(
      Call call, List<String> keys, BiConsumer<Members, Members> operation) {
    Members result = new Members();
    result.addAll(members(call, keys.get(0)));
    for (String key : keys.subList(1, keys.size())) {
      operation.accept(result, members(call, key));
    }
    return result;
  }

  private static Members members(Call call, String key) {
    Members found = call.value(key, Members.class);
    return found == null ? new Members() : found;
  }

  private static String add(Call call) {
    Members members = call.valueOrNew(call.arg(1), Members.class, Members::new);
    long added = call.from(2).stream().filter(members::add).count();
    if (added > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(added);
  }

  private static String remove(Call call) {
    Members members = members(call, call.arg(1));
    long removed = call.from(2).stream().filter(members::remove).count();
    if (removed > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(removed);
  }

  private static String move(Call call) {
    Members source = call.value(call.arg(1), Members.class);
    if (source == null) {
      return Wire.integer(0);
    }
    members(call, call.arg(2));
    String member = call.arg(3);
    if (call.arg(1).equals(call.arg(2))) {
      return Wire.flag(source.contains(member));
    }
    if (!source.remove(member)) {
      return Wire.integer(0);
    }
    call.changed(call.arg(1));
    // As in Redis, who watches the target is not told of a member that it has already.
    if (call.valueOrNew(call.arg(2), Members.class, Members::new).add(member)) {
      call.changed(call.arg(2));
    }
    return Wire.integer(1);
  }

  private static String pop(Call call) {
    Members members = members(call, call.arg(1));
    String reply = Choice.check(call, Choice.of(members));
    if (reply.equals(call.actual)) {
      List<String> chosen = Choice.chosen(call);
      if (!chosen.isEmpty()) {
        chosen.forEach(members::remove);
        call.changed(call.arg(1));
      }
    }
    return reply;
  }

  private static String intersectionSize(Call call) {
    int keys = (int) call.integer(1);
    int size = combine(call, call.from(2).subList(0, keys), Members::retainAll).size();
    int option = call.find("LIMIT", 2 + keys);
    long limit = option == 0 ? 0 : call.integer(option + 1);
    return Wire.integer(limit == 0 ? size : Math.min(size, limit));
  }
}
