package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
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
      RawClient monitor = fixture.client();
      assertEquals("+OK|", monitor.ask("MONITOR"));
      assertEquals("+PONG|", idle.ask("PING"));
      assertEquals("*3|$9|subscribe|$7|channel|:1|", subscriber.ask("SUBSCRIBE channel"));
      fixture.aheadMillis.set(11_000);
      assertEquals("", idle.untilClosed());
      RawClient later = fixture.client();
      assertEquals(":1|", later.ask("RPUSH list element"));
      assertEquals("*2|$4|list|$7|element|", blocked.reply());
      assertEquals(":1|", later.ask("PUBLISH channel news"));
      assertEquals("*3|$7|message|$7|channel|$4|news|", subscriber.reply());
      while (!monitor.firstLine().contains("news")) {
        // What came before.
      }
    }
  }

  @Test
  void whoHasJustBeenAnsweredIsNotIdleNorWhoWaitsForAnAnswer() throws IOException {
    try (ServerFixture fixture = new ServerFixture("timeout", "100")) {
      RawClient idle = fixture.client();
      RawClient unblocked = fixture.client();
      String id = unblocked.ask("CLIENT ID").substring(1).replace("|", "");
      unblocked.send("BLPOP list 0|");
      RawClient queueing = fixture.client();
      assertEquals("+OK|", queueing.ask("MULTI"));
      RawClient other = fixture.client();
      Await.until(
          () -> other.ask("INFO clients").contains("blocked_clients:1"), 10, () -> "no one waits");
      RawClient paused = fixture.client();
      assertEquals("+OK|", paused.ask("CLIENT PAUSE 1000000 WRITE"));
      paused.send("SET key value|");
      fixture.aheadMillis.set(50_000);
      assertEquals("+QUEUED|", queueing.ask("PING"));
      fixture.aheadMillis.set(95_000);
      RawClient witness = fixture.client();
      assertEquals("+PONG|", witness.ask("PING"));
      assertEquals("+PONG|", other.ask("PING"));
      fixture.aheadMillis.set(110_000);
      assertEquals("", idle.untilClosed());
      assertEquals("*1|+PONG|", queueing.ask("EXEC"));
      assertEquals(":1|", other.ask("CLIENT UNBLOCK " + id));
      assertEquals("*-1|", unblocked.reply());
      assertEquals("+OK|", other.ask("CLIENT UNPAUSE"));
      assertEquals("+OK|", paused.reply());
      fixture.aheadMillis.set(200_000);
      assertEquals("", witness.untilClosed());
      assertEquals("+PONG|", unblocked.ask("PING"));
      assertEquals("+PONG|", paused.ask("PING"));
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

  @Test
  void aClientThatWaitsAndIsGoneIsSeenToBeSoWhateverItHasSentBehind() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient control = fixture.client();
      RawClient waiter = fixture.client();
      waiter.send("BLPOP nothing 0|" + "PING|".repeat(400_000));
      Await.until(
          () -> control.ask("INFO clients").contains("blocked_clients:1|"), 20, () -> "waits");
      waiter.close();
      Await.until(
          () -> control.ask("INFO clients").contains("connected_clients:1|"),
          60,
          () -> "it is still there");
    }
  }
}
