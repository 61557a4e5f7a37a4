package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.server.net.commit.HeldReplies;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.RespEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;

/**
 * One connection's replies on their way from the encoders of the loops to its {@link ClientOutput}:
 * held back until their commit is done, never overtaking each other, bounded by turn.
 *
 * <p>Each method says whose it is: <em>here</em> is the loop that has the connection's turn.
 */
final class Replies implements GroupCommit.Waiter, HeldReplies.Target {

  /** Replies are moved out of the loop's encoder when they are this long together. */
  private static final int DRAIN_BYTES = 64 * 1024;

  /** Replies that one turn may give at most before it looks whether the client reads. */
  private static final int TURN_BYTES_MAX = 1024 * 1024;

  /** What all clients together should be replied in one pass. */
  private static final int PASS_BYTES_MAX =
      (int) Math.min(16 * 1024 * 1024, Runtime.getRuntime().maxMemory() / 4);

  /** What an encoder keeps of its array after a large reply. */
  private static final int ENCODER_BYTES_KEPT = 256 * 1024;

  private final ConnectionContext server;
  private final ServerLoop own;
  private final ServerLoop keyspaceLoop;
  private final Session session;
  private final Channel channel;
  private final ClientOutput output;
  private final Runnable onRoom;
  private final Runnable onReturn;
  // Of whoever has the turn.
  private int turnBytes;

  /** From which on the next client has its turn. */
  private int turnBytesMax;

  /** Whether the own loop was told to let messages wait. */
  private boolean isMadeElsewhere;

  // Of the keyspace loop.
  private final HeldReplies held;
  private boolean isReplyReleased;

  /** What the last reply of the turn that is to be handed back waits for; 0 if none is. */
  private long returnTicket;

  /**
   * @param output what it all goes to
   * @param onRoom called on the own loop when held replies have left
   * @param onReturn called on the own loop, as {@link #thenReturn} says
   */
  Replies(
      ConnectionContext server,
      ServerLoop own,
      Session session,
      Channel channel,
      ClientOutput output,
      Runnable onRoom,
      Runnable onReturn) {
    this.server = server;
    this.own = own;
    this.keyspaceLoop = server.keyspaceLoop();
    this.session = session;
    this.channel = channel;
    this.output = output;
    this.onRoom = onRoom;
    this.onReturn = onReturn;
    this.held = new HeldReplies(server.held());
  }

  // Whoever has the turn ----------------------------------------------------------------------

  /** Begins to count what a turn replies. */
  void beginTurn() {
    turnBytes = 0;
    turnBytesMax = turnBytesMax(server.clients().count());
  }

  /**
   * What one turn may reply beside so many clients: in one pass all of them may have a turn, and
   * leave what they are replied unread.
   */
  private static int turnBytesMax(int clients) {
    int share = PASS_BYTES_MAX / Math.max(1, clients);
    return Math.max(DRAIN_BYTES, Math.min(TURN_BYTES_MAX, share));
  }

  /** What is replied next ends the turn: it is to be looked whether the client reads. */
  void endTurn() {
    turnBytes = turnBytesMax;
  }

  /** Whether the turn has replied nothing so far, as after CLIENT REPLY OFF. */
  boolean isTurnSilent() {
    return turnBytes == 0;
  }

  /** Moves replies on if they have become long, and returns whether this turn gave enough. Here. */
  boolean drainIfLong(ServerLoop here) {
    if (here.reply().length() >= DRAIN_BYTES) {
      drain(here);
    }
    return turnBytes >= turnBytesMax;
  }

  /**
   * A worker begins to make a reply of what is published by now. Of what is written meanwhile its
   * client is told behind it: who caches would else keep what was there before. Here, with nothing
   * held that came before.
   */
  void beginElsewhere(ServerLoop here) {
    isMadeElsewhere = session.isSubscriber() || session.tracking().isOn();
    if (isMadeElsewhere) {
      onOwn(here, output::awaitReply);
    }
  }

  /** It made none. Here. */
  void endElsewhere(ServerLoop here) {
    if (isMadeElsewhere) {
      isMadeElsewhere = false;
      onOwn(here, output::endReply);
    }
  }

  /** Adds a reply that was encoded elsewhere, the first bytes of an array. Here. */
  void add(ServerLoop here, byte[] reply, int bytes) {
    if (isMadeElsewhere) {
      turnBytes += Math.min(bytes, TURN_BYTES_MAX);
      // It waits for no commit, for it tells of what is published.
      ByteBuf its = Unpooled.wrappedBuffer(reply, 0, bytes);
      onOwn(here, () -> output.sendNow(its));
      endElsewhere(here);
    } else if (bytes <= DRAIN_BYTES) {
      here.reply().raw(reply, bytes);
    } else if (!output.isSocketGone()) {
      drain(here);
      route(here, Unpooled.wrappedBuffer(reply, 0, bytes));
    }
  }

  /** A long reply that begins now, after what was replied so far. Here. */
  ReplyStream stream() {
    return new ReplyStream(output, own);
  }

  /** Sends off what was replied so far, because the turn goes elsewhere. Here. */
  void leave(ServerLoop here) {
    drain(here);
    if (here == own) {
      output.flush();
    }
  }

  /** Forgets what was encoded and not yet drained. Here. */
  void drop(ServerLoop here) {
    here.reply().clear(ENCODER_BYTES_KEPT);
  }

  /** Hands the turn back to the own loop once all replies have been released. Keyspace loop. */
  void thenReturn() {
    if (held.isEmpty()) {
      own.execute(onReturn);
    } else {
      returnTicket = held.lastTicket();
    }
  }

  /** Moves replies from the encoder of this loop towards the socket. */
  private void drain(ServerLoop here) {
    RespEncoder encoder = here.reply();
    int bytes = encoder.length();
    if (bytes == 0 || output.isSocketGone()) {
      // What was taken back may have been long.
      encoder.clear(ENCODER_BYTES_KEPT);
      return;
    }
    route(here, take(encoder, bytes));
  }

  private void route(ServerLoop here, ByteBuf reply) {
    turnBytes += Math.min(reply.readableBytes(), TURN_BYTES_MAX);
    if (here == keyspaceLoop) {
      long ticket = server.commit().ticket();
      if (ticket != 0 || !held.isEmpty()) {
        beginToHold();
        held.add(reply, ticket);
        return;
      }
    }
    if (here == own) {
      output.send(reply);
    } else {
      own.execute(
          () -> {
            output.send(reply);
            output.flush();
          });
    }
  }

  private void onOwn(ServerLoop here, Runnable task) {
    if (here == own) {
      task.run();
    } else {
      own.execute(task);
    }
  }

  private ByteBuf take(RespEncoder encoder, int bytes) {
    if (bytes > ENCODER_BYTES_KEPT) {
      return Unpooled.wrappedBuffer(encoder.detach(), 0, bytes);
    }
    try {
      return channel.alloc().directBuffer(bytes).writeBytes(encoder.array(), 0, bytes);
    } finally {
      // Also when memory has run out: what stays would be the next client's.
      encoder.clear(ENCODER_BYTES_KEPT);
    }
  }

  // The keyspace loop -------------------------------------------------------------------------

  private void beginToHold() {
    if (held.isEmpty()) {
      server.commit().add(this);
    }
  }

  /** Sends a message that is no reply, after what is held back. Keyspace loop. */
  void push(Message message) {
    if (output.isSocketGone()) {
      return;
    }
    long ticket = server.commit().ticket();
    if (ticket != 0 || !held.isEmpty()) {
      beginToHold();
      held.add(message, ticket);
      long bytes = held.bytes();
      if (output.isTooMuch(bytes)) {
        own.execute(() -> output.closeFor(bytes));
      }
    } else if (own == keyspaceLoop) {
      output.sendMessage(message);
    } else {
      own.execute(() -> output.sendMessage(message));
    }
  }

  @Override
  public boolean released(long ticket) {
    isReplyReleased = false;
    held.release(ticket, this);
    if (own == keyspaceLoop) {
      if (isReplyReleased) {
        output.flush();
      } else {
        // Thousands may get a message, and to flush takes a call of the system.
        output.flushSoon();
      }
      onRoom.run();
    } else {
      own.execute(output::flush);
      returnIfHeld();
    }
    return held.isEmpty();
  }

  @Override
  public void reply(ByteBuf released) {
    isReplyReleased = true;
    if (own == keyspaceLoop) {
      output.send(released);
    } else {
      own.execute(() -> output.send(released));
    }
  }

  @Override
  public void message(Message released) {
    if (own == keyspaceLoop) {
      output.send(released);
    } else {
      own.execute(() -> output.send(released));
    }
  }

  @Override
  public void failed() {
    held.drop();
    own.execute(channel::close);
    returnIfHeld();
  }

  private void returnIfHeld() {
    // Messages that came behind may wait for the next commit, and others behind them for ever.
    if (returnTicket != 0 && !held.isAnyUpTo(returnTicket)) {
      returnTicket = 0;
      own.execute(onReturn);
    }
  }

  /** Whether any wait for their commit. Keyspace loop. */
  boolean isAnyHeld() {
    return !held.isEmpty();
  }

  /** Forgets replies that wait for their commit. Keyspace loop. */
  void dropHeld() {
    held.drop();
  }

  // The own loop ------------------------------------------------------------------------------

  /** Whether the client should read before it is given more. */
  boolean isFull() {
    return output.isFull() || (own == keyspaceLoop && held.bytes() >= TURN_BYTES_MAX);
  }

  /** Whether nothing is on its way. */
  boolean isSilent() {
    return output.isEmpty() && (own != keyspaceLoop || held.isEmpty());
  }
}
