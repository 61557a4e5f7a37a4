package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ListenerTest {
  private final EmbeddedChannel listening = new EmbeddedChannel();
  private final Listener listener = new Listener(Map.of(), listening.eventLoop());

  private void take() {
    listener.took(new EmbeddedChannel(listening, DefaultChannelId.newInstance(), true, false));
  }

  /** It is one line of the log, without the pages that Netty writes of what nobody handles. */
  @Test
  void aConnectionThatCannotBeTakenForWantOfADescriptorIsNoUnhandledFailure() {
    take();
    take();
    listening.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    assertDoesNotThrow(listening::checkException);
  }

  @Test
  void anyOtherFailureOfTheListeningSocketStaysUnhandled() {
    take();
    listening.pipeline().fireExceptionCaught(new IllegalStateException("a mistake"));
    assertThrows(IllegalStateException.class, listening::checkException);
  }
}
