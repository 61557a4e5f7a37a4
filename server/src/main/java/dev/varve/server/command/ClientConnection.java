package dev.varve.server.command;

import dev.varve.server.resp.ReplySink;
import dev.varve.server.resp.RespEncoder;
import java.util.function.Consumer;

/** The connection of a client, as the rest of the server acts on it. */
public interface ClientConnection {

  /** Of a client that has none. */
  ClientConnection NONE = new NoConnection();

  /**
   * Sends a message that is no reply and may tell of what is written: it leaves once that is
   * committed, and not before what was sent to this client earlier. Keyspace loop.
   */
  void push(Message message);

  /** Sends a message that is no reply and tells nothing of what is written. Any thread. */
  void send(Message message);

  /**
   * Begins to send it what a thread hands over piece by piece, which waits for the socket; nothing
   * else is sent any more, but for what came before. When it has been closed, or a piece has not
   * left within {@code stallMillis}, there is a {@link
   * dev.varve.server.resp.ReplyCutShortException}. Any thread.
   */
  ReplySink feed(long stallMillis);

  /** Closes it. Any thread. */
  void close();

  /**
   * Bytes of replies and messages that its socket has not taken yet. Any thread; may be a moment
   * old.
   */
  long unsentBytes();

  /** Whether a reply to it waits for a commit. Keyspace loop. */
  boolean isReplyHeld();

  /** Tries again to serve the client, which waits. Keyspace loop, while no command runs there. */
  void resume();

  /** Answers the client's request by {@code reply}, unless {@code wait} has ended. Any thread. */
  void endWait(Wait wait, Consumer<RespEncoder> reply);
}
