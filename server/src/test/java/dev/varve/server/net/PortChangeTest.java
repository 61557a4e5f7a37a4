package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CONFIG SET port. */
class PortChangeTest {
  private static final String REFUSED =
      "-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this"
          + " port";

  private static void assertNobodyListens(int port) {
    assertThrows(ConnectException.class, () -> new RawClient(port).close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void theServerGoesOnListeningThereAndConnectionsStay(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
      int first = fixture.server.port();
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("SET key value"));
      int second = FreePort.any();
      assertEquals("+OK|", client.ask("CONFIG SET port " + second));
      assertEquals(second, fixture.server.port());
      assertNobodyListens(first);
      assertEquals("$5|value|", client.ask("GET key"));
      // Nobody has come to the second port when it is left.
      int third = FreePort.any();
      assertEquals("+OK|", client.ask("CONFIG SET port " + third));
      assertNobodyListens(second);
      for (int i = 0; i < 6; i++) {
        assertEquals("$5|value|", fixture.client().ask("GET key"));
      }
      assertTrue(fixture.client().ask("INFO server").contains("tcp_port:" + third));
      // And back.
      assertEquals("+OK|", client.ask("CONFIG SET port " + first));
      assertNobodyListens(third);
      assertEquals("$5|value|", fixture.client().ask("GET key"));
      assertEquals("$5|value|", client.ask("GET key"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void aPortThatIsTakenChangesNothing(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", loops);
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RawClient client = fixture.client();
      String reply =
          client.ask("CONFIG SET timeout 100 port " + taken.getLocalPort() + " maxclients 77");
      assertTrue(reply.startsWith(REFUSED), reply);
      assertEquals("*2|$7|timeout|$1|0|", client.ask("CONFIG GET timeout"));
      assertEquals("*2|$10|maxclients|$5|10000|", client.ask("CONFIG GET maxclients"));
      assertEquals("+PONG|", fixture.client().ask("PING"));
      assertEquals("+OK|", client.ask("CONFIG SET port " + fixture.server.port()));
      assertEquals("+PONG|", fixture.client().ask("PING"));
    }
  }

  @Test
  void insideATransactionThePortStays() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client
          .send("MULTI|CONFIG SET timeout 5|CONFIG SET port " + FreePort.any() + "|EXEC|")
          .replies(3);
      String reply = client.reply();
      assertTrue(reply.startsWith("*2|+OK|" + REFUSED), reply);
      assertEquals("+PONG|", fixture.client().ask("PING"));
    }
  }
}
