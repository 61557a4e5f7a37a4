package dev.varve.server.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether a history is linearizable. Pure.
 *
 * <p>Keys are looked at one by one: a history is linearizable just when it is for each key (Herlihy
 * and Wing's locality).
 */
public final class Linearizability {
  /*
   * Just-in-time linearization (Lowe, "Testing for linearizability", 2016), which is Wing and Gong's
   * search (1993) breadth first: we go through the history once, and know all the situations in
   * which the key may be. A situation is a state, and which of the pending operations have taken
   * effect already. At the reply of an operation each situation goes on as all those in which this
   * operation has taken effect, after any of the other pending ones; the reply of each is known and
   * must fit. When no situation is left, nothing explains the reply.
   *
   * At the end of a lost operation each situation goes on both ways.
   */

  /** Operations that are pending at one moment on one key. */
  private static final int PENDING_MAX = Long.SIZE;

  private static final int SITUATIONS_MAX = 1_000_000;
  private static final int SHOWN = 25;

  /** The state of a key, and a bit for each pending operation that has taken effect. */
  private record Situation(String state, long effective) {}

  private record Event(long nanos, boolean isEnd, Operation operation) {}

  private Linearizability() {}

  /** The first thing that is wrong, in words, or an empty text. */
  public static String violation(List<Operation> history) {
    Map<String, List<Operation>> byKey =
        history.stream()
            .collect(Collectors.groupingBy(Operation::key, TreeMap::new, Collectors.toList()));
    for (List<Operation> operations : byKey.values()) {
      String violation = new OneKey().run(operations);
      if (!violation.isEmpty()) {
        return violation;
      }
    }
    return "";
  }

  /** The history of one key. */
  private static final class OneKey {
    /** By slot; null where the slot is free. */
    private final List<@Nullable Operation> pending = new ArrayList<>();

    /** By identity: two operations may be alike. */
    private final Map<Operation, Integer> slots = new IdentityHashMap<>();

    private Set<Situation> situations = Set.of(new Situation("", 0));

    String run(List<Operation> operations) {
      List<Event> events = new ArrayList<>();
      for (Operation operation : operations) {
        events.add(new Event(operation.invokedNanos(), false, operation));
        events.add(new Event(operation.endedNanos(), true, operation));
      }
      // What begins in the nanosecond in which another ends may have come before it.
      events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::isEnd));
      for (int i = 0; i < events.size(); i++) {
        Operation operation = events.get(i).operation();
        if (!events.get(i).isEnd()) {
          begin(operation);
          continue;
        }
        Set<Situation> before = situations;
        end(operation);
        if (situations.isEmpty()) {
          return describe(events.subList(Math.max(0, i - SHOWN), i + 1), before);
        }
      }
      return "";
    }

    private void begin(Operation operation) {
      int slot = pending.indexOf(null);
      if (slot < 0) {
        slot = pending.size();
        pending.add(null);
      }
      if (slot == PENDING_MAX) {
        throw new IllegalStateException("more than " + PENDING_MAX + " operations at a time");
      }
      pending.set(slot, operation);
      slots.put(operation, slot);
    }

    private void end(Operation operation) {
      int slot = Objects.requireNonNull(slots.remove(operation), "ends before it begins");
      long bit = 1L << slot;
      Set<Situation> next = new HashSet<>();
      Set<Situation> seen = new HashSet<>(situations);
      Deque<Situation> open = new ArrayDeque<>(situations);
      while (!open.isEmpty()) {
        Situation situation = open.remove();
        if ((situation.effective() & bit) != 0) {
          next.add(new Situation(situation.state(), situation.effective() & ~bit));
          continue;
        }
        for (int other = 0; other < pending.size(); other++) {
          take(situation, other, seen, open);
        }
      }
      if (operation.isLost()) {
        // As if it had never been sent; its slot is free in all of these.
        situations.stream()
            .filter(situation -> (situation.effective() & bit) == 0)
            .forEach(next::add);
      }
      situations = next;
      pending.set(slot, null);
    }

    /** One more pending operation takes effect, if its reply is the one that it got. */
    private void take(Situation from, int slot, Set<Situation> seen, Deque<Situation> open) {
      Operation operation = pending.get(slot);
      if (operation == null || (from.effective() & 1L << slot) != 0) {
        return;
      }
      KeyModel.Step step = KeyModel.step(from.state(), operation.words());
      if (operation.reply() == null || operation.reply().equals(step.reply())) {
        Situation next = new Situation(step.state(), from.effective() | 1L << slot);
        if (seen.add(next)) {
          open.add(next);
        }
        if (seen.size() > SITUATIONS_MAX) {
          throw new IllegalStateException("too much at a time to be told apart");
        }
      }
    }

    private static String describe(List<Event> last, Set<Situation> before) {
      StringBuilder text = new StringBuilder("nothing explains the last of these replies:");
      long start = last.get(0).nanos();
      for (Event event : last) {
        Operation operation = event.operation();
        text.append("\n  ")
            .append((event.nanos() - start) / 1000)
            .append(" us  ")
            .append(event.isEnd() ? "end   " : "begin ")
            .append(operation.key())
            .append(' ')
            .append(operation.words())
            .append(event.isEnd() ? " -> " + (operation.isLost() ? "lost" : operation.reply()) : "")
            .append(" #")
            .append(Integer.toHexString(System.identityHashCode(operation)));
      }
      text.append("\n  the key could be, with those already effective that are marked:");
      before.stream().limit(SHOWN).forEach(situation -> text.append("\n  ").append(situation));
      return text.toString();
    }
  }
}
