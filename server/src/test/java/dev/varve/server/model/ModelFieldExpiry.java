package dev.varve.server.model;

import dev.varve.server.model.Entry.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When fields of hashes expire, as from Redis 7.4 on. */
final class ModelFieldExpiry {
  private static final long NO_FIELD = -2;
  private static final long NO_EXPIRY = -1;

  private ModelFieldExpiry() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("HEXPIRE", call -> expire(call, call.nowMillis() + 1000 * call.integer(2)));
    commands.put("HPEXPIRE", call -> expire(call, call.nowMillis() + call.integer(2)));
    commands.put("HEXPIREAT", call -> expire(call, 1000 * call.integer(2)));
    commands.put("HPEXPIREAT", call -> expire(call, call.integer(2)));
    commands.put("HTTL", call -> tell(call, call.nowMillis(), 1000));
    commands.put("HPTTL", call -> tell(call, call.nowMillis(), 1));
    commands.put("HEXPIRETIME", call -> tell(call, 0, 1000));
    commands.put("HPEXPIRETIME", call -> tell(call, 0, 1));
    commands.put("HPERSIST", call -> Wire.array(persist(call, fields(call), asked(call))));
    commands.put("HGETDEL", ModelFieldExpiry::getAndDelete);
    commands.put("HGETEX", ModelFieldExpiry::getAndExpire);
    commands.put("HSETEX", ModelFieldExpiry::set);
  }

  private static @Nullable Fields fields(Call call) {
    return call.value(call.arg(1), Fields.class);
  }

  /** What stands behind FIELDS and the number of them. */
  private static List<String> asked(Call call) {
    return call.from(call.find("FIELDS", 2) + 2);
  }

  private static String expire(Call call, long millis) {
    return Wire.array(expire(call, fields(call), asked(call), millis));
  }

  private static List<String> expire(
      Call call, @Nullable Fields fields, List<String> names, long millis) {
    List<String> results = new ArrayList<>();
    boolean isChanged = false;
    for (String name : names) {
      if (fields == null || !fields.containsKey(name)) {
        results.add(Wire.integer(NO_FIELD));
      } else if (!allows(call, fields.expiryMillis(name), millis)) {
        results.add(Wire.integer(0));
      } else if (millis <= call.nowMillis()) {
        fields.remove(name);
        isChanged = true;
        results.add(Wire.integer(2));
      } else {
        fields.expire(name, millis);
        isChanged = true;
        results.add(Wire.integer(1));
      }
    }
    if (isChanged) {
      call.changed(call.arg(1));
    }
    return results;
  }

  private static boolean allows(Call call, long before, long millis) {
    boolean isExpiring = before != Entry.NO_EXPIRY;
    return !(call.is(3, "NX") && isExpiring)
        && !(call.is(3, "XX") && !isExpiring)
        && !(call.is(3, "GT") && millis <= before)
        && !(call.is(3, "LT") && millis >= before);
  }

  private static String tell(Call call, long fromMillis, long unitMillis) {
    Fields fields = fields(call);
    List<String> results = new ArrayList<>();
    for (String name : asked(call)) {
      long result = NO_FIELD;
      if (fields != null && fields.containsKey(name)) {
        long millis = fields.expiryMillis(name);
        // What has begun counts as a whole second.
        result =
            millis == Entry.NO_EXPIRY
                ? NO_EXPIRY
                : (millis - fromMillis + unitMillis - 1) / unitMillis;
      }
      results.add(Wire.integer(result));
    }
    return Wire.array(results);
  }

  private static List<String> persist(Call call, @Nullable Fields fields, List<String> names) {
    List<String> results = new ArrayList<>();
    boolean isChanged = false;
    for (String name : names) {
      if (fields == null || !fields.containsKey(name)) {
        results.add(Wire.integer(NO_FIELD));
      } else if (fields.expiryMillis(name) == Entry.NO_EXPIRY) {
        results.add(Wire.integer(NO_EXPIRY));
      } else {
        fields.expire(name, Entry.NO_EXPIRY);
        isChanged = true;
        results.add(Wire.integer(1));
      }
    }
    if (isChanged) {
      call.changed(call.arg(1));
    }
    return results;
  }

  private static List<@Nullable String> values(@Nullable Fields fields, List<String> names) {
    List<@Nullable String> values = new ArrayList<>();
    names.forEach(name -> values.add(fields == null ? null : fields.get(name)));
    return values;
  }

  private static String getAndDelete(Call call) {
    Fields fields = fields(call);
    List<@Nullable String> values = new ArrayList<>();
    boolean isChanged = false;
    for (String name : asked(call)) {
      String value = fields == null ? null : fields.remove(name);
      isChanged |= value != null;
      values.add(value);
    }
    if (isChanged) {
      call.changed(call.arg(1));
    }
    return Wire.bulks(values);
  }

  /** HGETEX with PX or PERSIST. */
  private static String getAndExpire(Call call) {
    Fields fields = fields(call);
    List<String> names = asked(call);
    List<@Nullable String> values = values(fields, names);
    if (call.is(2, "PERSIST")) {
      persist(call, fields, names);
    } else {
      expire(call, fields, names, call.nowMillis() + millis(call));
    }
    return Wire.bulks(values);
  }

  /** HSETEX with PX. */
  private static String set(Call call) {
    long millis = millis(call);
    Fields fields = call.valueOrNew(call.arg(1), Fields.class, Fields::new);
    List<String> asked = asked(call);
    for (int i = 0; i < asked.size(); i += 2) {
      fields.put(asked.get(i), asked.get(i + 1));
      fields.expire(asked.get(i), call.nowMillis() + millis);
    }
    call.changed(call.arg(1));
    return Wire.integer(1);
  }

  private static long millis(Call call) {
    long millis = call.integer(3);
    if (millis <= 0) {
      throw new ModelError(
          "ERR invalid expire time in '" + call.arg(0).toLowerCase(Locale.ROOT) + "' command");
    }
    return millis;
  }
}
