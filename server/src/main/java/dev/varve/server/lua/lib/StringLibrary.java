package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import dev.varve.server.lua.value.UndoLog;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The table {@code string}, which is also what strings are indexed with. */
public final class StringLibrary {
  /** The header of Lua 5.1's compiled chunks, on a machine of 64 bits. */
  private static final String COMPILED_CHUNK = "\u001bLuaQ\0\1\4\b\4\b\0";

  private static final String MAGIC = "^$*+?.([%-";

  private StringLibrary() {}

  public static void register(LuaState state) {
    Builtin gmatch = new Builtin(StringLibrary::gmatch);
    LuaTable strings =
        Library.named(state, "string", 15)
            .add("byte", StringLibrary::bytes)
            .add("char", StringLibrary::characters)
            .add("dump", StringLibrary::dump)
            .add("find", args -> find(args, true))
            .add("format", args -> new StringFormat(args).run())
            .set("gfind", gmatch)
            .set("gmatch", gmatch)
            .add("gsub", args -> new Substitution(args).run())
            .add("len", args -> (double) args.string(1).length())
            .add("lower", args -> mapped(args, 'A', 'Z'))
            .add("match", args -> find(args, false))
            .add("rep", StringLibrary::repeat)
            .add("reverse", StringLibrary::reverse)
            .add("sub", StringLibrary::sub)
            .add("upper", args -> mapped(args, 'a', 'z'))
            .table();
    LuaTable metatable = new LuaTable(state, 0, 1);
    metatable.put(LuaString.of("__index"), strings);
    state.setStringMetatable(metatable);
  }

  private static LuaString made(LuaArgs args, byte[] bytes) {
    args.state().chargeString(bytes.length);
    return LuaString.wrap(bytes);
  }

  /** A position from the end counts backwards. */
  private static int position(long position, int length) {
    long from = position < 0 ? position + length + 1 : position;
    return from < 0 ? 0 : (int) Math.min(from, Integer.MAX_VALUE);
  }

  private static Object bytes(LuaArgs args) {
    LuaString text = args.string(1);
    int begin = position(args.integer(2, 1), text.length());
    int end = position(args.integer(3, begin), text.length());
    begin = Math.max(begin, 1);
    end = Math.min(end, text.length());
    if (begin > end) {
      return Results.NONE;
    }
    int count = end - begin + 1;
    if (count + args.count() > BaseLibrary.VALUES_MAX) {
      throw args.state().error("stack overflow (string slice too long)");
    }
    if (count == 1) {
      return (double) text.at(begin - 1);
    }
    @Nullable Object[] codes = new Object[count];
    for (int i = 0; i < count; i++) {
      codes[i] = (double) text.at(begin - 1 + i);
    }
    return codes;
  }

  private static Object characters(LuaArgs args) {
    byte[] bytes = new byte[args.count()];
    for (int i = 0; i < bytes.length; i++) {
      int code = args.int32(i + 1);
      if ((code & 0xFF) != code) {
        throw args.bad(i + 1, "invalid value");
      }
      bytes[i] = (byte) code;
    }
    return made(args, bytes);
  }

  /** No more than what a compiled chunk begins with: nobody could load one. */
  private static Object dump(LuaArgs args) {
    if (args.function(1) instanceof Builtin) {
      throw args.state().error("unable to dump given function");
    }
    return LuaString.of(COMPILED_CHUNK);
  }

  private static Object mapped(LuaArgs args, char first, char last) {
    LuaString text = args.string(1);
    args.state().chargeString(text.length());
    byte[] bytes = text.bytes().clone();
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] >= first && bytes[i] <= last) {
        bytes[i] ^= 0x20;
      }
    }
    return LuaString.wrap(bytes);
  }

  private static Object repeat(LuaArgs args) {
    LuaString text = args.string(1);
    int count = args.int32(2);
    if (count <= 0 || text.length() == 0) {
      return LuaString.EMPTY;
    }
    long length = (long) text.length() * count;
    args.state().chargeString(length);
    byte[] bytes = new byte[(int) length];
    System.arraycopy(text.bytes(), 0, bytes, 0, text.length());
    for (int done = text.length(); done < bytes.length; done *= 2) {
      System.arraycopy(bytes, 0, bytes, done, Math.min(done, bytes.length - done));
      if (done > bytes.length / 2) {
        break;
      }
    }
    return LuaString.wrap(bytes);
  }

  private static Object reverse(LuaArgs args) {
    byte[] from = args.string(1).bytes();
    args.state().chargeString(from.length);
    byte[] bytes = new byte[from.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = from[from.length - 1 - i];
    }
    return LuaString.wrap(bytes);
  }

  private static Object sub(LuaArgs args) {
    LuaString text = args.string(1);
    int begin = Math.max(1, position(args.integer(2), text.length()));
    int end = Math.min(position(args.integer(3, -1), text.length()), text.length());
    if (begin > end) {
      return LuaString.EMPTY;
    }
    args.state().chargeString(end - begin + 1);
    return text.slice(begin - 1, end);
  }

  // ---- Searching

  private static @Nullable Object find(LuaArgs args, boolean find) {
    LuaString text = args.string(1);
    LuaString pattern = args.string(2);
    int begin = Math.max(0, position(args.integer(3, 1), text.length()) - 1);
    begin = Math.min(begin, text.length());
    Object plain = args.get(4);
    if (find && ((plain != null && plain != Boolean.FALSE) || isPlain(pattern))) {
      int found = indexOf(args.state(), text.bytes(), pattern.bytes(), begin);
      return found < 0 ? null : Results.of(found + 1.0, (double) (found + pattern.length()));
    }
    boolean anchored = pattern.length() > 0 && pattern.at(0) == '^';
    PatternMatcher matcher = new PatternMatcher(args.state(), text, pattern);
    do {
      int end = matcher.matchAt(begin, anchored ? 1 : 0);
      if (end >= 0) {
        return find
            ? captures(matcher, begin, end, 2, begin + 1.0, (double) end)
            : captures(matcher, begin, end, 0);
      }
    } while (++begin <= text.length() && !anchored);
    return null;
  }

  private static boolean isPlain(LuaString pattern) {
    for (int i = 0; i < pattern.length() && pattern.at(i) != 0; i++) {
      if (MAGIC.indexOf(pattern.at(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static int indexOf(LuaState state, byte[] text, byte[] wanted, int from) {
    int last = text.length - wanted.length;
    for (int at = from; at <= last; at++) {
      int same = 0;
      while (same < wanted.length && text[at + same] == wanted[same]) {
        same++;
      }
      if (same == wanted.length) {
        return at;
      }
      state.tick(1 + (same >> 3));
    }
    return -1;
  }

  /** All captures behind so many values; the whole match where there are neither. */
  private static @Nullable Object[] captures(
      PatternMatcher matcher, int begin, int end, int before, Object... values) {
    int count = matcher.captures() == 0 && before == 0 ? 1 : matcher.captures();
    @Nullable Object[] all = Arrays.copyOf(values, before + count);
    boolean begun = matcher.state().beginMaking();
    for (int i = 0; i < count; i++) {
      all[before + i] = matcher.capture(i, begin, end);
    }
    matcher.state().endMaking(begun);
    return all;
  }

  private static Object gmatch(LuaArgs args) {
    LuaString text = args.string(1);
    LuaString pattern = args.string(2);
    args.state().charge(Builtin.BYTES);
    return new Builtin(new Matches(args.state().undoLog(), text, pattern), text, pattern);
  }

  /** The iterator of one {@code string.gmatch}. */
  private static final class Matches implements Builtin.Body {
    private final LuaString text;
    private final LuaString pattern;

    /** Where it goes on. */
    private int next;

    /** The span of the log of changes in which it was made, or its place was kept there. */
    private int keptIn;

    Matches(UndoLog log, LuaString text, LuaString pattern) {
      this.keptIn = log.span();
      this.text = text;
      this.pattern = pattern;
    }

    @Override
    public @Nullable Object call(LuaArgs args) {
      PatternMatcher matcher = new PatternMatcher(args.state(), text, pattern);
      for (int begin = next; begin <= text.length(); begin++) {
        int end = matcher.matchAt(begin, 0);
        if (end >= 0) {
          goOnAt(end == begin ? end + 1 : end, args.state().undoLog());
          return captures(matcher, begin, end, 0);
        }
      }
      goOnAt(text.length() + 1, args.state().undoLog());
      return null;
    }

    private void goOnAt(int place, UndoLog log) {
      if (log.keeps(keptIn)) {
        log.add(new Change(this, next));
        keptIn = log.span();
      }
      next = place;
    }

    private record Change(Matches matches, int next) implements UndoLog.Change {
      @Override
      public void undo() {
        matches.next = next;
      }
    }
  }

  /** One {@code string.gsub}. */
  private static final class Substitution {
    private final LuaArgs args;
    private final LuaString text;
    private final PatternMatcher matcher;
    private final boolean anchored;
    private final Object replacement;
    private final int countMax;
    private final CountedBytes out;

    Substitution(LuaArgs args) {
      this.args = args;
      this.out = new CountedBytes(args.state());
      this.text = args.string(1);
      LuaString pattern = args.string(2);
      this.countMax = args.int32(4, text.length() + 1);
      Object given = args.get(3);
      if (given instanceof Double) {
        given = args.string(3);
      }
      boolean fits =
          given instanceof LuaString || given instanceof LuaTable || given instanceof LuaFunction;
      if (given == null || !fits) {
        throw args.bad(3, "string/function/table expected");
      }
      this.replacement = given;
      this.anchored = pattern.length() > 0 && pattern.at(0) == '^';
      this.matcher = new PatternMatcher(args.state(), text, pattern);
    }

    Object run() {
      int at = 0;
      int count = 0;
      while (count < countMax) {
        int end = matcher.matchAt(at, anchored ? 1 : 0);
        if (end >= 0) {
          count++;
          replace(at, end);
        }
        if (end >= 0 && end > at) {
          at = end;
        } else if (at < text.length()) {
          out.write(text.at(at++));
        } else {
          break;
        }
        if (anchored) {
          break;
        }
      }
      if (at < text.length()) {
        out.write(text.bytes(), at, text.length() - at);
      }
      return Results.of(out.string(), (double) count);
    }

    private void replace(int begin, int end) {
      LuaState state = args.state();
      @Nullable Object value;
      if (replacement instanceof LuaString template) {
        expand(template, begin, end);
        return;
      } else if (replacement instanceof LuaTable table) {
        value = Operations.index(state, table, matcher.capture(0, begin, end));
      } else {
        value = Results.first(state.callback(replacement, captures(matcher, begin, end, 0)));
      }
      if (value == null || value == Boolean.FALSE) {
        out.write(text.bytes(), begin, end - begin);
      } else {
        append(value, "invalid replacement value (a ");
      }
    }

    private void expand(LuaString template, int begin, int end) {
      for (int i = 0; i < template.length(); i++) {
        int single = template.at(i);
        if (single != '%') {
          out.write(single);
          continue;
        }
        i++;
        int escaped = i < template.length() ? template.at(i) : 0;
        if (escaped < '0' || escaped > '9') {
          out.write(escaped);
        } else if (escaped == '0') {
          out.write(text.bytes(), begin, end - begin);
        } else {
          append(matcher.capture(escaped - '1', begin, end), "");
        }
      }
    }

    private void append(Object value, String problem) {
      if (value instanceof LuaString found) {
        out.write(found.bytes());
      } else if (value instanceof Double number) {
        out.write(NumberText.write(number).bytes());
      } else {
        String type = Operations.typeName(value);
        throw args.state().error(problem + type + ")");
      }
    }
  }
}
