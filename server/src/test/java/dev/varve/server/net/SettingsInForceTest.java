package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsInForceTest {
  private static final String TIMES_OF_GET = "latency_percentiles_usec_get:";

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whatTheServerIsStartedWithHoldsForEachExecutor(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("latency-tracking", "no", "io-threads", loops)) {
      for (int i = 0; i < 2; i++) {
        fixture.client().ask("GET key");
      }
      RawClient client = fixture.client();
      client.ask("CONFIG SET latency-tracking yes");
      assertFalse(client.ask("INFO latencystats").contains(TIMES_OF_GET), "times of before");
      client.ask("GET key");
      assertTrue(client.ask("INFO latencystats").contains(TIMES_OF_GET));
    }
  }

  @Test
  void thePolicyThatIsSelectedSaysWhatIsToldOfUses() throws IOException {
    try (ServerFixture fixture = new ServerFixture("maxmemory-policy", "allkeys-lfu")) {
      RawClient client = fixture.client();
      client.ask("CONFIG SET lfu-log-factor 0");
      client.ask("SET key 1");
      client.ask("GET key");
      assertEquals(":7|", client.ask("OBJECT FREQ key"));
      client.ask("CONFIG SET maxmemory-policy volatile-ttl");
      assertEquals(":0|", client.ask("OBJECT IDLETIME key"));
      client.ask("CONFIG SET maxmemory-policy volatile-lfu");
      assertEquals(":5|", client.ask("OBJECT FREQ key"), "counts from here on");
    }
  }
}
