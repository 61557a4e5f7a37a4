package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.FreePort;
import dev.varve.server.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ListenersTest {
  /** Of a range that is for documentation (RFC 5737): no machine has it. */
  private static final String ELSEWHERE = "203.0.113.7";

  private static final int TIMES = 3_000;

  /** Who connects while a server starts tries again if it is refused, and not if it is reset. */
  @Test
  void askingForAPortTakesNobodyOnIt() throws IOException, InterruptedException {
    int port = FreePort.any();
    Settings settings = ServerFixture.settings("port", Integer.toString(port));
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger taken = new AtomicInteger();
    Thread client = new Thread(() -> connectUntil(isOver, port, taken));
    client.start();
    try {
      for (int i = 0; i < TIMES; i++) {
        Listeners.require(settings);
      }
    } finally {
      isOver.set(true);
      client.join();
    }
    assertEquals(0, taken.get(), "connections that were taken by nobody");
  }

  @Test
  void aPortThatSomebodyListensOnIsNotToBeHad() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(other.getLocalPort());
      IOException refused =
          assertThrows(
              IOException.class, () -> Listeners.require(ServerFixture.settings("port", port)));
      assertTrue(String.valueOf(refused.getMessage()).contains("in use"), refused::toString);
    }
  }

  @Test
  void anOptionalAddressThatTheMachineDoesNotHaveIsDoneWithout() throws IOException {
    try (ServerFixture fixture = new ServerFixture("bind", "127.0.0.1 -" + ELSEWHERE)) {
      assertEquals("+PONG|", fixture.client().ask("PING"));
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1 " + ELSEWHERE, "-" + ELSEWHERE})
  void aServerWithoutAnAddressItNeedsDoesNotStart(String bind) {
    IOException refused =
        assertThrows(IOException.class, () -> new ServerFixture("bind", bind).close());
    assertTrue(
        String.valueOf(refused.getMessage()).startsWith("cannot listen on " + ELSEWHERE),
        refused::toString);
  }

  private static void connectUntil(AtomicBoolean isOver, int port, AtomicInteger taken) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    while (!isOver.get()) {
      try (Socket socket = new Socket()) {
        socket.connect(address);
        taken.incrementAndGet();
      } catch (IOException refused) {
        // As it should be.
      }
    }
  }
}
