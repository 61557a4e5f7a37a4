package dev.varve.server.lua.run;

import dev.varve.server.lua.value.UndoLog;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A variable that lives longer than the frame it began in. */
final class Cell {
  /** About what one takes, with a number in it. */
  static final int BYTES = 40;

  @Nullable Object value;

  /** The last walk that met it. */
  int mark;

  /** The span of the log of changes in which it was made, or its value was kept there. */
  private int keptIn;

  Cell(LuaState state, @Nullable Object value) {
    this.keptIn = state.undoLog().span();
    this.value = value;
  }

  /** Puts another value in the place of one that a run may have found here. */
  void change(LuaState state, @Nullable Object its) {
    if (state.undoLog().keeps(keptIn)) {
      keep(state.undoLog());
    }
    value = its;
  }

  private void keep(UndoLog log) {
    log.add(new Change(this, value));
    keptIn = log.span();
  }

  private record Change(Cell cell, @Nullable Object value) implements UndoLog.Change {
    @Override
    public void undo() {
      cell.value = value;
    }

    @Override
    public void held(Consumer<@Nullable Object> visitor) {
      visitor.accept(value);
    }
  }
}
