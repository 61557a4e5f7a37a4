package dev.varve.server.command.run;

import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.LongRunSignal;
import dev.varve.server.engine.ReadPause;
import dev.varve.server.resp.ReplyBuffer;
import java.util.function.LongSupplier;

/**
 * How long a read that any thread can make may take on this one, and how long its reply may grow
 * that is made whole; beyond that it is ended by {@link LongReadSignal}, and begins again where it
 * holds up nobody and leaves in pieces, as its client reads. And how long a write may take that a
 * worker can make: beyond that {@link LongRunSignal} ends it.
 *
 * <p>Used by the thread of its executor.
 */
final class RunLimits {
  /** So much takes some milliseconds. */
  private static final int BYTES_MAX = 4 << 20;

  /** So much takes less than to hand it to another thread does. */
  private static final int BYTES_MIN = 64 << 10;

  /**
   * Of what is left for all replies. With its array, which doubles as it grows, one takes a quarter
   * at most, so that those that nobody has read yet never fill it.
   */
  private static final int ROOM_PART = 8;

  /** An array of bytes that grows is there beside the one that is twice as long. */
  private static final int GROWTH = 3;

  private static final int WORKERS_HEAP_PART = 4;

  /** What all workers make together takes a quarter of the heap at most. */
  private static final int WORKER_BYTES_MAX =
      (int)
          Math.min(
              BYTES_MAX,
              Runtime.getRuntime().maxMemory() / WORKERS_HEAP_PART / GROWTH / Role.WORKERS_MAX);

  private final Role role;
  private final ReplyBuffer reply;
  private final LongSupplier replyRoom;
  private final LongReads longReads;
  private final LongRun longRun;
  private final RunTime time;
  private final ReadPause pause;

  /**
   * @param replyRoom bytes that are left for what all clients leave unread
   */
  RunLimits(Role role, ReplyBuffer reply, LongSupplier replyRoom, Keyspace keyspace) {
    this.role = role;
    this.reply = reply;
    this.replyRoom = replyRoom;
    this.longReads = keyspace.longReads();
    this.longRun = keyspace.longRun();
    this.time = new RunTime(reply);
    this.pause =
        new ReadPause() {
          @Override
          public void begin() {
            reply.pauses();
          }

          @Override
          public void end() {
            reply.goesOn();
          }
        };
  }

  /** Is told when such a read waits for the reads of others. */
  ReadPause pause() {
    return pause;
  }

  /** Such a read begins, whose reply begins at {@code replyMark}, until {@link #end}. */
  void beginRead(StoreView view, Command command, int replyMark) {
    if (!reply.isStreaming()) {
      reply.limit(replyMark + bytesMax(), LongReadSignal.INSTANCE);
    }
    if (command.group() != CommandGroup.SCRIPTING) {
      // A script has a time of its own.
      time.begin(longReads.nanosMax(role), LongReadSignal.INSTANCE, RunTime.READ_STEPS_PER_LOOK);
      view.meter(time);
    }
  }

  /** Such a write begins. */
  void beginWrite(Transaction transaction) {
    time.begin(longRun.writeNanosMax(), LongRunSignal.OF_WRITE, RunTime.WRITE_STEPS_PER_LOOK);
    transaction.meter(time);
  }

  private int bytesMax() {
    int most = role == Role.WORKER ? WORKER_BYTES_MAX : BYTES_MAX;
    return (int) Math.min(most, Math.max(BYTES_MIN, replyRoom.getAsLong() / ROOM_PART));
  }

  /** The run is over, whatever it was: what is done behind it takes as long as it takes. */
  void end() {
    reply.unlimit();
    time.end();
  }
}
