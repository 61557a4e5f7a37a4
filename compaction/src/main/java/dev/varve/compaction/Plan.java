package dev.varve.compaction;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import java.util.ArrayList;
import java.util.List;

/**
 * One change of the tree's shape worth making: what a {@link CompactionPicker} hands to a {@link
 * CompactionPass}. Immutable.
 */
sealed interface Plan permits Plan.Merge, Plan.Move, Plan.Delete {

  Reason reason();

  /** The tables that leave their level, or are rewritten at it. */
  List<PlacedTable> inputs();

  /** The level that gets what comes out. */
  int outputLevel();

  /** Reads the inputs, drops what nobody can ask for, writes the rest at the output level. */
  record Merge(Reason reason, List<PlacedTable> inputs, int outputLevel) implements Plan {
    public Merge {
      inputs = requireInputs(inputs);
    }

    @Override
    public String toString() {
      return "merge " + Plan.tables(inputs) + " -> L" + outputLevel + " (" + reason + ")";
    }
  }

  /** Gives tables another level; nothing is read or written. */
  record Move(Reason reason, List<PlacedTable> inputs, int outputLevel) implements Plan {
    public Move {
      inputs = requireInputs(inputs);
    }

    @Override
    public String toString() {
      return "move " + Plan.tables(inputs) + " -> L" + outputLevel + " (" + reason + ")";
    }
  }

  /** Deletes tables that are wholly dead; nothing is read. */
  record Delete(Reason reason, List<PlacedTable> inputs) implements Plan {
    public Delete {
      inputs = requireInputs(inputs);
    }

    @Override
    public int outputLevel() {
      return inputs.get(0).level();
    }

    @Override
    public String toString() {
      return "delete " + Plan.tables(inputs) + " (" + reason + ")";
    }
  }

  /** File bytes of all inputs. */
  default long inputBytes() {
    long sum = 0;
    for (PlacedTable input : inputs()) {
      sum += input.table().fileBytes();
    }
    return sum;
  }

  /** The least level of any input. */
  default int topLevel() {
    int top = inputs().get(0).level();
    for (PlacedTable input : inputs()) {
      top = Math.min(top, input.level());
    }
    return top;
  }

  /** The smallest key of any input. */
  default byte[] smallestKey(KeyComparator order) {
    byte[] smallest = inputs().get(0).table().smallestKey();
    for (PlacedTable input : inputs()) {
      byte[] key = input.table().smallestKey();
      smallest = order.compare(key, smallest) < 0 ? key : smallest;
    }
    return smallest;
  }

  /** The largest key of any input. */
  default byte[] largestKey(KeyComparator order) {
    byte[] largest = inputs().get(0).table().largestKey();
    for (PlacedTable input : inputs()) {
      byte[] key = input.table().largestKey();
      largest = order.compare(key, largest) > 0 ? key : largest;
    }
    return largest;
  }

  private static List<PlacedTable> requireInputs(List<PlacedTable> inputs) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a plan without inputs");
    }
    return List.copyOf(inputs);
  }

  /** {@code L0[7 5] L6[1 2]}: table numbers by level. */
  private static String tables(List<PlacedTable> inputs) {
    List<String> levels = new ArrayList<>();
    int level = -1;
    StringBuilder numbers = new StringBuilder();
    for (PlacedTable input : inputs) {
      if (input.level() != level) {
        flush(levels, numbers);
        level = input.level();
        numbers.append('L').append(level).append('[');
      } else {
        numbers.append(' ');
      }
      TableMeta table = input.table();
      numbers.append(table.number());
    }
    flush(levels, numbers);
    return String.join(" ", levels);
  }

  private static void flush(List<String> levels, StringBuilder numbers) {
    if (!numbers.isEmpty()) {
      levels.add(numbers.append(']').toString());
      numbers.setLength(0);
    }
  }
}
