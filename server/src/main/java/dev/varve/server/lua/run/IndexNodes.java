package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** Reading a field of a table, or of whatever stands for one. */
final class IndexNodes {
  private IndexNodes() {}

  /** With a name for a key. */
  static final class Field extends Expr {
    final Expr table;
    final LuaString key;

    Field(Expr table, LuaString key, int line) {
      super(line);
      this.table = table;
      this.key = key;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object object = table.eval(frame);
      if (object instanceof LuaTable held) {
        Object value = held.get(key);
        if (value != null || held.metatable() == null) {
          return value;
        }
      }
      return Operations.index(frame.state, this, table, object, key);
    }

    @Override
    String kind() {
      return "field";
    }

    /* Messages are C's: a name ends at its first zero byte. */
    @Override
    String name() {
      String name = key.toString();
      int zero = name.indexOf('\0');
      return zero < 0 ? name : name.substring(0, zero);
    }
  }

  /** With any key. */
  static final class Index extends Expr {
    final Expr table;
    final Expr key;

    Index(Expr table, Expr key, int line) {
      super(line);
      this.table = table;
      this.key = key;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object object = table.eval(frame);
      Object at = key.eval(frame);
      if (object instanceof LuaTable held) {
        Object value = at instanceof Double number ? held.get(number.doubleValue()) : held.get(at);
        if (value != null || held.metatable() == null) {
          return value;
        }
      }
      return Operations.index(frame.state, this, table, object, at);
    }

    @Override
    String kind() {
      return "field";
    }
  }
}
