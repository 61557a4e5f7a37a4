package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.lua.value.LuaString;

/**
 * What the first line of a script says of it: {@code #!lua flags=no-writes,allow-stale}.
 *
 * @param begin where the script itself begins: the line's end is part of it, so that lines count
 * @param declared whether there is such a line
 */
record ScriptHeader(int begin, boolean declared, boolean noWrites) {
  private static final ScriptHeader NONE = new ScriptHeader(0, false, false);

  /** Throws Redis's error when there is such a line and it makes no sense. */
  static ScriptHeader of(byte[] source) {
    if (source.length < 2 || source[0] != '#' || source[1] != '!') {
      return NONE;
    }
    int end = 0;
    while (end < source.length && source[end] != '\n') {
      end++;
    }
    if (end == source.length) {
      throw new DataException("ERR Invalid script shebang");
    }
    String[] words = LuaString.wrap(source).slice(2, end).toString().trim().split("\\s+");
    if (!words[0].equals("lua")) {
      throw new DataException("ERR Unexpected engine in script shebang: #!" + words[0]);
    }
    boolean noWrites = false;
    for (int i = 1; i < words.length; i++) {
      if (!words[i].startsWith("flags=")) {
        throw new DataException("ERR Unknown lua shebang option: " + words[i]);
      }
      for (String flag : words[i].substring("flags=".length()).split(",")) {
        switch (flag) {
          case "no-writes" -> noWrites = true;
          case "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys", "" -> {}
          default -> throw new DataException("ERR Unexpected flag in script shebang: " + flag);
        }
      }
    }
    return new ScriptHeader(end, true, noWrites);
  }
}
