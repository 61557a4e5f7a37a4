package dev.varve.compaction;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The dead collections of a test: what the tree's user would keep as garbage records. */
final class Graveyard implements GarbageSource, DeadEntryRule {
  private final List<Death> deaths = new ArrayList<>();
  private long generation;

  synchronized void bury(byte[] start, byte[] endExclusive, long deathSequence) {
    deaths.add(
        new Death(start, List.of(new KeyRange(start, endExclusive)), deathSequence, Death.UNKNOWN));
    deaths.sort(
        (a, b) -> Arrays.compareUnsigned(a.ranges().get(0).start(), b.ranges().get(0).start()));
    generation++;
  }

  synchronized void forget(Death death) {
    deaths.removeIf(other -> other.id() == death.id());
    generation++;
  }

  synchronized int size() {
    return deaths.size();
  }

  @Override
  public synchronized long generation() {
    return generation;
  }

  @Override
  public synchronized void forEach(Consumer<Death> visitor) {
    List.copyOf(deaths).forEach(visitor);
  }

  @Override
  public synchronized DeadRanges deadRanges(long horizon) {
    List<KeyRange> dead =
        deaths.stream()
            .filter(death -> death.sequence() <= horizon)
            .flatMap(death -> death.ranges().stream())
            .toList();
    return new DeadRanges() {
      private int at;

      @Override
      public boolean advanceTo(byte[] key, int length) {
        while (at < dead.size() && isBehind(dead.get(at).endExclusive(), key, length)) {
          at++;
        }
        return at < dead.size();
      }

      private boolean isBehind(byte[] end, byte[] key, int length) {
        return Arrays.compareUnsigned(end, 0, end.length, key, 0, length) <= 0;
      }

      @Override
      public byte @Nullable [] start() {
        return at < dead.size() ? dead.get(at).start() : null;
      }

      @Override
      public byte @Nullable [] endExclusive() {
        return at < dead.size() ? dead.get(at).endExclusive() : null;
      }

      @Override
      public boolean isDead(byte[] key, int length) {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
