package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CLIENT PAUSE over sockets: who waits for its end, and who does not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PauseTest {

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void pausedClientsGoOnInOrder(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CLIENT PAUSE 100000 WRITE");
      RawClient writer = fixture.client().send("SET a 1|GET a|");
      awaitPaused(control);
      assertEquals("$-1|", control.ask("GET a"));
      assertEquals("+OK|", control.ask("CLIENT UNPAUSE"));
      assertEquals("+OK|$1|1|", writer.replies(2));
      // And a pause ends by itself.
      control.ask("CLIENT PAUSE 20");
      assertEquals("+OK|", writer.ask("SET a 2"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoLeavesDuringAPauseIsGoneAndWhatItAskedForIsNotDone(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CLIENT PAUSE 100000 WRITE");
      RawClient closes = fixture.client().send("SET a 1|");
      awaitPaused(control);
      closes.close();
      awaitClients(control, "connected_clients:1|", "it stays");
      RawClient killed = fixture.client().send("SET b 1|SET c 1|");
      awaitPaused(control);
      control.ask("CLIENT KILL TYPE normal");
      // A client that is killed is not counted from then on, but has yet to leave.
      awaitClients(control, "connected_clients:1|", "it stays");
      awaitClients(control, "blocked_clients:0|", "it is still paused");
      killed.close();
      RawClient stays = fixture.client().send("SET d 1|");
      awaitPaused(control);
      control.ask("CLIENT UNPAUSE");
      assertEquals("+OK|", stays.reply());
      assertEquals("*4|$-1|$-1|$-1|$1|1|", control.ask("MGET a b c d"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aShorterPauseAfterALongOneEndsByItself(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CLIENT PAUSE 100000 WRITE");
      RawClient writer = fixture.client().send("SET a 1|");
      awaitPaused(control);
      control.ask("CLIENT UNPAUSE");
      assertEquals("+OK|", writer.reply());
      control.ask("CLIENT PAUSE 100 WRITE");
      assertEquals("+OK|", writer.ask("SET a 2"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aPauseThatWasMadeLongerEndsByItself(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CLIENT PAUSE 200 WRITE");
      RawClient writer = fixture.client().send("SET a 1|");
      awaitPaused(control);
      control.ask("CLIENT PAUSE 500 WRITE");
      assertEquals("+OK|", writer.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aPauseEndsByItselfAlthoughTheClockWentBack(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      fixture.aheadMillis.set(300);
      control.ask("CLIENT PAUSE 200 WRITE");
      RawClient writer = fixture.client().send("SET a 1|");
      awaitPaused(control);
      fixture.aheadMillis.set(0);
      assertEquals("+OK|", writer.reply());
    }
  }

  private static void awaitPaused(RawClient control) throws IOException {
    awaitClients(control, "blocked_clients:1|", "never paused");
  }

  private static void awaitClients(RawClient control, String figure, String otherwise)
      throws IOException {
    Await.until(() -> control.ask("INFO clients").contains(figure), 20, () -> otherwise);
  }
}
