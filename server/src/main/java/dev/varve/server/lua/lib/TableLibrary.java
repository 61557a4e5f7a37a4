package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import org.jspecify.annotations.Nullable;

/** The table {@code table}. */
public final class TableLibrary {
  private TableLibrary() {}

  public static void register(LuaState state) {
    Library.named(state, "table", 9)
        .add("concat", TableLibrary::concat)
        .add("foreach", TableLibrary::forEach)
        .add("foreachi", TableLibrary::forEachIndex)
        .add("getn", args -> (double) args.table(1).length())
        .add("maxn", TableLibrary::maxIndex)
        .add("insert", TableLibrary::insert)
        .add("remove", TableLibrary::remove)
        .add(
            "setn",
            args -> {
              args.table(1);
              throw args.state().error("'setn' is obsolete");
            })
        .add("sort", TableLibrary::sort);
  }

  private static Object concat(LuaArgs args) {
    LuaString separator = args.string(2, LuaString.EMPTY);
    LuaTable table = args.table(1);
    int first = args.int32(3, 1);
    int last = args.get(4) == null ? table.length() : args.int32(4);
    CountedBytes joined = new CountedBytes(args.state());
    for (long index = first; index <= last; index++) {
      args.state().tick();
      Object value = table.get((int) index);
      LuaString text = value instanceof Double number ? NumberText.write(number) : null;
      if (value instanceof LuaString given) {
        text = given;
      }
      if (text == null) {
        throw args.state()
            .error(
                "invalid value ("
                    + Operations.typeName(value)
                    + ") at index "
                    + index
                    + " in table for 'concat'");
      }
      joined.write(text.bytes());
      if (index < last) {
        joined.write(separator.bytes());
      }
    }
    return joined.string();
  }

  private static @Nullable Object forEach(LuaArgs args) {
    LuaTable table = args.table(1);
    LuaFunction function = args.function(2);
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      Object result =
          Results.first(args.state().callback(function, table.keyAt(at), table.valueAt(at)));
      if (result != null) {
        return result;
      }
    }
    return Results.NONE;
  }

  private static @Nullable Object forEachIndex(LuaArgs args) {
    LuaTable table = args.table(1);
    int count = table.length();
    LuaFunction function = args.function(2);
    for (int index = 1; index <= count; index++) {
      Object result =
          Results.first(args.state().callback(function, (double) index, table.get(index)));
      if (result != null) {
        return result;
      }
    }
    return Results.NONE;
  }

  private static Object maxIndex(LuaArgs args) {
    LuaTable table = args.table(1);
    double max = 0;
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      if (table.keyAt(at) instanceof Double index) {
        max = Math.max(max, index);
      }
    }
    return max;
  }

  private static void set(LuaState state, LuaTable table, int index, @Nullable Object value) {
    Operations.checkWritable(state, table);
    table.put(index, value);
  }

  private static Object insert(LuaArgs args) {
    LuaTable table = args.table(1);
    int end = table.length() + 1;
    int position;
    switch (args.count()) {
      case 2 -> position = end;
      case 3 -> {
        position = args.int32(2);
        end = Math.max(end, position);
        for (int i = end; i > position; i--) {
          args.state().tick();
          set(args.state(), table, i, table.get(i - 1));
        }
      }
      default -> throw args.state().error("wrong number of arguments to 'insert'");
    }
    set(args.state(), table, position, args.get(args.count()));
    return Results.NONE;
  }

  private static @Nullable Object remove(LuaArgs args) {
    LuaTable table = args.table(1);
    int end = table.length();
    int position = args.int32(2, end);
    if (position < 1 || position > end) {
      return Results.NONE;
    }
    Object removed = table.get(position);
    for (int i = position; i < end; i++) {
      args.state().tick();
      set(args.state(), table, i, table.get(i + 1));
    }
    set(args.state(), table, end, null);
    return removed;
  }

  private static Object sort(LuaArgs args) {
    LuaTable table = args.table(1);
    int count = table.length();
    LuaFunction less = args.get(2) == null ? null : args.function(2);
    new TableSort(args.state(), table, less).sort(1, count);
    return Results.NONE;
  }
}
