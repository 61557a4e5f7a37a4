package dev.varve.server.net.connection;

import dev.varve.server.command.MasterFeed;
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

  /**
   * How much may come of a request before the rest needs a place among the long ones. Who sends
   * less is bounded by {@link ConnectionContext#waiting} alone.
   */
  private static final long FREE_BYTES =
      Math.min(256 * 1024, Math.max(1024, Runtime.getRuntime().maxMemory() / 32 / 1024));

  /** Whoever was slow is given room for so many times what has come, as the decoder takes it. */
  private static final int SLOW_GROWTH = 4;

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
  private final BooleanSupplier isBusy;
  private final Runnable onArrival;
  private final RespDecoder decoder;
  private final Deque<Object> arrived = new ArrayDeque<>(2);
  private int arrivedBytes;

  /** What those that have arrived take on the heap. */
  private long arrivedHeapBytes;

  /** What has come behind those when they were too many. */
  private final Deque<byte[]> undecoded = new ArrayDeque<>(0);

  private long undecodedBytes;

  /** Whether what has come is being decoded: the first part of it to its end, before the next. */
  private boolean isDecoding;

  private boolean isReading = true;

  private final RequestRoom.Place place;

  /** Whether there is room for the rest of what is not all here. */
  private boolean hasRoom = true;

  /** Whether nothing but the client can bring on what has a place; set by the own loop. */
  private volatile boolean isClientsTurn;

  /** Whether it is held back for no other reason than that it is full, or that there is no room. */
  private boolean isHeldBack;

  private boolean isProbeSet;

  /**
   * @param isRestricted whether the client has yet to authenticate
   * @param isBusy whether what has been handed over has not all run
   * @param onArrival called when what has arrived may run
   * @param onRoom called when room that is waited for is there, or is no longer
   */
  Intake(
      ConnectionContext server,
      ServerLoop own,
      Session session,
      Channel channel,
      BooleanSupplier isRestricted,
      BooleanSupplier isBusy,
      Runnable onArrival,
      Runnable onRoom) {
    this.server = server;
    this.arrivals = own.arrivals();
    this.session = session;
    this.channel = channel;
    this.isRestricted = isRestricted;
    this.isBusy = isBusy;
    this.onArrival = onArrival;
    this.decoder = new RespDecoder(own.scratch(), isRestricted, () -> server.bulkBytesMax(session));
    this.place =
        server.requestRoom().place(() -> own.execute(onRoom), () -> isClientsTurn || isWaiting());
  }

  /** Takes bytes from the socket, and releases them. */
  void read(ByteBuf in, boolean isDropped) {
    try {
      int bytes = in.readableBytes();
      server.traffic().in(bytes);
      place.came(bytes);
      if (isDropped) {
        return;
      }
      if (!undecoded.isEmpty() || !mayDecode() || awaitsTurn()) {
        undecoded.add(rest(in));
      } else {
        decode(in);
      }
    } finally {
      in.release();
    }
  }

  private byte[] rest(ByteBuf in) {
    byte[] rest = new byte[in.readableBytes()];
    in.readBytes(rest);
    undecodedBytes += rest.length;
    return rest;
  }

  private void decode(ByteBuf in) {
    int bytes = in.readableBytes();
    isDecoding = true;
    try {
      decoder.decode(in, this);
    } finally {
      isDecoding = false;
    }
    arrivedBytes += bytes - in.readableBytes();
    if (in.isReadable()) {
      undecoded.addFirst(rest(in));
    }
    arrivedHeapBytes += decoder.takeRequestBytes();
    closeIfEndless();
  }

  private boolean mayDecode() {
    // Without the rest of a request that is not all there nothing would ever run.
    return hasRoom && (arrived.isEmpty() || !isFull());
  }

  /** Whether something has yet to run which decides what the client may announce next. */
  private boolean awaitsTurn() {
    return isRestricted.getAsBoolean() && (!arrived.isEmpty() || isBusy.getAsBoolean());
  }

  private void closeIfEndless() {
    long held = decoder.bytesHeld();
    // Most requests end in the buffer that they came in.
    if (held > 0 && held > server.requestBytesMax(session)) {
      LOG.warn(
          "client {} is closed: its request takes {} bytes so far (client-query-buffer-limit)",
          session.address(),
          held);
      MasterFeed master = session.master();
      if (master != null) {
        // It would be asked for again for ever.
        master.notCarriedOut("there is no room for a request of " + held + " bytes and more");
      }
      channel.close();
    }
  }

  @Override
  public void request(Args args) {
    arrived.add(args);
    if (isRestricted.getAsBoolean()) {
      // What the client may announce next depends on what this does, here or elsewhere.
      onArrival.run();
      if (awaitsTurn()) {
        decoder.pause();
      }
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

  /** Whether more has come than has been decoded. */
  boolean isAnyUndecoded() {
    return isDecoding || !undecoded.isEmpty();
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
    leaveRoom();
    decoder.drop();
    arrived.clear();
    arrivedHeapBytes = 0;
    undecoded.clear();
    undecodedBytes = 0;
  }

  /**
   * Reads on, or not, as the client may go on and as there is room.
   *
   * @param turnHeapBytes what its requests take on the heap that are being run
   */
  void updateReading(boolean mayGoOn, long turnHeapBytes) {
    if (isDecoding) {
      // A turn has been and is over within that, and this is called again behind it.
      return;
    }
    askForRoom(turnHeapBytes);
    while (mayGoOn && !undecoded.isEmpty() && mayDecode() && !awaitsTurn()) {
      // On with what was left as it came.
      byte[] rest = undecoded.remove();
      undecodedBytes -= rest.length;
      decode(Unpooled.wrappedBuffer(rest));
      askForRoom(turnHeapBytes);
    }
    boolean wanted = mayGoOn && undecoded.isEmpty() && mayDecode();
    isHeldBack = mayGoOn && !wanted;
    isClientsTurn = !mayGoOn || (wanted && isLong());
    if (wanted != isReading) {
      isReading = wanted;
      channel.config().setAutoRead(wanted);
      if (isHeldBack) {
        probeSoon();
      }
    }
  }

  private void askForRoom(long turnHeapBytes) {
    long here = arrivedHeapBytes + turnHeapBytes;
    if (isLong() && channel.isOpen()) {
      long announced = decoder.heapBytesAnnounced();
      long room =
          place.wasSlow() ? Math.min(announced, SLOW_GROWTH * decoder.heapBytesHeld()) : announced;
      hasRoom = place.ask(here + room);
    } else {
      // It stays as long as what it is for: that may be a while, if writes wait.
      place.keep(here < FREE_BYTES || !channel.isOpen() ? 0 : here);
      hasRoom = true;
    }
  }

  /** Whether the request that is not all here needs a place. */
  private boolean isLong() {
    return decoder.bytesHeld() >= FREE_BYTES;
  }

  /** Whether it has kept others waiting by sending nothing, and still does. */
  boolean wasSlow() {
    return place.wasSlow();
  }

  /** So much of what the client has sent is on the heap. */
  void holds(long heapBytes) {
    place.holds(heapBytes);
  }

  /** The client is gone. */
  void leaveRoom() {
    place.keep(0);
  }

  private void probeSoon() {
    if (!isProbeSet) {
      isProbeSet = true;
      channel.eventLoop().schedule(this::probe, PROBE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void probe() {
    isProbeSet = false;
    if (!isHeldBack || isReading || !channel.isOpen()) {
      return;
    }
    if (!hasRoom && !place.wasSlow()) {
      // It would go on if it could: nobody is to take it for idle.
      session.touched(server.nowMillis());
    }
    if (undecodedBytes < UNDECODED_BYTES_MAX && mayReadAhead()) {
      isReading = true;
      channel.config().setAutoRead(true);
    } else if (undecodedBytes < UNDECODED_BYTES_MAX || !hasRoom) {
      probeSoon();
    }
  }

  /** Whether to read once: of a client that waits, nothing else tells that it is gone. */
  private boolean mayReadAhead() {
    // Who waits for a key may do so for ever; whoever else is held back has his turn soon.
    return isWaiting() || (hasRoom && !server.waiting().isScarce());
  }

  private boolean isWaiting() {
    return session.waiting() != null;
  }

  private boolean isFull() {
    return arrivedBytes >= ARRIVED_BYTES_MAX
        || arrivedHeapBytes >= ARRIVED_HEAP_BYTES_MAX
        || (arrivedHeapBytes >= ARRIVED_HEAP_BYTES_SCARCE && server.waiting().isScarce());
  }
}
