package dev.varve.server.net.connection;

import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.net.loop.Arrivals;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RequestSink;
import dev.varve.server.resp.RespDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection's requests on their way from its socket to its turn: decoded, and kept while a
 * turn is elsewhere, up to a limit from which on the socket is not read.
 *
 * <p>Own loop only.
 */
final class Intake implements RequestSink, Arrivals.Client {

  /** Bytes of requests that may arrive during a turn elsewhere before reading stops. */
  private static final int ARRIVED_BYTES_MAX = 1024 * 1024;

  /** What they may take on the heap: of many short ones that is several times as much. */
  private static final long ARRIVED_HEAP_BYTES_MAX =
      Math.max(
          ARRIVED_BYTES_MAX,
          Math.min(8L * ARRIVED_BYTES_MAX, Runtime.getRuntime().maxMemory() / 32));

  /** And where all clients together have sent much that cannot run yet. */
  private static final long ARRIVED_HEAP_BYTES_SCARCE = 64 * 1024;

  /** How often a little more is read all the same, which stays as it came, and up to what. */
  private static final int PROBE_MILLIS = 100;

  private static final long UNDECODED_BYTES_MAX =
      Math.max(
          ARRIVED_BYTES_MAX,
          Math.min(16L * ARRIVED_BYTES_MAX, Runtime.getRuntime().maxMemory() / 16));

  /** A request that cannot be one, in its place among the others. */
  record ProtocolError(String what) {}

  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private final ConnectionContext server;
  private final Arrivals arrivals;
  private final Session session;
  private final Channel channel;
  private final BooleanSupplier isRestricted;
  private final Runnable onArrival;
  private final RespDecoder decoder;
  private final Deque<Object> arrived = new ArrayDeque<>(2);
  private int arrivedBytes;

  /** What those that have arrived take on the heap. */
  private long arrivedHeapBytes;

  /** What has come behind those when they were too many. */
  private final Deque<byte[]> undecoded = new ArrayDeque<>(0);

  private long undecodedBytes;
  private boolean isReading = true;

  /** Whether it is held back for no other reason than that it is full. */
  private boolean isHeldBack;

  private boolean isProbeSet;

  /**
   * @param isRestricted whether the client has yet to authenticate
   * @param onArrival called when what has arrived may run
   */
  Intake(
      ConnectionContext server,
      ServerLoop own,
      Session session,
      Channel channel,
      BooleanSupplier isRestricted,
      Runnable onArrival) {
    this.server = server;
    this.arrivals = own.arrivals();
    this.session = session;
    this.channel = channel;
    this.isRestricted = isRestricted;
    this.onArrival = onArrival;
    this.decoder = new RespDecoder(own.scratch(), isRestricted, server.bulkBytesMax());
  }

  /** Takes bytes from the socket, and releases them. */
  void read(ByteBuf in, boolean isDropped) {
    try {
      int bytes = in.readableBytes();
      server.traffic().in(bytes);
      if (isDropped) {
        return;
      }
      if (!undecoded.isEmpty() || (!arrived.isEmpty() && isFull())) {
        byte[] rest = new byte[bytes];
        in.readBytes(rest);
        undecoded.add(rest);
        undecodedBytes += bytes;
      } else {
        decode(in, bytes);
      }
    } finally {
      in.release();
    }
  }

  private void decode(ByteBuf in, int bytes) {
    arrivedBytes += bytes;
    decoder.decode(in, this);
    arrivedHeapBytes += decoder.takeRequestBytes();
    closeIfEndless();
  }

  /** Goes on with what was left as it came. */
  private void decodeRest() {
    while (!undecoded.isEmpty() && (arrived.isEmpty() || !isFull())) {
      byte[] rest = undecoded.remove();
      undecodedBytes -= rest.length;
      decode(Unpooled.wrappedBuffer(rest), rest.length);
    }
  }

  private void closeIfEndless() {
    long held = decoder.bytesHeld();
    // Most requests end in the buffer that they came in.
    if (held > 0 && held > server.requestBytesMax()) {
      LOG.warn(
          "client {} is closed: its request takes {} bytes so far (client-query-buffer-limit)",
          session.address(),
          held);
      channel.close();
    }
  }

  @Override
  public void request(Args args) {
    arrived.add(args);
    if (isRestricted.getAsBoolean()) {
      // What the client may announce next depends on what this does.
      onArrival.run();
    }
  }

  @Override
  public void protocolError(String what) {
    arrived.add(new ProtocolError(what));
  }

  /** The socket has been read, as far as it is in this pass. */
  void readComplete() {
    if (!arrived.isEmpty() && arrived.size() < CommandExecutor.PIPELINE_MIN) {
      arrivals.add(this);
    } else {
      onArrival.run();
    }
  }

  @Override
  public void run() {
    onArrival.run();
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public Iterable<Object> requests() {
    return arrived;
  }

  @Override
  public int count() {
    return arrived.size();
  }

  boolean isEmpty() {
    return arrived.isEmpty();
  }

  /** Hands over all that has arrived, {@code Args} and {@link ProtocolError}s; its bytes. */
  int moveTo(Queue<Object> requests) {
    int bytes = arrivedBytes;
    requests.addAll(arrived);
    arrived.clear();
    arrivedBytes = 0;
    return bytes;
  }

  /** What those take on the heap that have been handed over since the last call. */
  long takeHeapBytes() {
    // Within a read, which runs what needs no password as it comes, they are not counted yet.
    long bytes = arrivedHeapBytes + decoder.takeRequestBytes();
    arrivedHeapBytes = 0;
    return bytes;
  }

  /** What is on the heap of requests that have not been handed over, whole or not. */
  long heapBytesHeld() {
    return arrivedHeapBytes + undecodedBytes + decoder.heapBytesHeld();
  }

  /** Forgets all that has come, and what is still to come. */
  void drop() {
    decoder.drop();
    arrived.clear();
    arrivedHeapBytes = 0;
    undecoded.clear();
    undecodedBytes = 0;
  }

  /** Reads on, or not, as the client may go on and as there is room. */
  void updateReading(boolean mayGoOn) {
    if (mayGoOn) {
      decodeRest();
    }
    // Without the rest of a request that is not all there nothing would ever run.
    boolean wanted = mayGoOn && undecoded.isEmpty() && (arrived.isEmpty() || !isFull());
    isHeldBack = mayGoOn && !wanted;
    if (wanted != isReading) {
      isReading = wanted;
      channel.config().setAutoRead(wanted);
      if (isHeldBack) {
        probeSoon();
      }
    }
  }

  private void probeSoon() {
    if (!isProbeSet) {
      isProbeSet = true;
      channel.eventLoop().schedule(this::probe, PROBE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Reads once: of a client that waits, nothing else tells that it is gone. */
  private void probe() {
    isProbeSet = false;
    if (!isHeldBack || isReading || undecodedBytes >= UNDECODED_BYTES_MAX || !channel.isOpen()) {
      return;
    }
    if (session.waiting() == null && server.waiting().isScarce()) {
      // Who waits for a key may do so for ever; whoever else is held back has his turn soon.
      probeSoon();
      return;
    }
    isReading = true;
    channel.config().setAutoRead(true);
  }

  private boolean isFull() {
    return arrivedBytes >= ARRIVED_BYTES_MAX
        || arrivedHeapBytes >= ARRIVED_HEAP_BYTES_MAX
        || (arrivedHeapBytes >= ARRIVED_HEAP_BYTES_SCARCE && server.waiting().isScarce());
  }
}
