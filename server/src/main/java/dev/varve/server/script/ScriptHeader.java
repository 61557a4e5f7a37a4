package dev.varve.server.script;

import dev.varve.codec.DataException;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.value.LuaString;
import java.util.EnumSet;
import java.util.Set;

/**
 * What the first line of a script says of it: {@code #!lua flags=no-writes,allow-stale}.
 *
 * @param begin where the script itself begins: the line's end is part of it, so that lines count
 * @param declared whether there is such a line
 */
public record ScriptHeader(int begin, boolean declared, Set<ScriptFlag> flags) {
  private static final String FLAGS = "flags=";
  private static final ScriptHeader NONE = new ScriptHeader(0, false, Set.of());

  /** Throws Redis's error when there is such a line and it makes no sense. */
  public static ScriptHeader of(byte[] source) {
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
      throw refused("ERR Unexpected engine in script shebang: #!", words[0]);
    }
    Set<ScriptFlag> flags = EnumSet.noneOf(ScriptFlag.class);
    for (int i = 1; i < words.length; i++) {
      if (!words[i].startsWith(FLAGS)) {
        throw refused("ERR Unknown lua shebang option: ", words[i]);
      }
      for (String name : words[i].substring(FLAGS.length()).split(",")) {
        ScriptFlag flag = ScriptFlag.named(name);
        if (flag != null && flag.label().equals(name)) {
          flags.add(flag);
        } else if (!name.isEmpty()) {
          throw refused("ERR Unexpected flag in script shebang: ", name);
        }
      }
    }
    return new ScriptHeader(end, true, flags);
  }

  private static DataException refused(String what, String word) {
    return DataException.quoting(what, LuaString.of(word).bytes());
  }
}
