package dev.varve.server.command.cluster;

import dev.varve.codec.DataException;
import dev.varve.codec.Databases;
import dev.varve.codec.KeyWalk;
import dev.varve.codec.ScanPage;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.run.KeySlot;
import dev.varve.server.command.run.Keyspace;
import java.util.function.Consumer;

/**
 * Finds the keys of a slot among all: nothing keeps them apart, since no slot ever moves.
 *
 * <p>On a worker.
 */
final class SlotWalk {
  private static final DataException NOT_IN_MULTI =
      new DataException("ERR This command walks over all keys: it cannot be inside MULTI");
  private static final DataException NOT_NOW =
      new DataException("TRYAGAIN what was written last is not readable yet");

  private static final int DATABASE = 0;
  private static final int PAGE_KEYS = 1_000;

  private final Keyspace keyspace;

  SlotWalk(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  /** Hands over so many keys at most; returns how many it were. */
  long walk(CommandContext context, int slot, long countMax, Consumer<byte[]> taker) {
    if (!context.mayWait()) {
      throw NOT_IN_MULTI;
    }
    while (true) {
      Databases databases = keyspace.publishedDatabases();
      if (databases == null) {
        throw NOT_NOW;
      }
      try (StoreView view = keyspace.engine().passingView()) {
        // If the mapping changed while the view was opened, it may not fit that: FLUSHDB and SWAPDB
        // would have the keys listed of what the database was before.
        if (keyspace.publishedDatabases() == databases) {
          long nowMillis = context.wallTime().toEpochMilli();
          return walk(keyspace.looking(view, databases, nowMillis), slot, countMax, taker);
        }
      }
    }
  }

  private static long walk(
      Transaction transaction, int slot, long countMax, Consumer<byte[]> taker) {
    long found = 0;
    byte[] after = null;
    while (found < countMax) {
      ScanPage page = KeyWalk.scan(transaction, DATABASE, after, PAGE_KEYS, null, null);
      for (byte[] key : page.keys()) {
        if (found < countMax && KeySlot.of(key) == slot) {
          taker.accept(key);
          found++;
        }
      }
      after = page.next();
      if (after == null) {
        return found;
      }
    }
    return found;
  }
}
