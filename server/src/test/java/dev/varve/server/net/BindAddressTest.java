package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class BindAddressTest {
  /** Of a range that is for documentation (RFC 5737): no machine has it. */
  private static final String ELSEWHERE = "203.0.113.7";

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1,127.0.0.1,false",
    "-::1,::1,true",
    "*,0.0.0.0,false",
    "-::*,::,true",
    "-,-,false",
  })
  void addressesAreThoseOfRedis(String word, String host, boolean isOptional) {
    assertEquals(new BindAddress(host, isOptional), BindAddress.of(word));
  }

  /** Tried by hand only: servers under test listen on loopback. */
  @Test
  void theAddressThatCoversTheOthersComesFirst() throws IOException {
    List<BindAddress> all = BindAddress.all(ServerFixture.settings("bind", "* 127.0.0.1 -::*"));
    assertEquals(
        List.of("::", "0.0.0.0", "127.0.0.1"), all.stream().map(BindAddress::host).toList());
    assertTrue(all.get(0).isAll());
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
}
