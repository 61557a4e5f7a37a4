package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindAddressTest {

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
  void theAddressThatCoversTheOthersComesFirst() throws ConfigException {
    Settings settings = new Settings();
    settings.set(Parameters.BIND, "* 127.0.0.1 -::*");
    List<BindAddress> all = BindAddress.all(settings);
    assertEquals(
        List.of("::", "0.0.0.0", "127.0.0.1"), all.stream().map(BindAddress::host).toList());
    assertTrue(all.get(0).isAll());
  }
}
