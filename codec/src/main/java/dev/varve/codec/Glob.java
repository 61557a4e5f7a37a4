package dev.varve.codec;

import java.io.ByteArrayOutputStream;

/**
 * A glob-style pattern as KEYS, SCAN and CONFIG GET take it: {@code *}, {@code ?}, {@code [a-z]},
 * {@code [^a]}, and a backslash before a byte that stands for itself.
 *
 * <p>Immutable, for any thread.
 */
public final class Glob {
  /*
   * Matching is greedy from the left with one place to go back to, the last star: when the rest of
   * the pattern fails, that star takes one more byte. An earlier star never needs another try, so the
   * time is at most the product of both lengths, whatever the pattern.
   */

  /**
   * As Redis, which gives up there: a text that takes the pattern past so many stars matches not.
   */
  static final int STARS_MAX = 1000;

  private final byte[] pattern;
  private final boolean ignoreCase;
  private final byte[] literalPrefix;

  /** A pattern that tells upper from lower case. */
  public Glob(byte[] pattern) {
    this(pattern, false);
  }

  public Glob(byte[] pattern, boolean ignoreCase) {
    this.pattern = pattern;
    this.ignoreCase = ignoreCase;
    this.literalPrefix = ignoreCase ? new byte[0] : findLiteralPrefix(pattern);
  }

  /** What every match starts with. */
  public byte[] literalPrefix() {
    return literalPrefix;
  }

  /**
   * Whether it is a lone star. Who asks for that takes everything; held against a text, it leaves
   * out the empty one.
   */
  public boolean matchesAll() {
    return pattern.length == 1 && pattern[0] == '*';
  }

  public boolean matches(byte[] text) {
    return matches(text, 0, text.length);
  }

  /** Whether these bytes match, all of them. As in Redis, no bytes match no star. */
  public boolean matches(byte[] array, int offset, int length) {
    if (length == 0) {
      return pattern.length == 0;
    }
    int end = offset + length;
    int at = offset;
    int p = 0;
    int starPattern = -1;
    int starText = -1;
    int stars = 0;
    while (at < end) {
      if (p < pattern.length && pattern[p] == '*') {
        p = afterStars(p);
        if (p == pattern.length) {
          return true;
        }
        if (++stars > STARS_MAX) {
          return false;
        }
        starPattern = p;
        starText = at;
        continue;
      }
      int after = p < pattern.length ? matchOne(p, array[at]) : -1;
      if (after >= 0) {
        p = after;
        at++;
      } else if (starPattern >= 0) {
        p = starPattern;
        at = ++starText;
      } else {
        return false;
      }
    }
    return afterStars(p) == pattern.length;
  }

  private int afterStars(int from) {
    int p = from;
    while (p < pattern.length && pattern[p] == '*') {
      p++;
    }
    return p;
  }

  /** The place in the pattern after the part at {@code p} if that matches one byte, or -1. */
  private int matchOne(int p, byte text) {
    switch (pattern[p]) {
      case '?':
        return p + 1;
      case '[':
        return matchClass(p + 1, text);
      case '\\':
        int quoted = p + 1 < pattern.length ? p + 1 : p;
        return same(pattern[quoted], text) ? quoted + 1 : -1;
      default:
        return same(pattern[p], text) ? p + 1 : -1;
    }
  }

  /** As Redis: a class without its closing bracket ends with the pattern. */
  private int matchClass(int from, byte text) {
    int p = from;
    boolean not = p < pattern.length && pattern[p] == '^';
    if (not) {
      p++;
    }
    boolean match = false;
    while (p < pattern.length && pattern[p] != ']') {
      if (pattern[p] == '\\' && p + 1 < pattern.length) {
        p++;
        match |= same(pattern[p], text);
      } else if (p + 2 < pattern.length && pattern[p + 1] == '-') {
        int low = fold(pattern[p]);
        int high = fold(pattern[p + 2]);
        int folded = fold(text);
        match |= Math.min(low, high) <= folded && folded <= Math.max(low, high);
        p += 2;
      } else {
        match |= same(pattern[p], text);
      }
      p++;
    }
    if (match == not) {
      return -1;
    }
    return p < pattern.length ? p + 1 : p;
  }

  private boolean same(byte a, byte b) {
    return a == b || (ignoreCase && fold(a) == fold(b));
  }

  private int fold(byte b) {
    int unsigned = b & 0xFF;
    return ignoreCase && unsigned >= 'A' && unsigned <= 'Z' ? unsigned + ('a' - 'A') : unsigned;
  }

  private static byte[] findLiteralPrefix(byte[] pattern) {
    ByteArrayOutputStream prefix = new ByteArrayOutputStream();
    for (int p = 0; p < pattern.length; p++) {
      byte b = pattern[p];
      if (b == '*' || b == '?' || b == '[') {
        break;
      }
      if (b == '\\' && p + 1 < pattern.length) {
        b = pattern[++p];
      }
      prefix.write(b);
    }
    return prefix.toByteArray();
  }
}
