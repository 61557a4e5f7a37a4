package dev.varve.server.net.connection;

import dev.varve.server.command.ClientConnection;
import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.ReplySink;
import dev.varve.server.resp.RespEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's socket: requests in, replies out, in order.
 *
 * <p>It belongs to its own loop, except that the <em>turn</em> travels: whoever has the turn (the
 * own loop, the keyspace loop, a worker) has the session and the requests to run, and nobody else
 * touches them.
 */
final class Connection extends ChannelInboundHandlerAdapter
    implements ClientConnection, SharedHeap.Client, Turn.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** What takes less is not told: many clients send one short request and wait for its turn. */
  private static final int HELD_BYTES_MIN = 1024;

  /** For how long somebody seems to have stopped whom others have waited for. */
  private static final int SLOW_SECONDS = 10;

  private enum State {
    /** The own loop has the turn, and nothing to run. */
    IDLE,
    /** A turn is under way, here or elsewhere. */
    RUNNING,
    /** The own loop has the turn, and waits for the client to read its replies. */
    CHOKED,
    /** Over. */
    CLOSED
  }

  private final ConnectionContext server;
  private final ServerLoop own;
  private final ServerLoop keyspaceLoop;
  private final Session session;
  private final Channel channel;
  private final ClientOutput output;
  private final Replies replies;
  private final Intake intake;
  private final ResetCheck reset;

  // Of the own loop.
  private State state = State.IDLE;

  /** Whether the client was when the session was here last. */
  private boolean isAuthenticated;

  /** What those requests take on the heap that a turn was begun for. */
  private long turnHeapBytes;

  /** What was queued since MULTI when the session was here last. */
  private long queuedHeapBytes;

  /** What {@link ConnectionContext#waiting} knows of, and compares with others. */
  private volatile long heldBytes;

  /** Whether the client sends no more; set by the own loop. */
  private volatile boolean isInputOver;

  /** Of whoever has it. */
  private final Turn turn;

  Connection(ConnectionContext server, ServerLoop own, Session session, Channel channel) {
    this.server = server;
    this.own = own;
    this.keyspaceLoop = server.keyspaceLoop();
    this.session = session;
    this.channel = channel;
    this.output = new ClientOutput(server, own, session, channel);
    this.replies =
        new Replies(server, own, session, channel, output, this::unchokeSoon, this::returned);
    this.turn = new Turn(this, server, own, session, replies);
    this.reset = new ResetCheck(channel);
    session.connection(this);
    this.intake =
        new Intake(
            server,
            own,
            session,
            channel,
            this::isRestricted,
            this::isBusy,
            this::advance,
            this::roomChanged);
  }

  @Override
  public void close() {
    own.execute(output::cut);
  }

  @Override
  public void push(Message message) {
    replies.push(message);
  }

  @Override
  public long unsentBytes() {
    return output.waitingBytes();
  }

  @Override
  public void send(Message message) {
    own.execute(() -> output.sendMessage(message));
  }

  @Override
  public boolean isReplyHeld() {
    return replies.isAnyHeld();
  }

  @Override
  public ReplySink feed(long stallMillis) {
    ReplyStream stream = new ReplyStream(output, own);
    stream.begin(new Semaphore(1), stallMillis, () -> Long.MAX_VALUE);
    return stream;
  }

  @Override
  public void resume() {
    turn.resume();
  }

  @Override
  public void endWait(Wait wait, Consumer<RespEncoder> reply) {
    turn.endWait(wait, reply);
  }

  /** Whether the client has yet to authenticate, as far as is known before a turn is back. */
  private boolean isRestricted() {
    if (state == State.IDLE) {
      isAuthenticated = session.isAuthenticated() || session.isMaster();
    }
    return !isAuthenticated;
  }

  /** Whether requests have been handed over that have yet to run. */
  private boolean isBusy() {
    return state != State.IDLE || !turn.requests().isEmpty();
  }

  // What the socket says --------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    intake.read((ByteBuf) message, session.isClosing());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    ContextInternal before = own.enter();
    try {
      // Else a turn begins, at the end of which its replies tell.
      boolean isNothingBegun = state != State.IDLE || intake.isEmpty();
      if (isNothingBegun) {
        // A long request counts as use while it comes.
        session.touched(server.nowMillis());
      }
      intake.readComplete();
      updateReading();
      if (isNothingBegun) {
        closeIfReset();
      }
      noteHeld();
    } finally {
      own.leave(before);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent || event == SslCloseCompletionEvent.SUCCESS) {
      // The client sends no more, but may still read: it gets what it asked for.
      isInputOver = true;
      keyspaceLoop.execute(turn::leaveWait);
      turn.leavePause();
      advance();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      session.touched(server.nowMillis());
      output.flush();
      unchokeSoon();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    output.socketGone();
    if (state == State.CHOKED) {
      turn.requests().clear();
      state = State.IDLE;
    }
    noteHeld();
    keyspaceLoop.execute(turn::leaveWait);
    turn.leavePause();
    advance();
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
    if (cause instanceof DecoderException && cause.getCause() instanceof SSLException wrong) {
      // Whoever finds the port can have that said, as often as he likes.
      LOG.debug("client {} closed: {}", session.address(), wrong.getMessage());
    } else if (!(cause instanceof IOException)) {
      tell(cause);
    }
  }

  @Override
  public void tell(Throwable failure) {
    if (failure instanceof OutOfMemoryError) {
      // Where that was says little.
      LOG.error("client {} closed: {}", session.address(), failure.toString());
    } else {
      LOG.error("client {} failed", session.address(), failure);
    }
  }

  // Turns ----------------------------------------------------------------------------------------

  /** Begins a turn if there is something to run and nothing else is under way. Own loop. */
  private void advance() {
    if (state != State.IDLE) {
      return;
    }
    if (turn.requests().isEmpty()) {
      session.requestBytes(intake.moveTo(turn.requests()));
      turnHeapBytes = intake.takeHeapBytes();
    }
    if (turn.requests().isEmpty()) {
      closeIfOver();
      return;
    }
    state = State.RUNNING;
    turn.begin();
  }

  /** Where no reply is on its way to a client that is gone, nothing else may tell. */
  @Override
  public void closeIfReset() {
    if (reset.isSeen()) {
      output.cut();
    }
  }

  @Override
  public boolean isSocketGone() {
    return output.isSocketGone();
  }

  @Override
  public boolean isInputOver() {
    return isInputOver;
  }

  @Override
  public void returned() {
    state = replies.isFull() && !output.isSocketGone() ? State.CHOKED : State.IDLE;
    session.requestBytes(0);
    session.touched(server.nowMillis());
    noteTurn();
    updateReading();
    if (state == State.IDLE) {
      if (turn.requests().isEmpty() && intake.isEmpty()) {
        if (replies.isTurnSilent()) {
          closeIfReset();
        }
        closeIfOver();
      } else if (turn.requests().isEmpty()) {
        own.execute(this::advance);
      } else {
        // It has had its turn, and others may have sent something meanwhile.
        own.executeAfterSockets(this::advance);
      }
    }
    noteHeld();
  }

  private void unchokeSoon() {
    if (state == State.CHOKED || session.isClosing() || isInputOver) {
      own.execute(
          () -> {
            if (state == State.CHOKED && !replies.isFull()) {
              state = State.IDLE;
              updateReading();
            }
            advance();
          });
    }
  }

  private void updateReading() {
    intake.updateReading(state != State.CHOKED, turnHeapBytes);
  }

  /** There is room for what it has to send, or no longer. Own loop. */
  private void roomChanged() {
    updateReading();
    advance();
    noteHeld();
  }

  // What waits here ------------------------------------------------------------------------------

  /** Tells what its requests take that have not run, and queued commands; own loop. */
  private void noteHeld() {
    noteTurn();
    long now = intake.heapBytesHeld() + turnHeapBytes + queuedHeapBytes;
    if (now < HELD_BYTES_MIN || output.isSocketGone()) {
      // Of a socket that is gone whoever has the turn lets go.
      now = 0;
    }
    if (output.isSocketGone()) {
      intake.leaveRoom();
    }
    intake.holds(now);
    long before = heldBytes;
    if (now != before) {
      heldBytes = now;
      server.waiting().changed(this, before, now);
      if (now > before) {
        server.waiting().makeRoom(own);
      }
    }
  }

  private void noteTurn() {
    if (state != State.RUNNING) {
      queuedHeapBytes = session.queue().heapBytes();
      turnHeapBytes = turn.requests().isEmpty() ? 0 : turnHeapBytes;
    }
  }

  @Override
  public long heldBytes() {
    return heldBytes;
  }

  /** Whoever is still sending will soon be through; who has stopped may have gone. */
  @Override
  public long weight() {
    long idleMillis = Math.max(0, server.nowMillis() - session.lastUsedMillis());
    long idleSeconds = TimeUnit.MILLISECONDS.toSeconds(idleMillis);
    return heldBytes * (1 + idleSeconds + (intake.wasSlow() ? SLOW_SECONDS : 0));
  }

  @Override
  public ServerLoop own() {
    return own;
  }

  @Override
  public void closeForRoom() {
    LOG.warn(
        "client {} closed: it has sent {} bytes that cannot run yet, and there is no room for what"
            + " all have",
        session.address(),
        heldBytes);
    server.clients().countEvicted();
    output.socketGone();
    intake.drop();
    if (state == State.RUNNING) {
      keyspaceLoop.execute(turn::leaveWait);
    } else {
      // Now, not when the socket is closed: there may be many more who send.
      turn.requests().clear();
      session.queue().end();
    }
    noteHeld();
    output.cut();
  }

  // The end --------------------------------------------------------------------------------------

  /** Closes a connection that has nothing to run and nothing to say any more. Own loop. */
  private void closeIfOver() {
    if (output.isSocketGone()) {
      if (state != State.CLOSED) {
        state = State.CLOSED;
        server.clients().remove(session);
        keyspaceLoop.execute(
            () -> {
              replies.dropHeld();
              server.keyspace().forget(session);
            });
      }
      return;
    }
    // What has come before the end of the input is run, also where it has yet to be decoded.
    boolean isInputRun = isInputOver && !intake.isAnyUndecoded();
    boolean isOver = isInputRun || session.isClosing() || session.isKilled();
    if (isOver && replies.isSilent()) {
      output.flush();
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
