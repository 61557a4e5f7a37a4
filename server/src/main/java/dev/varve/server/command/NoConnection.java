package dev.varve.server.command;

import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.ReplySink;
import dev.varve.server.resp.RespEncoder;
import java.util.function.Consumer;

/** Does nothing that is asked of it, for a client that has no connection. */
public class NoConnection implements ClientConnection {
  @Override
  public void push(Message message) {}

  @Override
  public void send(Message message) {}

  @Override
  public ReplySink feed(long stallMillis) {
    throw new ReplyCutShortException("there is no connection");
  }

  @Override
  public void close() {}

  @Override
  public long unsentBytes() {
    return 0;
  }

  @Override
  public boolean isReplyHeld() {
    return false;
  }

  @Override
  public void resume() {}

  @Override
  public void endWait(Wait wait, Consumer<RespEncoder> reply) {}
}
