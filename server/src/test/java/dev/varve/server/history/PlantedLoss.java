package dev.varve.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Histories that no server may ever show, made of good ones. Pure. */
public final class PlantedLoss {
  private PlantedLoss() {}

  /**
   * The same history without one acknowledged push, whose element somebody has seen: as if an
   * element had come from nowhere.
   */
  public static List<Operation> in(List<Operation> history, SplittableRandom random) {
    List<Operation> seen = history.stream().filter(push -> isSeen(push, history)).toList();
    if (seen.isEmpty()) {
      throw new IllegalArgumentException("no element was pushed and seen");
    }
    List<Operation> without = new ArrayList<>(history);
    without.remove(seen.get(random.nextInt(seen.size())));
    return without;
  }

  private static boolean isSeen(Operation push, List<Operation> history) {
    if (push.isLost() || !push.words().get(0).endsWith("PUSH")) {
      return false;
    }
    String element = "|" + push.words().get(1) + "|";
    return history.stream().anyMatch(other -> contains(other.reply(), element));
  }

  private static boolean contains(@Nullable String reply, String element) {
    return reply != null && reply.contains(element);
  }
}
