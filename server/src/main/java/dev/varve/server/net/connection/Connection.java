package dev.varve.server.net.connection;

import dev.varve.server.command.ClientConnection;
import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.BlockedClients;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.LongScript;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
    implements ClientConnection, SharedHeap.Client {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** Replies that one turn may give at most before it looks whether the client reads. */
  static final int TURN_BYTES_MAX = 1024 * 1024;

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
  private final Replies replies;
  private final Intake intake;
  private final ResetCheck reset;

  // Of the own loop.
  private State state = State.IDLE;

  /** What those requests take on the heap that a turn was begun for. */
  private long turnHeapBytes;

  /** What was queued since MULTI when the session was here last. */
  private long queuedHeapBytes;

  /** What {@link ConnectionContext#waiting} knows of, and compares with others. */
  private volatile long heldBytes;

  /** Whether the client sends no more; set by the own loop. */
  private volatile boolean isInputOver;

  // Of whoever has the turn.
  private final Deque<Object> requests = new ArrayDeque<>(2);
  private boolean hasWaited;
  private final BroughtView broughtView;
  private final PipelineReadAhead readAhead = new PipelineReadAhead();

  // Of the keyspace loop.
  private final WaitTimeout timeout;

  /** The turn that waits for the end of a pause, or did so last. */
  private volatile @Nullable PausedTurn paused;

  private record PausedTurn(ServerLoop here, Runnable goesOn) {}

  Connection(ConnectionContext server, ServerLoop own, Session session, Channel channel) {
    this.server = server;
    this.own = own;
    this.keyspaceLoop = server.keyspaceLoop();
    this.session = session;
    this.channel = channel;
    this.replies = new Replies(server, own, session, channel, this::unchokeSoon, this::returned);
    this.broughtView = new BroughtView(server.keyspace().engine());
    this.timeout = new WaitTimeout(keyspaceLoop, wait -> endWaitNow(wait, wait.onTimeout()));
    this.reset = new ResetCheck(channel);
    session.connection(this);
    this.intake =
        new Intake(
            server, own, session, channel, this::isRestricted, this::advance, this::roomChanged);
  }

  @Override
  public void close() {
    own.execute(replies::cut);
  }

  @Override
  public void push(Message message) {
    replies.push(message);
  }

  @Override
  public long unsentBytes() {
    return replies.waitingBytes();
  }

  @Override
  public void send(Message message) {
    own.execute(() -> replies.sendMessage(message));
  }

  private boolean isRestricted() {
    return state == State.IDLE && !session.isAuthenticated();
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
    if (event instanceof ChannelInputShutdownEvent) {
      // The client sends no more, but may still read: it gets what it asked for.
      isInputOver = true;
      keyspaceLoop.execute(this::leaveWait);
      leavePause();
      advance();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      session.touched(server.nowMillis());
      replies.flush();
      unchokeSoon();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    replies.socketGone();
    if (state == State.CHOKED) {
      requests.clear();
      state = State.IDLE;
    }
    noteHeld();
    keyspaceLoop.execute(this::leaveWait);
    leavePause();
    advance();
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
    if (!(cause instanceof IOException)) {
      tell(cause);
    }
  }

  // Turns ----------------------------------------------------------------------------------------

  /** Begins a turn if there is something to run and nothing else is under way. Own loop. */
  private void advance() {
    if (state != State.IDLE) {
      return;
    }
    if (requests.isEmpty()) {
      session.requestBytes(intake.moveTo(requests));
      turnHeapBytes = intake.takeHeapBytes();
    }
    if (requests.isEmpty()) {
      closeIfOver();
      return;
    }
    state = State.RUNNING;
    replies.beginTurn();
    run(own);
  }

  /** Runs requests one after the other, here, as far as that goes. */
  private void run(ServerLoop here) {
    try {
      int ran = 0;
      do {
        if (ran++ % CommandExecutor.LOOK_AHEAD == 0) {
          here.executor().lookAhead(session, requests);
          here.executor().burstBegins();
        }
      } while (runNext(here));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      failed(here, failure);
    } finally {
      here.executor().burstEnds();
    }
  }

  /** Goes on with what was done elsewhere. */
  private void goOn(ServerLoop here, Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      failed(here, failure);
    }
  }

  /** The turn has failed: the connection ends, and its client is not left without an answer. */
  private void failed(ServerLoop here, Throwable failure) {
    replies.drop(here);
    leave(here);
    // Last: where memory has run out there may be none to tell of it.
    tell(failure);
  }

  private void tell(Throwable failure) {
    if (failure instanceof OutOfMemoryError) {
      // Where that was says little.
      LOG.error("client {} closed: {}", session.address(), failure.toString());
    } else {
      LOG.error("client {} failed", session.address(), failure);
    }
  }

  /** Runs one request; false if the turn goes elsewhere or ends. */
  private boolean runNext(ServerLoop here) {
    if (session.waiting() != null && isGone()) {
      // Served now, what it gets would be lost.
      leave(keyspaceLoop);
      return false;
    }
    Object next = requests.peek();
    if (next == null || session.isClosing() || session.isKilled()) {
      requests.clear();
      giveBack(here);
      return false;
    }
    if (next instanceof Intake.ProtocolError error) {
      if (session.isReplyWanted()) {
        here.reply().error("ERR Protocol error: " + error.what());
      }
      session.close();
      return true;
    }
    if (here == keyspaceLoop && server.held().isFull()) {
      replies.leave(here);
      server.held().await(() -> run(here));
      return false;
    }
    Args args = (Args) next;
    Outcome outcome = execute(here, args);
    if (outcome == Outcome.DONE) {
      return done(here);
    }
    replies.leave(here);
    switch (outcome) {
      case TO_KEYSPACE -> keyspaceLoop.execute(() -> run(keyspaceLoop));
      case TO_WORKER -> toWorker(here, args, readAhead.behind(requests));
      case COLD -> cold(here, args, readAhead.behind(requests));
      case TO_STREAM -> toStream(here, args);
      case DELAYED -> {
        hasWaited = true;
        server.awaitWritable(here, () -> run(here));
      }
      // Others' turn comes with the next look at the sockets, and not before.
      case AGAIN -> here.executeAfterSockets(() -> run(here));
      case PAUSED -> awaitUnpaused(here);
      case BLOCKED -> parked();
      case LONG -> runLong(args);
      case BEHIND_SCRIPT ->
          server.keyspace().longScript().await(() -> here.execute(() -> run(here)));
      case BEHIND_WAITER -> server.keyspace().blocked().await(() -> here.execute(() -> run(here)));
      case DONE, TRIED -> throw new IllegalStateException("on a loop: " + outcome);
    }
    return false;
  }

  private void awaitUnpaused(ServerLoop here) {
    PausedTurn its = new PausedTurn(here, () -> here.execute(() -> run(here)));
    paused = its;
    server.awaitUnpaused(its.goesOn());
    if (isGone()) {
      leavePause();
    }
  }

  /** As in Redis, what a client has asked for that leaves during a pause is not done. */
  private void leavePause() {
    PausedTurn its = paused;
    if (its != null && server.keyspace().activity().pause().forget(its.goesOn())) {
      its.here().execute(() -> leave(its.here()));
    }
  }

  private Outcome execute(ServerLoop here, Args args) {
    if (here != keyspaceLoop || !(broughtView.isHeld() || readAhead.isBrought())) {
      return here.executor().execute(session, args, hasWaited);
    }
    broughtView.begin();
    try {
      return here.executor().execute(session, args, hasWaited);
    } finally {
      broughtView.end();
    }
  }

  private boolean done(ServerLoop here) {
    requests.remove();
    readAhead.next();
    broughtView.release();
    if (here == keyspaceLoop) {
      timeout.cancel();
      if (!serveOthers()) {
        return false;
      }
    }
    if (replies.drainIfLong(here)) {
      giveBack(here);
      return false;
    }
    return true;
  }

  /** The loop brings what the request lacks, or a worker runs it. */
  private void cold(ServerLoop here, Args args, List<Args> behind) {
    if (!readAhead.mayLoad()) {
      toWorker(here, args, behind);
      return;
    }
    here.bring(
        session.database(),
        behind,
        isBrought -> {
          if (isBrought) {
            run(here);
          } else {
            toWorker(here, args, behind);
          }
        });
  }

  private void toWorker(ServerLoop here, Args args, List<Args> behind) {
    server.runOnWorker(
        session, args, here, replies, behind, result -> goOn(here, () -> fromWorker(here, result)));
  }

  private void toStream(ServerLoop here, Args args) {
    server.runOnStream(
        session, args, here, replies, result -> goOn(here, () -> fromWorker(here, result)));
  }

  private void fromWorker(ServerLoop here, Workers.Result result) {
    broughtView.hold(result.broughtView());
    if (result.outcome() == Outcome.TO_STREAM) {
      replies.endElsewhere(here);
      toStream(here, (Args) requests.element());
      return;
    }
    if (result.outcome() == Outcome.DONE && !isReleased()) {
      replies.add(here, result.reply(), result.replyBytes());
      server.keyspace().forgetWait(session);
      if (!done(here)) {
        return;
      }
    } else {
      replies.endElsewhere(here);
    }
    run(here);
  }

  /** Whether the client was told to wait no longer while a worker read for it. */
  private boolean isReleased() {
    Wait wait = session.waiting();
    return wait != null && wait.isReleased();
  }

  private void runLong(Args args) {
    LongScript.Lease lease = server.keyspace().longScript().lease();
    broughtView.release();
    if (lease != null) {
      server.runLong(
          session,
          args,
          lease,
          result -> keyspaceLoop.execute(() -> goOn(keyspaceLoop, () -> fromLong(result))));
    }
  }

  private void fromLong(Workers.Result result) {
    keyspaceLoop.executor().finish(session, result.finished(), result.reply(), result.replyBytes());
    broughtView.hold(result.broughtView());
    if (done(keyspaceLoop)) {
      run(keyspaceLoop);
    }
  }

  // Waiting --------------------------------------------------------------------------------------

  /** What this client did may serve others, before it goes on; false if that is to be awaited. */
  private boolean serveOthers() {
    BlockedClients blocked = server.keyspace().blocked();
    if (!blocked.isServeNeeded() || server.keyspace().longScript().isRunning()) {
      return true;
    }
    replies.leave(keyspaceLoop);
    return blocked.serve(() -> keyspaceLoop.execute(this::othersServed));
  }

  private void othersServed() {
    if (serveOthers()) {
      run(keyspaceLoop);
    }
  }

  /** The client waits: nothing runs until it is served, or its time is over, or it is gone. */
  private void parked() {
    hasWaited = false;
    broughtView.release();
    Wait wait = session.waiting();
    if (wait == null) {
      return;
    }
    if (isGone()) {
      leave(keyspaceLoop);
    } else {
      timeout.begin(wait);
      if (own == keyspaceLoop) {
        closeIfReset();
      } else {
        own.execute(this::closeIfReset);
      }
    }
  }

  /** Where no reply is on its way to a client that is gone, nothing else may tell. Own loop. */
  private void closeIfReset() {
    if (reset.isSeen()) {
      replies.cut();
    }
  }

  private boolean isGone() {
    return replies.isSocketGone() || isInputOver || session.isKilled();
  }

  @Override
  public void resume() {
    // Whatever becomes of it: others are served behind it.
    goOn(keyspaceLoop, this::tryAgain);
  }

  private void tryAgain() {
    if (isGone()) {
      leave(keyspaceLoop);
      return;
    }
    Args args = (Args) requests.element();
    Outcome outcome = execute(keyspaceLoop, args);
    // Also what an attempt in vain has told its client of: the next one's reply is another's.
    replies.leave(keyspaceLoop);
    switch (outcome) {
      case DONE -> waitIsOver();
      case COLD, TO_WORKER -> toWorker(keyspaceLoop, args, List.of());
      case BLOCKED -> parked();
      case TRIED,
          TO_KEYSPACE,
          TO_STREAM,
          AGAIN,
          DELAYED,
          PAUSED,
          LONG,
          BEHIND_SCRIPT,
          BEHIND_WAITER ->
          throw new IllegalStateException("a client that waits got " + outcome);
    }
  }

  @Override
  public void endWait(Wait wait, Consumer<RespEncoder> reply) {
    keyspaceLoop.execute(() -> endWaitNow(wait, reply));
  }

  private void endWaitNow(Wait wait, Consumer<RespEncoder> reply) {
    if (session.waiting() == wait && wait.isIdle()) {
      keyspaceLoop.executor().endWait(session, wait, reply);
      replies.leave(keyspaceLoop);
      waitIsOver();
    }
  }

  private void waitIsOver() {
    requests.remove();
    readAhead.next();
    timeout.cancel();
    // What it sent meanwhile runs after those that are being served.
    keyspaceLoop.execute(() -> run(keyspaceLoop));
  }

  /** The client is gone, or will say no more: it need not be served. Keyspace loop. */
  private void leaveWait() {
    Wait wait = session.waiting();
    if (wait != null && wait.isIdle()) {
      leave(keyspaceLoop);
    }
  }

  /** The client is gone, or has to go: it need not be served. */
  private void leave(ServerLoop here) {
    if (here == keyspaceLoop) {
      timeout.cancel();
      server.keyspace().forgetWait(session);
    }
    requests.clear();
    session.close();
    giveBack(here);
  }

  /** Ends the turn: it is the own loop's again once all replies have left. */
  private void giveBack(ServerLoop here) {
    replies.leave(here);
    hasWaited = false;
    broughtView.release();
    if (here == own) {
      returned();
    } else {
      replies.thenReturn();
    }
  }

  /** The turn is back. Own loop. */
  private void returned() {
    state = replies.isFull() && !replies.isSocketGone() ? State.CHOKED : State.IDLE;
    session.requestBytes(0);
    session.touched(server.nowMillis());
    noteTurn();
    updateReading();
    if (state == State.IDLE) {
      if (requests.isEmpty() && intake.isEmpty()) {
        if (replies.isTurnSilent()) {
          closeIfReset();
        }
        closeIfOver();
      } else if (requests.isEmpty()) {
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
    if (now < HELD_BYTES_MIN || replies.isSocketGone()) {
      // Of a socket that is gone whoever has the turn lets go.
      now = 0;
    }
    if (replies.isSocketGone()) {
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
      turnHeapBytes = requests.isEmpty() ? 0 : turnHeapBytes;
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
    replies.socketGone();
    intake.drop();
    if (state == State.RUNNING) {
      keyspaceLoop.execute(this::leaveWait);
    } else {
      // Now, not when the socket is closed: there may be many more who send.
      requests.clear();
      session.queue().end();
    }
    noteHeld();
    replies.cut();
  }

  // The end --------------------------------------------------------------------------------------

  /** Closes a connection that has nothing to run and nothing to say any more. Own loop. */
  private void closeIfOver() {
    if (replies.isSocketGone()) {
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
    boolean isOver = isInputOver || session.isClosing() || session.isKilled();
    if (isOver && replies.isSilent()) {
      replies.flush();
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
