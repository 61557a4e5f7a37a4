package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.NumberText;
import java.util.Arrays;

/**
 * Lua's patterns. A pattern ends at its first zero byte, as in Lua 5.1.
 *
 * <p>Used by the thread that has the state, which is ticked for every byte looked at: a pattern
 * that backtracks without end can be stopped.
 */
final class PatternMatcher {
  static final int CAPTURES_MAX = 32;

  /** Items of a pattern are followed so deep at most; each takes some Java stack. */
  private static final int DEPTH_MAX = 1500;

  private static final int NO_MATCH = -1;
  private static final int UNFINISHED = -1;
  private static final int POSITION = -2;
  private static final char ESCAPE = '%';

  private final LuaState state;
  private final byte[] source;
  private final byte[] pattern;
  private final int[] begins = new int[CAPTURES_MAX];
  private final int[] lengths = new int[CAPTURES_MAX];
  private int captures;
  private int depth;

  PatternMatcher(LuaState state, LuaString source, LuaString pattern) {
    this.state = state;
    this.source = source.bytes();
    this.pattern = pattern.bytes();
  }

  LuaState state() {
    return state;
  }

  /** Where the match that begins at this place ends, or -1. */
  int matchAt(int begin, int patternBegin) {
    captures = 0;
    depth = 0;
    return match(begin, patternBegin);
  }

  int captures() {
    return captures;
  }

  /** What was captured; the whole match where there are no captures and the first is asked for. */
  Object capture(int index, int begin, int end) {
    if (index >= captures) {
      if (index == 0) {
        return slice(begin, end);
      }
      throw state.error("invalid capture index");
    }
    int length = lengths[index];
    if (length == UNFINISHED) {
      throw state.error("unfinished capture");
    }
    return length == POSITION
        ? (Object) (begins[index] + 1.0)
        : slice(begins[index], begins[index] + length);
  }

  private LuaString slice(int begin, int end) {
    state.chargeString(end - begin);
    return LuaString.wrap(Arrays.copyOfRange(source, begin, end));
  }

  /** The byte of the pattern, or 0 at its end. */
  private int at(int index) {
    return index < pattern.length ? pattern[index] & 0xFF : 0;
  }

  private int match(int from, int patternFrom) {
    if (++depth > DEPTH_MAX) {
      throw state.error("pattern too complex");
    }
    int s = from;
    int p = patternFrom;
    int result;
    while (true) {
      state.tick();
      int item = at(p);
      if (item == 0) {
        result = s;
        break;
      }
      if (item == '(') {
        result = at(p + 1) == ')' ? open(s, p + 2, POSITION) : open(s, p + 1, UNFINISHED);
        break;
      }
      if (item == ')') {
        result = close(s, p + 1);
        break;
      }
      if (item == '$' && at(p + 1) == 0) {
        result = s == source.length ? s : NO_MATCH;
        break;
      }
      if (item == ESCAPE) {
        int kind = at(p + 1);
        if (kind == 'b') {
          s = balanced(s, p + 2);
          if (s == NO_MATCH) {
            result = NO_MATCH;
            break;
          }
          p += 4;
          continue;
        }
        if (kind == 'f') {
          int end = frontier(s, p + 2);
          if (end == NO_MATCH) {
            result = NO_MATCH;
            break;
          }
          p = end;
          continue;
        }
        if (kind >= '0' && kind <= '9') {
          s = back(s, kind);
          if (s == NO_MATCH) {
            result = NO_MATCH;
            break;
          }
          p += 2;
          continue;
        }
      }
      int end = itemEnd(p);
      int suffix = at(end);
      boolean fits = s < source.length && fits(source[s] & 0xFF, p, end);
      if (suffix == '?') {
        if (fits) {
          int rest = match(s + 1, end + 1);
          if (rest != NO_MATCH) {
            result = rest;
            break;
          }
        }
        p = end + 1;
      } else if (suffix == '*') {
        result = longest(s, p, end);
        break;
      } else if (suffix == '+') {
        result = fits ? longest(s + 1, p, end) : NO_MATCH;
        break;
      } else if (suffix == '-') {
        result = shortest(s, p, end);
        break;
      } else if (fits) {
        s++;
        p = end;
      } else {
        result = NO_MATCH;
        break;
      }
    }
    depth--;
    return result;
  }

  private int longest(int from, int p, int end) {
    int count = 0;
    while (from + count < source.length && fits(source[from + count] & 0xFF, p, end)) {
      count++;
    }
    state.tick(count >> 3);
    for (; count >= 0; count--) {
      int rest = match(from + count, end + 1);
      if (rest != NO_MATCH) {
        return rest;
      }
    }
    return NO_MATCH;
  }

  private int shortest(int from, int p, int end) {
    int s = from;
    while (true) {
      int rest = match(s, end + 1);
      if (rest != NO_MATCH) {
        return rest;
      }
      if (s < source.length && fits(source[s] & 0xFF, p, end)) {
        s++;
      } else {
        return NO_MATCH;
      }
    }
  }

  private int open(int s, int p, int kind) {
    if (captures >= CAPTURES_MAX) {
      throw state.error("too many captures");
    }
    begins[captures] = s;
    lengths[captures] = kind;
    captures++;
    int result = match(s, p);
    if (result == NO_MATCH) {
      captures--;
    }
    return result;
  }

  private int close(int s, int p) {
    int index = captures - 1;
    while (index >= 0 && lengths[index] != UNFINISHED) {
      index--;
    }
    if (index < 0) {
      throw state.error("invalid pattern capture");
    }
    lengths[index] = s - begins[index];
    int result = match(s, p);
    if (result == NO_MATCH) {
      lengths[index] = UNFINISHED;
    }
    return result;
  }

  private int balanced(int s, int p) {
    int opening = at(p);
    int closing = at(p + 1);
    if (opening == 0 || closing == 0) {
      throw state.error("unbalanced pattern");
    }
    if (s >= source.length || (source[s] & 0xFF) != opening) {
      return NO_MATCH;
    }
    int open = 1;
    for (int at = s + 1; at < source.length; at++) {
      int single = source[at] & 0xFF;
      if (single == closing) {
        if (--open == 0) {
          state.tick((at - s) >> 3);
          return at + 1;
        }
      } else if (single == opening) {
        open++;
      }
    }
    state.tick((source.length - s) >> 3);
    return NO_MATCH;
  }

  private int frontier(int s, int p) {
    if (at(p) != '[') {
      throw state.error("missing '[' after '%f' in pattern");
    }
    int end = itemEnd(p);
    int before = s == 0 ? 0 : source[s - 1] & 0xFF;
    int next = s < source.length ? source[s] & 0xFF : 0;
    return !inSet(before, p, end - 1) && inSet(next, p, end - 1) ? end : NO_MATCH;
  }

  private int back(int s, int digit) {
    int index = digit - '1';
    if (index < 0 || index >= captures || lengths[index] == UNFINISHED) {
      throw state.error("invalid capture index");
    }
    int length = lengths[index];
    if (length == POSITION) {
      return NO_MATCH; // As long as memory: nothing is.
    }
    boolean same =
        length <= source.length - s
            && Arrays.equals(source, begins[index], begins[index] + length, source, s, s + length);
    return same ? s + length : NO_MATCH;
  }

  private int itemEnd(int p) {
    int item = at(p);
    if (item == ESCAPE) {
      if (at(p + 1) == 0) {
        throw state.error("malformed pattern (ends with '%')");
      }
      return p + 2;
    }
    if (item != '[') {
      return p + 1;
    }
    int end = p + 1;
    if (at(end) == '^') {
      end++;
    }
    do {
      int single = at(end++);
      if (single == 0) {
        throw state.error("malformed pattern (missing ']')");
      }
      if (single == ESCAPE && at(end) != 0) {
        end++;
      }
    } while (at(end) != ']');
    return end + 1;
  }

  private boolean fits(int single, int p, int end) {
    return switch (pattern[p]) {
      case '.' -> true;
      case ESCAPE -> inClass(single, at(p + 1));
      case '[' -> inSet(single, p, end - 1);
      default -> (pattern[p] & 0xFF) == single;
    };
  }

  /** Between the brackets at these two places. */
  private boolean inSet(int single, int open, int close) {
    boolean found = true;
    int p = open;
    if (at(p + 1) == '^') {
      found = false;
      p++;
    }
    while (++p < close) {
      int item = at(p);
      if (item == ESCAPE) {
        p++;
        if (inClass(single, at(p))) {
          return found;
        }
      } else if (at(p + 1) == '-' && p + 2 < close) {
        if (item <= single && single <= at(p + 2)) {
          return found;
        }
        p += 2;
      } else if (item == single) {
        return found;
      }
    }
    return !found;
  }

  private static boolean inClass(int single, int kind) {
    if (!isLetter(kind)) {
      return kind == single;
    }
    boolean in;
    switch (kind | 0x20) {
      case 'a' -> in = isLetter(single);
      case 'c' -> in = single < ' ' || single == 0x7F;
      case 'd' -> in = isDigit(single);
      case 'l' -> in = single >= 'a' && single <= 'z';
      case 'p' -> in = single > ' ' && single < 0x7F && !isLetter(single) && !isDigit(single);
      case 's' -> in = NumberText.isSpace(single);
      case 'u' -> in = single >= 'A' && single <= 'Z';
      case 'w' -> in = isLetter(single) || isDigit(single);
      case 'x' -> in = isDigit(single) || ((single | 0x20) >= 'a' && (single | 0x20) <= 'f');
      case 'z' -> in = single == 0;
      default -> {
        return kind == single;
      }
    }
    return kind < 'a' ? !in : in;
  }

  private static boolean isLetter(int single) {
    int lower = single | 0x20;
    return lower >= 'a' && lower <= 'z' && single < 0x80;
  }

  private static boolean isDigit(int single) {
    return single >= '0' && single <= '9';
  }
}
