package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
}
