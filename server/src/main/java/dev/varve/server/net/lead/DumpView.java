package dev.varve.server.net.lead;

import dev.varve.codec.Databases;
import dev.varve.codec.Keys;
import dev.varve.codec.Libraries;
import dev.varve.codec.Transaction;
import dev.varve.codec.dump.RdbExport;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Keyspace;
import java.io.IOException;
import java.io.OutputStream;
import java.util.stream.IntStream;

/**
 * All data as it was at one moment, for who writes it out.
 *
 * <p>Made on the keyspace loop, used by one thread, which may wait for the disk.
 */
final class DumpView implements AutoCloseable {
  private final Keyspace keyspace;
  private final StoreView view;
  private final Databases databases;
  private final int streamDatabase;
  private final long nowMillis;

  /** What is counted goes on while it is written out, and may be ahead of the view already. */
  private final long[] sizes;

  private boolean isClosed;

  /**
   * @param databases the mapping that fits what readers see
   * @param streamDatabase see {@link RdbExport#write}
   * @param nowMillis the time, in ms since 1970
   */
  DumpView(Keyspace keyspace, Databases databases, int streamDatabase, long nowMillis) {
    this.keyspace = keyspace;
    this.view = keyspace.engine().lastingView();
    this.databases = databases;
    this.streamDatabase = streamDatabase;
    this.nowMillis = nowMillis;
    Transaction counting = transaction();
    this.sizes =
        IntStream.range(0, databases.count())
            .mapToLong(database -> Math.max(1, Keys.size(counting, database)))
            .toArray();
  }

  /** What no data has in it, so that its end is known by it. */
  String mark() {
    return ReplicationStream.randomId();
  }

  /** Writes all of it as an RDB file, each time the same bytes; returns how many keys it has. */
  long write(OutputStream out) throws IOException {
    return RdbExport.write(
        out,
        Libraries.load(view),
        this::transaction,
        database -> sizes[database],
        streamDatabase,
        written -> {});
  }

  /** One that reads it, and in which nothing has expired: who is sent it is told what has. */
  private Transaction transaction() {
    Transaction transaction = keyspace.looking(view, databases, nowMillis);
    transaction.expireNothing();
    return transaction;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      view.close();
    }
  }
}
