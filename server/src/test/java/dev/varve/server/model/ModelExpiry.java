package dev.varve.server.model;

import java.util.Map;

/** When keys expire. */
final class ModelExpiry {
  private static final long NO_KEY = -2;
  private static final long NO_EXPIRY = -1;

  private ModelExpiry() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("EXPIRE", call -> expire(call, call.nowMillis() + 1000 * call.integer(2)));
    commands.put("PEXPIRE", call -> expire(call, call.nowMillis() + call.integer(2)));
    commands.put("EXPIREAT", call -> expire(call, 1000 * call.integer(2)));
    commands.put("PEXPIREAT", call -> expire(call, call.integer(2)));
    commands.put("TTL", call -> tell(call, call.nowMillis(), 1000));
    commands.put("PTTL", call -> tell(call, call.nowMillis(), 1));
    commands.put("EXPIRETIME", call -> tell(call, 0, 1000));
    commands.put("PEXPIRETIME", call -> tell(call, 0, 1));
    commands.put("PERSIST", ModelExpiry::persist);
  }

  private static String expire(Call call, long millis) {
    String key = call.arg(1);
    Entry entry = call.entry(key);
    if (entry == null || !allows(call, entry, millis)) {
      return Wire.integer(0);
    }
    call.put(key, entry.value(), millis);
    return Wire.integer(1);
  }

  private static boolean allows(Call call, Entry entry, long millis) {
    // No expiry counts as one at the end of time.
    return !(call.is(3, "NX") && entry.isExpiring())
        && !(call.is(3, "XX") && !entry.isExpiring())
        && !(call.is(3, "GT") && millis <= entry.expiryMillis())
        && !(call.is(3, "LT") && millis >= entry.expiryMillis());
  }

  private static String tell(Call call, long fromMillis, long unitMillis) {
    Entry entry = call.entry(call.arg(1));
    if (entry == null) {
      return Wire.integer(NO_KEY);
    }
    return Wire.integer(
        entry.isExpiring()
            ? (entry.expiryMillis() - fromMillis + unitMillis / 2) / unitMillis
            : NO_EXPIRY);
  }

  private static String persist(Call call) {
    Entry entry = call.entry(call.arg(1));
    if (entry == null || !entry.isExpiring()) {
      return Wire.integer(0);
    }
    call.put(call.arg(1), entry.value());
    return Wire.integer(1);
  }
}
