package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** A table constructor. */
final class TableNode extends Expr {
  /** Items of the list are stored so many at a time, as Lua 5.1 does. */
  private static final int ITEMS_PER_FLUSH = 50;

  /** One field; without a key it is an item of the list. */
  record Field(@Nullable Expr key, Expr value) {}

  private final Field[] fields;
  private final int slots;
  private final int nodes;

  TableNode(Field[] fields, int items, int named, int line) {
    super(line);
    this.fields = fields;
    boolean open = items > 0 && isOpen(fields);
    this.slots = rounded(open ? items - 1 : items);
    this.nodes = rounded(named);
  }

  private static boolean isOpen(Field[] fields) {
    Field last = fields[fields.length - 1];
    return last.key() == null && last.value().isMultiple();
  }

  /* The sizes in an instruction of Lua 5.1 have three bits of mantissa: what is more is rounded up. */
  private static int rounded(int size) {
    int exponent = 0;
    int mantissa = size;
    while (mantissa >= 16) {
      mantissa = (mantissa + 1) >> 1;
      exponent++;
    }
    return mantissa << exponent;
  }

  @Override
  Object eval(Frame frame) {
    LuaTable table = frame.state.newTable(slots, nodes);
    int count = fields.length;
    if (count == 0) {
      return table;
    }
    @Nullable Object[] pending = new Object[Math.min(ITEMS_PER_FLUSH, count)];
    int waiting = 0;
    int stored = 0;
    for (int i = 0; i < count; i++) {
      Field field = fields[i];
      if (field.key() != null) {
        Object key = field.key().eval(frame);
        Operations.rawSet(frame.state, this, table, key, field.value().eval(frame));
        continue;
      }
      if (waiting == ITEMS_PER_FLUSH) {
        stored = store(table, stored, pending, waiting);
        waiting = 0;
      }
      if (i < count - 1 || !field.value().isMultiple()) {
        pending[waiting++] = field.value().eval(frame);
        continue;
      }
      @Nullable Object[] more = Results.all(field.value().evalAll(frame));
      table.reserve(stored + waiting + more.length);
      stored = store(table, stored, pending, waiting);
      store(table, stored, more, more.length);
      return table;
    }
    store(table, stored, pending, waiting);
    return table;
  }

  private static int store(LuaTable table, int stored, @Nullable Object[] values, int count) {
    table.reserve(stored + count);
    for (int i = 0; i < count; i++) {
      table.put(stored + i + 1, values[i]);
    }
    return stored + count;
  }
}
