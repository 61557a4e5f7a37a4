package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that go on and on: their clients are closed before the heap is full. */
@Timeout(60)
class EndlessRequestTest {
  private static final int PARTS_AT_ONCE = 1_000;
  private static final int SENDS_MAX = 1_000;

  /** Of one byte each, of which a megabyte is soon full, and empty ones. */
  @ParameterizedTest
  @ValueSource(strings = {"$1|a|", "$0||", "$5000|a|"})
  void aClientThatSendsArgumentsWithoutEndIsClosed(String part) throws IOException {
    String whole = part.startsWith("$5000") ? "$5000|" + "a".repeat(5000) + "|" : part;
    try (ServerFixture fixture = new ServerFixture("client-query-buffer-limit", "1mb")) {
      RawClient endless = fixture.client();
      endless.send("*2000000000|");
      IOException end =
          assertThrows(
              IOException.class,
              () -> {
                for (int i = 0; i < SENDS_MAX; i++) {
                  endless.send(whole.repeat(PARTS_AT_ONCE));
                }
                endless.reply();
              });
      assertFalse(end instanceof SocketTimeoutException, "it is still there");
      assertEquals("+PONG|", fixture.client().ask("PING"));
    }
  }

  @Test
  void aPipelineThatIsLongerIsServed() throws IOException {
    try (ServerFixture fixture = new ServerFixture("client-query-buffer-limit", "1mb")) {
      RawClient client = fixture.client();
      String set = "SET key " + "a".repeat(1_000) + "|";
      for (int i = 0; i < 5; i++) {
        client.send(set.repeat(1_000));
        for (int reply = 0; reply < 1_000; reply++) {
          assertEquals("+OK|", client.reply());
        }
      }
    }
  }
}
