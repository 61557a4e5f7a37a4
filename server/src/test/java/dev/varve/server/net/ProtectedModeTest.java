package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.Settings.ParameterException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProtectedModeTest {

  private static InetSocketAddress at(String address) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(address), 40_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "192.0.2.2", "2001:db8::1", "::ffff:10.0.0.1"})
  void withoutAPasswordOthersAreNotLetIn(String other) throws IOException {
    assertTrue(refuses(at(other), ServerFixture.settings()));
    assertFalse(refuses(at(other), ServerFixture.settings("requirepass", "secret")));
    assertFalse(refuses(at(other), ServerFixture.settings("protected-mode", "no")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"})
  void theOwnMachineIsLetInAnyway(String own) throws IOException {
    assertFalse(refuses(at(own), ServerFixture.settings()));
  }

  private static boolean refuses(@Nullable SocketAddress remote, Settings settings)
      throws IOException {
    return ProtectedMode.refuses(remote, at("192.0.2.1"), settings);
  }

  @Test
  void whoHasLeftAlreadyIsKnownByWhereItCameTo() throws IOException {
    assertTrue(refuses(null, ServerFixture.settings()));
    assertFalse(ProtectedMode.refuses(null, at("127.0.0.1"), ServerFixture.settings()));
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1,false",
    "127.0.0.1 -::1,false",
    "0.0.0.0,true",
    "*,true",
    "127.0.0.1 -::*,true",
    "127.0.0.1 192.0.2.2,true",
  })
  void itIsFeltWhereOthersCouldCome(String bind, boolean isFelt) {
    assertEquals(isFelt, ProtectedMode.isFelt(ServerFixture.settings("bind", bind)));
    Settings settings = ServerFixture.settings("bind", bind, "requirepass", "secret");
    assertFalse(ProtectedMode.isFelt(settings));
  }

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
        assertEquals(ProtectedMode.DENIED + '|', client.untilClosed());
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
        assertEquals(ProtectedMode.DENIED + '|', client.untilClosed());
      }
    }
  }

  private static Optional<InetAddress> ownAddress() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .findFirst();
  }
}
