package dev.varve.server.model;

import java.util.ArrayList;
import java.util.List;
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
      List<Integer> bytes = new ArrayList<>();
      for (String key : call.from(3)) {
        String text = ModelStrings.textOrEmpty(call, key);
        bytes.add(i < text.length() ? (int) text.charAt(i) : 0);
      }
      int combined = 0;
      for (int bit = 1; bit < 1 << 8; bit <<= 1) {
        int mask = bit;
        boolean inFirst = (bytes.get(0) & mask) != 0;
        long count = bytes.stream().filter(one -> (one & mask) != 0).count();
        long others = count - (inFirst ? 1 : 0);
        boolean isOn =
            switch (call.arg(1)) {
              case "AND" -> count == bytes.size();
              case "OR" -> count > 0;
              case "XOR" -> count % 2 == 1;
              case "DIFF" -> inFirst && others == 0;
              case "DIFF1" -> !inFirst && others > 0;
              case "ANDOR" -> inFirst && others > 0;
              case "ONE" -> count == 1;
              default -> !inFirst;
            };
        combined |= isOn ? bit : 0;
      }
      result.append((char) combined);
    }
    call.put(call.arg(2), new Entry.Text(result.toString()));
    return Wire.integer(length);
  }
}
