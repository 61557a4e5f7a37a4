package dev.varve.server.command.listen;

import dev.varve.server.command.Message;
import dev.varve.server.resp.RespEncoder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message for many clients that is no reply, encoded once for each version of the protocol.
 *
 * <p>Used by one thread.
 */
final class PushMessage {
  private final RespEncoder encoder;
  private final Consumer<RespEncoder> content;
  private @Nullable Message old;
  private @Nullable Message modern;

  /**
   * @param encoder of this thread, and empty
   * @param content writes the message, from its {@code push} on
   */
  PushMessage(RespEncoder encoder, Consumer<RespEncoder> content) {
    this.encoder = encoder;
    this.content = content;
  }

  /** The message for a client of this protocol. */
  Message of(int protocol) {
    Message message = protocol == RespEncoder.PROTOCOL_MIN ? old : modern;
    if (message == null) {
      try {
        encoder.protocol(protocol);
        content.accept(encoder);
        message = new Message(encoder.toByteArray());
      } finally {
        // Also where memory runs out: what stays would be a part of the next message.
        encoder.clear(0);
      }
      if (protocol == RespEncoder.PROTOCOL_MIN) {
        old = message;
      } else {
        modern = message;
      }
    }
    return message;
  }
}
