package dev.varve.server.script;

import dev.varve.codec.DataException;
import dev.varve.server.lua.FunctionEngine;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.InlineRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the first line of a library says: {@code #!lua name=mylib}.
 *
 * @param begin where the code itself begins: the line's end is part of it, so that lines count
 */
public record LibraryHeader(String name, int begin) {
  private static final String NAME = "name=";
  private static final DataException MISSING = new DataException("ERR Missing library metadata");
  private static final DataException INVALID = new DataException("ERR Invalid library metadata");
  private static final DataException NAMED_TWICE =
      new DataException("ERR Invalid metadata value, name argument was given multiple times");
  private static final DataException NOT_NAMED =
      new DataException("ERR Library name was not given");
  private static final DataException BAD_NAME =
      new DataException(
          "ERR Library names can only contain letters, numbers, or underscores(_) and must be at"
              + " least one character long");

  /** Throws Redis's error when the line is none that it takes. */
  public static LibraryHeader of(byte[] code) {
    if (code.length < 2 || code[0] != '#' || code[1] != '!') {
      throw MISSING;
    }
    int end = 0;
    while (end < code.length && code[end] != '\n') {
      end++;
    }
    byte[] @Nullable [] words = end == code.length ? null : InlineRequest.split(code, 0, end);
    if (words == null || words.length == 0) {
      throw INVALID;
    }
    String name = null;
    for (int i = 1; i < words.length; i++) {
      String word = LuaString.wrap(words[i]).toString();
      if (!word.regionMatches(true, 0, NAME, 0, NAME.length())) {
        throw DataException.quoting("ERR Invalid metadata value given: ", words[i]);
      }
      if (name != null) {
        throw NAMED_TWICE;
      }
      name = word.substring(NAME.length());
    }
    if (name == null) {
      throw NOT_NAMED;
    }
    if (!FunctionEngine.isName(name)) {
      throw BAD_NAME;
    }
    String engine = LuaString.wrap(words[0]).toString().substring(2);
    if (!engine.equalsIgnoreCase("lua")) {
      throw DataException.quoting("ERR Engine '", LuaString.of(engine).bytes(), "' not found");
    }
    return new LibraryHeader(name, end);
  }
}
