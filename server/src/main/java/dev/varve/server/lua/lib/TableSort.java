package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/**
 * The sort of {@code table.sort}.
 *
 * <p>Used by the thread that has the state.
 */
final class TableSort {
  private final LuaState state;
  private final LuaTable table;
  private final @Nullable LuaFunction order;

  TableSort(LuaState state, LuaTable table, @Nullable LuaFunction order) {
    this.state = state;
    this.table = table;
    this.order = order;
  }

  /* Quicksort with the median of three as pivot, as Lua 5.1 does it step by step: what is equal ends
   * up in an order that scripts can see, and an order function that contradicts itself is found out
   * in the same cases. */
  void sort(int first, int last) {
    int low = first;
    int high = last;
    while (low < high) {
      orderPair(low, high);
      if (high - low == 1) {
        return;
      }
      int middle = (low + high) >>> 1;
      if (isLess(table.get(middle), table.get(low))) {
        swap(middle, low);
      } else {
        orderPair(middle, high);
      }
      if (high - low == 2) {
        return;
      }
      int border = partition(low, high, middle);
      if (border - low < high - border) {
        sort(low, border - 1);
        low = border + 1;
      } else {
        sort(border + 1, high);
        high = border - 1;
      }
    }
  }

  private void orderPair(int low, int high) {
    if (isLess(table.get(high), table.get(low))) {
      swap(low, high);
    }
  }

  /** Puts what is less than the pivot before it, and says where the pivot is. */
  private int partition(int low, int high, int middle) {
    Object pivot = table.get(middle);
    swap(middle, high - 1);
    int up = low;
    int down = high - 1;
    while (true) {
      while (isLess(table.get(++up), pivot)) {
        if (up > high) {
          throw contradiction();
        }
      }
      while (isLess(pivot, table.get(--down))) {
        if (down < low) {
          throw contradiction();
        }
      }
      if (down < up) {
        swap(high - 1, up);
        return up;
      }
      swap(up, down);
    }
  }

  private RuntimeException contradiction() {
    return state.error("invalid order function for sorting");
  }

  private boolean isLess(@Nullable Object left, @Nullable Object right) {
    state.tick();
    if (order == null) {
      return Operations.less(state, left, right);
    }
    Object result = Results.first(state.callback(order, left, right));
    return result != null && result != Boolean.FALSE;
  }

  private void swap(int one, int other) {
    Operations.checkWritable(state, table);
    Object value = table.get(one);
    table.put(one, table.get(other));
    table.put(other, value);
  }
}
