package dev.varve.server.command.run;

import dev.varve.codec.Databases;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlock;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * Reads ahead for requests behind one that waits for the disk: brings into memory what each will
 * look up first, the meta of its first key, which is a whole string and a whole small collection.
 *
 * <p>Any thread that may block, except where it says otherwise. What it brings may be gone again
 * before the request runs, and nothing depends on it.
 */
public final class FirstKeys {
  /** Of a value: it is its block that is wanted. */
  private static final int BYTES_READ = 1;

  private final CommandTable table;
  private final Keyspace keyspace;

  public FirstKeys(CommandTable table, Keyspace keyspace) {
    this.table = table;
    this.keyspace = keyspace;
  }

  /** Whether the request has a key to look up. */
  public boolean hasKey(Args args) {
    Command command = table.find(args.get(0));
    return command != null && command.firstKey() > 0 && command.firstKey() < args.count();
  }

  /**
   * Looks up what {@link #hasKey} says there is.
   *
   * @param database the number that the request will run in
   */
  public void bring(int database, Args args) {
    byte[] stored = storedKey(database, args);
    if (stored == null) {
      return;
    }
    try (StoreView view = keyspace.engine().aheadView()) {
      view.getStart(stored, BYTES_READ);
    } catch (ReadFailure seenAgainByTheRequest) {
      return;
    }
  }

  /**
   * The block that {@link #bring} would wait for, if it is known and there is one. Any thread, and
   * without waiting.
   */
  public @Nullable ColdBlock missing(int database, Args args) {
    byte[] stored = storedKey(database, args);
    if (stored == null) {
      return null;
    }
    try (StoreView view = keyspace.engine().peekingView()) {
      view.getStart(stored, BYTES_READ);
      return null;
    } catch (ColdBlockSignal cold) {
      return cold.block();
    }
  }

  private byte @Nullable [] storedKey(int database, Args args) {
    Command command = table.find(args.get(0));
    Databases databases = keyspace.publishedDatabases();
    return command == null || databases == null
        ? null
        : KeyFormat.meta(databases.id(database), args.get(command.firstKey()));
  }
}
