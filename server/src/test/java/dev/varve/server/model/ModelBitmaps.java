package dev.varve.server.model;

import java.util.Map;

/** The commands of bitmaps. */
final class ModelBitmaps {
  private ModelBitmaps() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("SETBIT", ModelBitmaps::set);
    commands.put(
        "GETBIT",
        call ->
            Wire.flag(isSet(ModelStrings.textOrEmpty(call, call.arg(1)), (int) call.integer(2))));
    commands.put(
        "BITCOUNT",
        call ->
            Wire.integer(
                ModelStrings.textOrEmpty(call, call.arg(1)).chars().map(Integer::bitCount).sum()));
    commands.put("BITPOS", ModelBitmaps::position);
    commands.put("BITOP", ModelBitmaps::operate);
  }

  private static boolean isSet(String text, int bit) {
    return bit / 8 < text.length() && (text.charAt(bit / 8) & 0x80 >> bit % 8) != 0;
  }

  private static String set(Call call) {
    String old = ModelStrings.textOrEmpty(call, call.arg(1));
    int bit = (int) call.integer(2);
    boolean on = call.arg(3).equals("1");
    boolean was = isSet(old, bit);
    if (was != on || bit / 8 >= old.length()) {
      StringBuilder text = new StringBuilder(old);
      while (text.length() <= bit / 8) {
        text.append('\0');
      }
      int mask = 0x80 >> bit % 8;
      int changed = text.charAt(bit / 8) & ~mask | (on ? mask : 0);
      text.setCharAt(bit / 8, (char) changed);
      ModelStrings.change(call, call.arg(1), text.toString());
    }
    return Wire.flag(was);
  }

  private static String position(Call call) {
    String text = ModelStrings.textOrEmpty(call, call.arg(1));
    boolean on = call.arg(2).equals("1");
    for (int bit = 0; bit < 8 * text.length(); bit++) {
      if (isSet(text, bit) == on) {
        return Wire.integer(bit);
      }
    }
    boolean isEmptyThere = text.isEmpty() && call.entry(call.arg(1)) != null;
    return Wire.integer(on || isEmptyThere ? -1 : 8L * text.length());
  }

  private static String operate(Call call) {
    int length = 0;
    for (String key : call.from(3)) {
      length = Math.max(length, ModelStrings.textOrEmpty(call, key).length());
    }
    if (length == 0) {
      call.remove(call.arg(2));
      return Wire.integer(0);
    }
    StringBuilder result = new StringBuilder();
    for (int i = 0; i < length; i++) {
      int combined = call.is(1, "AND") ? 0xFF : 0;
      for (String key : call.from(3)) {
        String text = ModelStrings.textOrEmpty(call, key);
        int one = i < text.length() ? text.charAt(i) : 0;
        combined =
            switch (call.arg(1)) {
              case "AND" -> combined & one;
              case "OR" -> combined | one;
              case "XOR" -> combined ^ one;
              default -> ~one & 0xFF;
            };
      }
      result.append((char) combined);
    }
    call.put(call.arg(2), new Entry.Text(result.toString()));
    return Wire.integer(length);
  }
}
