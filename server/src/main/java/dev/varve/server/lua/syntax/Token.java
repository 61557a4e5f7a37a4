package dev.varve.server.lua.syntax;

import org.jspecify.annotations.Nullable;

/** The kinds of token; the text is how messages show it. */
enum Token {
  AND("and"),
  BREAK("break"),
  DO("do"),
  ELSE("else"),
  ELSEIF("elseif"),
  END("end"),
  FALSE("false"),
  FOR("for"),
  FUNCTION("function"),
  IF("if"),
  IN("in"),
  LOCAL("local"),
  NIL("nil"),
  NOT("not"),
  OR("or"),
  REPEAT("repeat"),
  RETURN("return"),
  THEN("then"),
  TRUE("true"),
  UNTIL("until"),
  WHILE("while"),
  CONCAT(".."),
  DOTS("..."),
  EQ("=="),
  GE(">="),
  LE("<="),
  NE("~="),
  NUMBER("<number>"),
  NAME("<name>"),
  STRING("<string>"),
  EOS("<eof>"),
  /** Any other single byte, which the lexer keeps. */
  BYTE("");

  private static final int RESERVED = 21;
  private static final Token[] ALL = values();

  final String text;

  Token(String text) {
    this.text = text;
  }

  /** The reserved word with these letters, or null. */
  static @Nullable Token reserved(byte[] source, int begin, int end) {
    for (int i = 0; i < RESERVED; i++) {
      String word = ALL[i].text;
      if (word.length() == end - begin && source[begin] == word.charAt(0)) {
        int at = 1;
        while (at < word.length() && source[begin + at] == word.charAt(at)) {
          at++;
        }
        if (at == word.length()) {
          return ALL[i];
        }
      }
    }
    return null;
  }
}
