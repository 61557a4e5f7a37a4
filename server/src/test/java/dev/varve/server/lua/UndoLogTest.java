package dev.varve.server.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.UndoLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that runs have changed, and that were made what they were, beside twins that no run ever
 * saw: they have the same in the same order, and go on so.
 */
class UndoLogTest {
  private static final int TABLES = 3;
  private static final int RUNS = 300;

  /** Counts what the log holds. */
  private static final class Memory implements Allocation {
    private final UndoLog log = new UndoLog(this);

    @Override
    public void charge(long bytes) {}

    @Override
    public UndoLog undoLog() {
      return log;
    }
  }

  private final Memory memory = new Memory();
  private final LuaTable[] tables = new LuaTable[TABLES];
  private final LuaTable[] twins = new LuaTable[TABLES];

  /** What is random of one change, so that it can be made twice. */
  private record Step(int table, Object key, @Nullable Object value, boolean isMetatable) {}

  private static Step step(Random random, int spread) {
    int number = random.nextInt(spread);
    Object key =
        switch (random.nextInt(4)) {
          case 0 -> LuaString.of("k" + number);
          case 1 -> number % 2 == 0;
          default -> (double) (number + 1);
        };
    Object value = random.nextInt(3) == 0 ? null : (Object) (double) random.nextInt();
    return new Step(random.nextInt(TABLES), key, value, random.nextInt(20) == 0);
  }

  private static void make(Step step, LuaTable[] in) {
    LuaTable table = in[step.table];
    if (step.isMetatable) {
      table.setMetatable(step.value == null ? null : in[(step.table + 1) % TABLES]);
    } else if (step.key instanceof Double number) {
      table.put((int) number.doubleValue(), step.value);
    } else {
      table.put(step.key, step.value);
    }
  }

  private static List<@Nullable Object> shown(LuaTable[] all) {
    List<@Nullable Object> shown = new ArrayList<>();
    for (LuaTable table : all) {
      shown.add(table.length());
      shown.add(table.sizeBytes());
      shown.add(table.metatable() == null);
      for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
        shown.add(table.keyAt(at).toString());
        shown.add(table.valueAt(at));
      }
    }
    return shown;
  }

  /**
   * @param spread of how many keys a change chooses: few are kept whole, many place by place
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 8, 40, 400, 3000})
  void whatIsUndoneIsAsIfItHadNotBeen(int spread) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < TABLES; i++) {
      tables[i] = new LuaTable(memory);
      twins[i] = new LuaTable(memory);
    }
    for (int run = 0; run < RUNS; run++) {
      boolean counts = random.nextInt(3) == 0;
      memory.log.begin();
      int steps = random.nextInt(1 << random.nextInt(10));
      for (int i = 0; i < steps; i++) {
        Step step = step(random, spread);
        make(step, tables);
        if (counts) {
          make(step, twins);
        }
        if (random.nextInt(500) == 0) {
          memory.log.settle();
        }
      }
      if (counts) {
        memory.log.forget();
      } else {
        memory.log.undo();
      }
      assertEquals(shown(twins), shown(tables), "seed " + seed + ", run " + run);
    }
  }
}
