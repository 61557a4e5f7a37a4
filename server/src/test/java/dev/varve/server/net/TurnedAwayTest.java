package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings.ParameterException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TurnedAwayTest {

  /** The one server under test that does not listen on loopback: who comes is turned away. */
  @Test
  void whoIsNotLetInIsToldCountedAndClosedUntilTheModeIsOff()
      throws IOException, ParameterException {
    Optional<InetAddress> own = ownAddress();
    assumeTrue(own.isPresent(), "no address but loopback");
    InetAddress address = own.get();
    try (ServerFixture fixture = new ServerFixture("bind", address.getHostAddress())) {
      int port = fixture.server.port();
      try (RawClient client = new RawClient(address, port)) {
        assertIsDenied(client.untilClosed());
      }
      assertEquals(1, fixture.server.clients().rejected());
      assertEquals(0, fixture.server.clients().accepted());
      fixture.settings.set(Map.of(Parameters.PROTECTED_MODE, "no"));
      try (RawClient client = new RawClient(address, port)) {
        assertEquals("+PONG|", client.ask("PING"));
        assertEquals("+OK|", client.ask("CONFIG SET protected-mode yes"));
        // Who is in stays in.
        assertEquals("*2|$14|protected-mode|$3|yes|", client.ask("CONFIG GET protected-mode"));
      }
      try (RawClient client = new RawClient(address, port)) {
        assertIsDenied(client.untilClosed());
      }
    }
  }

  private static void assertIsDenied(String reply) {
    assertTrue(reply.startsWith("-DENIED This server has no password"), reply);
    assertTrue(reply.endsWith(" come from there.|"), reply);
  }

  private static Optional<InetAddress> ownAddress() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .findFirst();
  }
}
