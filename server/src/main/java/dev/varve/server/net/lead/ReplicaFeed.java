package dev.varve.server.net.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Backlog;
import dev.varve.server.config.SoftLimit;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.ReplySink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one replica what it needs, for as long as it follows.
 *
 * <p>Its own thread, but for what says otherwise.
 */
final class ReplicaFeed implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaFeed.class);

  /** So often it is looked whether the replica is still there, where there is nothing to send. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Session session;
  private final Replica replica;
  private final ReplySink sink;
  private final Backlog.Reader reader;
  private final Backlog.Mark mark;
  private final String greeting;
  private final @Nullable DumpView snapshot;
  private final BooleanSupplier isWanted;
  private final Runnable onEnd;
  private final SoftLimit soft = new SoftLimit();
  private volatile @Nullable Thread waiting;
  private volatile @Nullable String closedFor;

  /**
   * @param sink takes what is sent
   * @param reader where it begins in the stream
   * @param mark the same place, from which on what it lacks is kept
   * @param greeting what it is told first
   * @param snapshot all data there, which is closed in the end; null if it has that
   * @param isWanted whether that stream is still the one that goes on
   * @param onEnd is run when the replica follows no longer
   */
  ReplicaFeed(
      Session session,
      ReplySink sink,
      Backlog.Reader reader,
      Backlog.Mark mark,
      String greeting,
      @Nullable DumpView snapshot,
      BooleanSupplier isWanted,
      Runnable onEnd) {
    this.session = session;
    this.replica = session.asReplica();
    this.sink = sink;
    this.reader = reader;
    this.mark = mark;
    this.greeting = greeting;
    this.snapshot = snapshot;
    this.isWanted = isWanted;
    this.onEnd = onEnd;
    replica.sent(reader.offset());
    if (snapshot == null) {
      // Before it hears of it: a server that ends right then is to wait for what it lacks.
      replica.phase(Replica.Phase.ONLINE);
    }
  }

  Session session() {
    return session;
  }

  /** From where on it may lack what is written. Keyspace loop. */
  Backlog.Mark mark() {
    return mark;
  }

  /** It does not lack what it has carried out, or was sent, if it never says. Keyspace loop. */
  void advanceMark() {
    long sent = replica.sent();
    mark.advance(saysHowFarItIs() ? Math.min(sent, replica.acknowledged()) : sent);
  }

  /** For how long it has been too far behind. Keyspace loop. */
  SoftLimit soft() {
    return soft;
  }

  /** Whether it says now and then that it is there: who has said SYNC need not. */
  boolean saysHowFarItIs() {
    return !greeting.isEmpty();
  }

  @Override
  public void run() {
    String why = "it is gone";
    try {
      send(greeting);
      if (snapshot != null) {
        dump(snapshot);
        if (replica.hasEndMarks()) {
          awaitLoaded();
        }
        replica.phase(Replica.Phase.ONLINE);
      }
      while (isWanted.getAsBoolean()) {
        if (!reader.read(sink::piece)) {
          await();
        }
        replica.sent(reader.offset());
      }
      why = "what it knows does not go on";
    } catch (ReplyCutShortException cut) {
      why = String.valueOf(cut.getMessage());
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      LOG.error("replica {} could not be sent what it needs", session.address(), failure);
      why = failure.toString();
    } finally {
      if (snapshot != null) {
        snapshot.close();
      }
      String itsEnd = closedFor;
      LOG.info(
          "replica {} follows no longer: {}", session.address(), itsEnd == null ? why : itsEnd);
      session.connection().close();
      onEnd.run();
    }
  }

  private void send(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length > 0) {
      sink.piece(bytes, 0, bytes.length);
    }
  }

  private void dump(DumpView view) throws IOException {
    long beganNanos = System.nanoTime();
    LOG.info("replica {} is sent all data", session.address());
    replica.phase(Replica.Phase.DUMPED);
    String mark = replica.hasEndMarks() ? view.mark() : "";
    send((mark.isEmpty() ? "$" + length(view) : "$EOF:" + mark) + "\r\n");
    Pieces pieces = new Pieces(sink);
    long keys = view.write(pieces);
    pieces.flush();
    send(mark);
    // What it keeps files and memory for is not needed while the replica loads.
    view.close();
    LOG.info(
        "replica {} was sent all data, {} keys, in {} ms",
        session.address(),
        keys,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
  }

  /** How long it will be, for who finds no mark: nobody knows before all of it was written. */
  private static long length(DumpView its) throws IOException {
    CountedOutput counted = new CountedOutput();
    its.write(counted);
    return counted.bytes;
  }

  /** It looks for the mark at the end of what has come: nothing may come behind that before. */
  private void awaitLoaded() {
    while (!replica.hasAcknowledged() && isWanted.getAsBoolean()) {
      LockSupport.parkNanos(this, LOOK_NANOS / 10);
      sink.check();
    }
  }

  /** Until there is something to send. */
  private void await() {
    waiting = Thread.currentThread();
    try {
      // Else it may have come before anybody knew that it is waited for.
      if (!reader.isBehind() && isWanted.getAsBoolean()) {
        LockSupport.parkNanos(this, LOOK_NANOS);
      }
    } finally {
      waiting = null;
    }
    sink.check();
  }

  /** Ends it. Keyspace loop. */
  void close(String why) {
    if (closedFor == null) {
      closedFor = why;
      session.connection().close();
      wake();
    }
  }

  /** There is more of the stream. Any thread. */
  void wake() {
    Thread its = waiting;
    if (its != null) {
      waiting = null;
      LockSupport.unpark(its);
    }
  }

  /** Counts what is written. */
  private static final class CountedOutput extends OutputStream {
    private long bytes;

    @Override
    public void write(int single) {
      bytes++;
    }

    @Override
    public void write(byte[] written, int from, int count) {
      bytes += count;
    }
  }

  /** Hands over what is written in pieces. */
  private static final class Pieces extends OutputStream {
    private static final int PIECE_BYTES = 64 << 10;

    private final ReplySink sink;
    private byte[] piece = new byte[PIECE_BYTES];
    private int length;

    Pieces(ReplySink sink) {
      this.sink = sink;
    }

    @Override
    public void write(int single) {
      if (length == PIECE_BYTES) {
        flush();
      }
      piece[length++] = (byte) single;
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
      int done = 0;
      while (done < count) {
        if (length == PIECE_BYTES) {
          flush();
        }
        int part = Math.min(count - done, PIECE_BYTES - length);
        System.arraycopy(bytes, from + done, piece, length, part);
        length += part;
        done += part;
      }
    }

    @Override
    public void flush() {
      if (length > 0) {
        sink.piece(piece, 0, length);
        piece = new byte[PIECE_BYTES];
        length = 0;
      }
    }
  }
}
