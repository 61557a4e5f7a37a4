package dev.varve.server.net.connection;

import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.BlockedClients;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one client: its requests run one after the other, on its own loop, the keyspace loop
 * or a worker, and wait where they must.
 *
 * <p>Used by whoever has the turn, except where a method says otherwise.
 */
final class Turn {

  /** Whose turn it is. */
  interface Owner {

    /** Whether nobody reads any more. Any thread. */
    boolean isSocketGone();

    /** Whether the client sends no more. Any thread. */
    boolean isInputOver();

    /** The turn is back: all replies have left. Own loop. */
    void returned();

    /** The client waits, so that nothing may tell when it is gone. Own loop. */
    void closeIfReset();

    /** The turn has failed, or the socket. Any thread. */
    void tell(Throwable failure);
  }

  private final Owner owner;
  private final ConnectionContext server;
  private final ServerLoop own;
  private final ServerLoop keyspaceLoop;
  private final Session session;
  private final Replies replies;
  private final Deque<Object> requests = new ArrayDeque<>(2);
  private final TurnTime time = new TurnTime();
  private boolean hasWaited;
  private final BroughtView broughtView;
  private final PipelineReadAhead readAhead = new PipelineReadAhead();

  // Of the keyspace loop.
  private final WaitTimeout timeout;

  /** What waits for the end of a pause, or did so last. */
  private volatile @Nullable Paused paused;

  private record Paused(ServerLoop here, Runnable goesOn) {}

  Turn(Owner owner, ConnectionContext server, ServerLoop own, Session session, Replies replies) {
    this.owner = owner;
    this.server = server;
    this.own = own;
    this.keyspaceLoop = server.keyspaceLoop();
    this.session = session;
    this.replies = replies;
    this.broughtView = new BroughtView(server.keyspace().engine());
    this.timeout = new WaitTimeout(keyspaceLoop, wait -> endWaitNow(wait, wait.onTimeout()));
  }

  /** What is to run in it. */
  Deque<Object> requests() {
    return requests;
  }

  /** Begins to run them. Own loop. */
  void begin() {
    replies.beginTurn();
    run(own);
  }

  /** Runs requests one after the other, here, as far as that goes. */
  private void run(ServerLoop here) {
    try {
      time.begin();
      do {
        if (time.beginsLot()) {
          if (time.isOver() && !requests.isEmpty()) {
            replies.leave(here);
            goOnAfterOthers(here);
            return;
          }
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
    owner.tell(failure);
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
      case TO_WORKER -> aside(here, args);
      case COLD -> cold(here, args, readAhead.behind(requests));
      case TO_STREAM -> toStream(here, args);
      case DELAYED -> {
        hasWaited = true;
        server.awaitWritable(here, () -> run(here));
      }
      case AGAIN -> goOnAfterOthers(here);
      case PAUSED -> awaitUnpaused(here);
      case BLOCKED -> parked();
      case LONG -> runLong(args);
      case BEHIND_LONG -> server.keyspace().longRun().await(() -> here.execute(() -> run(here)));
      case BEHIND_WAITER ->
          server.keyspace().listeners().blocked().await(() -> here.execute(() -> run(here)));
      case DONE, TRIED -> throw new IllegalStateException("on a loop: " + outcome);
    }
    return false;
  }

  /** Others' turn comes with the next look at the sockets, and not before. */
  private void goOnAfterOthers(ServerLoop here) {
    here.executeAfterSockets(() -> run(here));
  }

  private void awaitUnpaused(ServerLoop here) {
    Paused its = new Paused(here, () -> here.execute(() -> run(here)));
    paused = its;
    server.awaitUnpaused(its.goesOn());
    if (isGone()) {
      leavePause();
    }
  }

  /**
   * As in Redis, what a client has asked for that leaves during a pause is not done. Any thread.
   */
  void leavePause() {
    Paused its = paused;
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
    Object request = requests.remove();
    MasterFeed master = session.master();
    if (master != null) {
      master.ran((Args) request);
    }
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

  private void aside(ServerLoop here, Args args) {
    server.runAside(
        session, args, here, replies, result -> goOn(here, () -> fromWorker(here, result)));
  }

  private void toStream(ServerLoop here, Args args) {
    server.runOnStream(
        session, args, here, replies, result -> goOn(here, () -> fromStream(here, result)));
  }

  private void fromStream(ServerLoop here, Workers.Result result) {
    // Its last piece may be on its way for as long as the client likes.
    replies.endTurn();
    fromWorker(here, result);
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
      server.keyspace().listeners().forgetWait(session);
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
    LongRun.Lease lease = server.keyspace().longRun().lease();
    if (lease != null) {
      server.runLong(
          session,
          args,
          lease,
          broughtView.view(),
          result -> keyspaceLoop.execute(() -> goOn(keyspaceLoop, () -> fromLong(result))));
    }
  }

  private void fromLong(Workers.Result result) {
    if (result.outcome() == Outcome.COLD) {
      broughtView.hold(result.broughtView());
      broughtView.release();
      keyspaceLoop.executor().longRuns().giveBack();
      toWorker(keyspaceLoop, (Args) requests.element(), List.of());
      return;
    }
    Runnable beside = beside(result);
    if (beside == null) {
      finishLong(result);
    } else {
      server.runBeside(
          beside, () -> keyspaceLoop.execute(() -> goOn(keyspaceLoop, () -> finishLong(result))));
    }
  }

  private @Nullable Runnable beside(Workers.Result result) {
    try {
      return keyspaceLoop.executor().longRuns().beside(result.finished());
    } catch (RuntimeException | OutOfMemoryError failure) {
      // What cannot be begun may be applied here, and if not, its client is told.
      return null;
    }
  }

  private void finishLong(Workers.Result result) {
    keyspaceLoop
        .executor()
        .longRuns()
        .finish(session, result.finished(), result.reply(), result.replyBytes());
    broughtView.hold(result.broughtView());
    if (done(keyspaceLoop)) {
      run(keyspaceLoop);
    }
  }

  // Waiting --------------------------------------------------------------------------------------

  /** What this client did may serve others, before it goes on; false if that is to be awaited. */
  private boolean serveOthers() {
    BlockedClients blocked = server.keyspace().listeners().blocked();
    if (!blocked.isServeNeeded() || server.keyspace().longRun().isRunning()) {
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
        owner.closeIfReset();
      } else {
        own.execute(owner::closeIfReset);
      }
    }
  }

  private boolean isGone() {
    return owner.isSocketGone() || owner.isInputOver() || session.isKilled();
  }

  /** Tries again to serve the client, which waits. Keyspace loop. */
  void resume() {
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
      case COLD -> toWorker(keyspaceLoop, args, List.of());
      case BLOCKED -> parked();
      case BEHIND_LONG ->
          server.keyspace().longRun().await(() -> keyspaceLoop.execute(this::resume));
      case TRIED, TO_KEYSPACE, TO_WORKER, TO_STREAM, AGAIN, DELAYED, PAUSED, LONG, BEHIND_WAITER ->
          throw new IllegalStateException("a client that waits got " + outcome);
    }
  }

  /** Answers the request that waits by {@code reply}, unless {@code wait} has ended. Any thread. */
  void endWait(Wait wait, Consumer<RespEncoder> reply) {
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
  void leaveWait() {
    Wait wait = session.waiting();
    if (wait != null && wait.isIdle()) {
      leave(keyspaceLoop);
    }
  }

  /** The client is gone, or has to go: it need not be served. */
  private void leave(ServerLoop here) {
    if (here == keyspaceLoop) {
      timeout.cancel();
      server.keyspace().listeners().forgetWait(session);
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
      owner.returned();
    } else {
      replies.thenReturn();
    }
  }
}
