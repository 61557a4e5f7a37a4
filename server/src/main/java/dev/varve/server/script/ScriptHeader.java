package dev.varve.server.script;

import dev.varve.codec.DataException;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.InlineRequest;
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
  private static final String[] NO_NAMES = {};
  private static final ScriptHeader NONE = new ScriptHeader(0, false, Set.of());

  /** Throws Redis's error when there is such a line and it makes no sense. */
  public static ScriptHeader of(byte[] source) {
    if (source.length < 2 || source[0] != '#' || source[1] != '!') {
      return NONE;
    }
    int end = 0;
    while (end < source.length && source[end] != '\n' && source[end] != 0) {
      end++;
    }
    if (end == source.length || source[end] == 0) {
      throw new DataException("ERR Invalid script shebang");
    }
    byte[][] words = InlineRequest.split(source, 0, end);
    if (words == null) {
      throw new DataException("ERR Invalid engine in script shebang");
    }
    if (!text(words[0]).equals("#!lua")) {
      throw refused("ERR Unexpected engine in script shebang: ", text(words[0]));
    }
    Set<ScriptFlag> flags = EnumSet.noneOf(ScriptFlag.class);
    for (int i = 1; i < words.length; i++) {
      String word = text(words[i]);
      if (!word.startsWith(FLAGS)) {
        throw refused("ERR Unknown lua shebang option: ", word);
      }
      String names = word.substring(FLAGS.length());
      // An empty name is none that there is, but for that of an empty list.
      for (String name : names.isEmpty() ? NO_NAMES : names.split(",", -1)) {
        ScriptFlag flag = ScriptFlag.named(name);
        if (flag != null && flag.label().equals(name)) {
          flags.add(flag);
        } else {
          throw refused("ERR Unexpected flag in script shebang: ", name);
        }
      }
    }
    return new ScriptHeader(end, true, flags);
  }

  private static String text(byte[] word) {
    return LuaString.wrap(word).toString();
  }

  private static DataException refused(String what, String word) {
    return DataException.quoting(what, LuaString.of(word).bytes());
  }
}
