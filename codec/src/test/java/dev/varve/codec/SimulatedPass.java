package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** What a compaction does to the entries that codec declares dead. */
public final class SimulatedPass {
  private SimulatedPass() {}

  /** Drops all that is in dead ranges. */
  public static void drop(Keyspace keyspace) {
    List<byte[]> dead = new ArrayList<>();
    try (StoreView view = keyspace.store.view();
        StoreCursor cursor = view.cursor(InMemoryStore.END);
        GarbageWalk ranges = new GarbageWalk(view, new byte[0])) {
      while (ranges.next()) {
        boolean found = cursor.seek(ranges.range().start());
        byte[] end = ranges.range().end();
        for (; found && Arrays.compareUnsigned(cursor.key(), end) < 0; found = cursor.next()) {
          dead.add(cursor.key());
        }
      }
    }
    keyspace.apply(transaction -> dead.forEach(transaction::delete));
  }

  /** Retires all records, of which nothing is left after {@link #drop}. */
  public static void retire(Keyspace keyspace) {
    keyspace.apply(
        transaction -> {
          for (byte[] key : keyspace.stored(KeyFormat.GARBAGE)) {
            byte[] value = Objects.requireNonNull(transaction.get(key));
            Garbage.retire(transaction, Garbage.record(key, value));
          }
        });
  }
}
