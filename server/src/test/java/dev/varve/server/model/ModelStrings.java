package dev.varve.server.model;

import dev.varve.server.model.Entry.Text;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The commands of strings. */
final class ModelStrings {
  private static final Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,17}");

  private ModelStrings() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("GET", call -> Wire.bulk(text(call, call.arg(1))));
    commands.put("SET", ModelStrings::set);
    commands.put("SETNX", ModelStrings::setIfMissing);
    commands.put("SETEX", call -> setUntil(call, call.nowMillis() + 1000 * call.integer(2)));
    commands.put("PSETEX", call -> setUntil(call, call.nowMillis() + call.integer(2)));
    commands.put("GETSET", ModelStrings::getSet);
    commands.put("GETDEL", ModelStrings::getDelete);
    commands.put("GETEX", ModelStrings::getExpire);
    commands.put("APPEND", ModelStrings::append);
    commands.put("STRLEN", call -> Wire.integer(textOrEmpty(call, call.arg(1)).length()));
    commands.put("SETRANGE", ModelStrings::setRange);
    commands.put("GETRANGE", ModelStrings::getRange);
    commands.put("INCR", call -> increment(call, 1));
    commands.put("DECR", call -> increment(call, -1));
    commands.put("INCRBY", call -> increment(call, call.integer(2)));
    commands.put("DECRBY", call -> increment(call, -call.integer(2)));
    commands.put("MGET", ModelStrings::getMany);
    commands.put("MSET", ModelStrings::setMany);
    commands.put("MSETNX", ModelStrings::setManyIfMissing);
    commands.put("MSETEX", ModelStrings::setManyUntil);
    commands.put("DELIFEQ", ModelStrings::deleteIfEqual);
  }

  private static @Nullable String text(Call call, String key) {
    Text text = call.value(key, Text.class);
    return text == null ? null : text.text();
  }

  static String textOrEmpty(Call call, String key) {
    String text = text(call, key);
    return text == null ? "" : text;
  }

  private static long expiryMillis(Call call, int index, long otherwise) {
    for (int i = index; i < call.count() - 1; i++) {
      switch (call.arg(i)) {
        case "EX" -> {
          return call.nowMillis() + 1000 * call.integer(i + 1);
        }
        case "PX" -> {
          return call.nowMillis() + call.integer(i + 1);
        }
        case "EXAT" -> {
          return 1000 * call.integer(i + 1);
        }
        case "PXAT" -> {
          return call.integer(i + 1);
        }
        default -> {}
      }
    }
    return otherwise;
  }

  private static String set(Call call) {
    String key = call.arg(1);
    boolean tells = call.has("GET", 3);
    String reply = tells ? Wire.bulk(text(call, key)) : Wire.OK;
    if (call.count() > 4 && (call.is(3, "IFEQ") || call.is(3, "IFNE"))) {
      if (call.is(3, "IFEQ") != call.arg(4).equals(text(call, key))) {
        return tells ? reply : Wire.NULL;
      }
    }
    Entry old = call.entry(key);
    if ((call.has("NX", 3) && old != null) || (call.has("XX", 3) && old == null)) {
      return tells ? reply : Wire.NULL;
    }
    long kept = call.has("KEEPTTL", 3) && old != null ? old.expiryMillis() : Entry.NO_EXPIRY;
    call.put(key, new Text(call.arg(2)), expiryMillis(call, 3, kept));
    return reply;
  }

  private static String deleteIfEqual(Call call) {
    boolean isEqual = call.arg(2).equals(text(call, call.arg(1)));
    if (isEqual) {
      call.remove(call.arg(1));
    }
    return Wire.flag(isEqual);
  }

  /** Of two keys, with a condition and PX. */
  private static String setManyUntil(Call call) {
    boolean isThereWanted = call.is(6, "XX");
    for (int i = 2; i < 6; i += 2) {
      if ((call.entry(call.arg(i)) != null) != isThereWanted) {
        return Wire.integer(0);
      }
    }
    for (int i = 2; i < 6; i += 2) {
      call.put(call.arg(i), new Text(call.arg(i + 1)), expiryMillis(call, 7, Entry.NO_EXPIRY));
    }
    return Wire.integer(1);
  }

  private static String setIfMissing(Call call) {
    if (call.entry(call.arg(1)) != null) {
      return Wire.integer(0);
    }
    call.put(call.arg(1), new Text(call.arg(2)));
    return Wire.integer(1);
  }

  private static String setUntil(Call call, long expiryMillis) {
    call.put(call.arg(1), new Text(call.arg(3)), expiryMillis);
    return Wire.OK;
  }

  private static String getSet(Call call) {
    String old = text(call, call.arg(1));
    call.put(call.arg(1), new Text(call.arg(2)));
    return Wire.bulk(old);
  }

  private static String getDelete(Call call) {
    String old = text(call, call.arg(1));
    call.remove(call.arg(1));
    return Wire.bulk(old);
  }

  private static String getExpire(Call call) {
    String key = call.arg(1);
    String text = text(call, key);
    Entry entry = call.entry(key);
    if (entry != null && call.is(2, "PERSIST")) {
      if (entry.isExpiring()) {
        call.put(key, entry.value());
      }
    } else if (entry != null && call.count() > 2) {
      call.put(key, entry.value(), expiryMillis(call, 2, Entry.NO_EXPIRY));
    }
    return Wire.bulk(text);
  }

  /** Changes the text and keeps the expiry. */
  static void change(Call call, String key, String text) {
    Entry entry = call.entry(key);
    call.put(key, new Text(text), entry == null ? Entry.NO_EXPIRY : entry.expiryMillis());
  }

  private static String append(Call call) {
    String text = textOrEmpty(call, call.arg(1)) + call.arg(2);
    change(call, call.arg(1), text);
    return Wire.integer(text.length());
  }

  private static String setRange(Call call) {
    String old = textOrEmpty(call, call.arg(1));
    int at = (int) call.integer(2);
    String part = call.arg(3);
    if (part.isEmpty()) {
      return Wire.integer(old.length());
    }
    StringBuilder text = new StringBuilder(old);
    while (text.length() < at + part.length()) {
      text.append('\0');
    }
    text.replace(at, at + part.length(), part);
    change(call, call.arg(1), text.toString());
    return Wire.integer(text.length());
  }

  private static String getRange(Call call) {
    String text = textOrEmpty(call, call.arg(1));
    long start = call.integer(2);
    long end = call.integer(3);
    long length = text.length();
    if (start < 0 && end < 0 && start > end) {
      return Wire.bulk("");
    }
    start = Math.max(0, start < 0 ? start + length : start);
    end = Math.min(length - 1, Math.max(0, end < 0 ? end + length : end));
    return Wire.bulk(start > end ? "" : text.substring((int) start, (int) end + 1));
  }

  /** Whether Redis takes a text as an integer. */
  static boolean isInteger(String text) {
    return INTEGER.matcher(text).matches();
  }

  private static String increment(Call call, long delta) {
    String old = text(call, call.arg(1));
    if (old != null && !isInteger(old)) {
      throw new ModelError(ModelError.NOT_INTEGER);
    }
    long sum = (old == null ? 0 : Long.parseLong(old)) + delta;
    change(call, call.arg(1), Long.toString(sum));
    return Wire.integer(sum);
  }

  private static String getMany(Call call) {
    return Wire.bulks(
        call.from(1).stream()
            .map(
                key -> {
                  Entry entry = call.entry(key);
                  return entry != null && entry.value() instanceof Text text ? text.text() : null;
                })
            .toList());
  }

  private static String setMany(Call call) {
    for (int i = 1; i < call.count(); i += 2) {
      call.put(call.arg(i), new Text(call.arg(i + 1)));
    }
    return Wire.OK;
  }

  private static String setManyIfMissing(Call call) {
    for (int i = 1; i < call.count(); i += 2) {
      if (call.entry(call.arg(i)) != null) {
        return Wire.integer(0);
      }
    }
    setMany(call);
    return Wire.integer(1);
  }
}
