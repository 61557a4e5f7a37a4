package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.ServerFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    return ProtectedMode.refuses(remote, at("192.0.2.1"), settings, needsNoPassword(settings));
  }

  private static boolean needsNoPassword(Settings settings) {
    return settings.text(Parameters.REQUIREPASS).isEmpty();
  }

  @Test
  void whoHasLeftAlreadyIsKnownByWhereItCameTo() throws IOException {
    assertTrue(refuses(null, ServerFixture.settings()));
    assertFalse(ProtectedMode.refuses(null, at("127.0.0.1"), ServerFixture.settings(), true));
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
    assertEquals(isFelt, ProtectedMode.isFelt(ServerFixture.settings("bind", bind), true));
    Settings settings = ServerFixture.settings("bind", bind, "requirepass", "secret");
    assertFalse(ProtectedMode.isFelt(settings, needsNoPassword(settings)));
  }
}
