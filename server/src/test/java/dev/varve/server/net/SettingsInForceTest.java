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

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void howLongAnArgumentMayBeHoldsForConnectionsThatAreOpen(String loops) throws IOException {
    String longer = "*3|$3|SET|$1|k|$2000000|" + "x".repeat(2_000_000) + "|";
    try (ServerFixture fixture =
        new ServerFixture("proto-max-bulk-len", "1mb", "io-threads", loops)) {
      RawClient first = fixture.client();
      RawClient second = fixture.client();
      assertEquals("+PONG|+PONG|", first.ask("PING") + second.ask("PING"));
      assertEquals("+OK|", fixture.client().ask("CONFIG SET proto-max-bulk-len 10mb"));
      assertEquals("+OK|", first.send(longer).reply());
      assertEquals("+OK|", fixture.client().ask("CONFIG SET proto-max-bulk-len 1mb"));
      second.send("*3|$3|SET|$1|k|$2000000|");
      assertEquals("-ERR Protocol error: invalid bulk length|", second.untilClosed());
    }
  }

  @Test
  void noStringIsMadeLongerThanAnArgumentMayBe() throws IOException {
    String tooLong = "-ERR string exceeds maximum allowed size (proto-max-bulk-len)|";
    String badOffset = "-ERR bit offset is not an integer or out of range|";
    try (ServerFixture fixture = new ServerFixture("proto-max-bulk-len", "1mb")) {
      RawClient client = fixture.client();
      assertEquals(":1048576|", client.ask("SETRANGE k 1048575 x"));
      assertEquals(tooLong, client.ask("SETRANGE k 1048576 x"));
      assertEquals(tooLong, client.ask("APPEND k x"));
      assertEquals(badOffset, client.ask("SETBIT k 8388608 1"));
      assertEquals(badOffset, client.ask("GETBIT k 8388608"));
      assertEquals(badOffset, client.ask("BITFIELD k SET u8 8388608 1"));
      assertEquals(":0|", client.ask("SETBIT k 8388607 0"));
      client.ask("CONFIG SET proto-max-bulk-len 2mb");
      assertEquals(":1048577|", client.ask("APPEND k x"));
      assertEquals(":0|", client.ask("SETBIT k 8388616 1"));
      assertEquals(":1048578|", client.ask("STRLEN k"));
    }
  }
}
