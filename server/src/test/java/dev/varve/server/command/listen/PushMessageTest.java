package dev.varve.server.command.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.server.resp.RespEncoder;
import org.junit.jupiter.api.Test;

class PushMessageTest {
  private final RespEncoder encoder = new RespEncoder();

  @Test
  void nothingOfAMessageThatMemoryRanOutInIsInTheNext() {
    PushMessage large =
        new PushMessage(
            encoder,
            reply -> {
              reply.push(2);
              throw new OutOfMemoryError("as a test wants it");
            });
    assertThrows(OutOfMemoryError.class, () -> large.of(2));
    PushMessage next = new PushMessage(encoder, reply -> reply.bulk("next"));
    assertEquals("$4\r\nnext\r\n", new String(next.of(2).bytes(), US_ASCII));
  }
}
