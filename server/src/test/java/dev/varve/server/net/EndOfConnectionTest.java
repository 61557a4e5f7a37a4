package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose connection the server ends, and whose it does not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndOfConnectionTest {

  @Test
  void onlyThoseWhoWaitForNothingAreClosedForBeingIdle() throws IOException {
    try (ServerFixture fixture = new ServerFixture("timeout", "10")) {
      RawClient idle = fixture.client();
      RawClient blocked = fixture.client().send("BLPOP list 0|");
      RawClient subscriber = fixture.client();
      assertEquals("+PONG|", idle.ask("PING"));
      assertEquals("*3|$9|subscribe|$7|channel|:1|", subscriber.ask("SUBSCRIBE channel"));
      fixture.aheadMillis.set(11_000);
      assertEquals("", idle.untilClosed());
      RawClient later = fixture.client();
      assertEquals(":1|", later.ask("RPUSH list element"));
      assertEquals("*2|$4|list|$7|element|", blocked.reply());
      assertEquals(":1|", later.ask("PUBLISH channel news"));
      assertEquals("*3|$7|message|$7|channel|$4|news|", subscriber.reply());
    }
  }

  @Test
  void aWebPageGetsNoCommandIn() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      for (String line : new String[] {"POST / HTTP/1.1", "host: localhost", "*2|$4|post|$1|/"}) {
        RawClient browser = fixture.client().send(line + "||SET key value|");
        assertEquals("", browser.untilClosed(), line);
      }
      assertEquals("$-1|", fixture.client().ask("GET key"));
    }
  }
}
