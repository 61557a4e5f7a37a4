package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may announce that have not authenticated, wherever their requests run or wait. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UnauthenticatedClientsTest {
  private static final String TOO_LONG = "*2|$4|ECHO|$20000|";
  private static final String REFUSED = "-ERR Protocol error: unauthenticated bulk length|";
  private static final String NO_AUTH = "-NOAUTH Authentication required.|";

  private static final String WRONG_PASSWORD =
      "-WRONGPASS invalid username-password pair or user is disabled.|";

  /** So many that each loop has one of them. */
  private static final int CLIENTS = 6;

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "requirepass", "secret");
  }

  private static RawClient known(ServerFixture fixture) throws IOException {
    RawClient client = fixture.client();
    assertEquals("+OK|", client.ask("AUTH secret"));
    return client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void littleBehindWhatRunsElsewhere(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      for (int i = 0; i < CLIENTS; i++) {
        RawClient stranger = fixture.client().send("RESET|" + TOO_LONG);
        assertEquals("+RESET|" + REFUSED, stranger.untilClosed());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void littleBehindWhatWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      known(fixture).ask("CLIENT PAUSE 300 ALL");
      RawClient stranger = fixture.client().send("AUTH guessed|" + TOO_LONG);
      assertEquals(WRONG_PASSWORD + REFUSED, stranger.untilClosed());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void anythingBehindAPasswordThatWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      known(fixture).ask("CLIENT PAUSE 300 ALL");
      String text = "x".repeat(20_000) + "|";
      RawClient client = fixture.client().send("PING|AUTH secret|" + TOO_LONG + text + "PING|");
      assertEquals(NO_AUTH + "+OK|$20000|" + text + "+PONG|", client.replies(4));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void allThatHasComeIsAnsweredAlsoWhereNoMoreIsToCome(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      for (int i = 0; i < CLIENTS; i++) {
        RawClient client = fixture.client().send("RESET|PING|AUTH secret|PING|PING|");
        client.endInput();
        assertEquals("+RESET|" + NO_AUTH + "+OK|+PONG|+PONG|", client.untilClosed());
      }
    }
  }

  /** What has come behind RESET while that waited is decoded in the order in which it came. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aLongPipelineBehindResetStaysInOrder(String loops) throws Exception {
    int requests = 5000;
    try (ServerFixture fixture = server(loops)) {
      RawClient client = known(fixture);
      known(fixture).ask("CLIENT PAUSE 1000 ALL");
      String request = "*2|$4|ECHO|$1000|" + "x".repeat(1000) + "|";
      Thread sender =
          new Thread(
              () -> {
                try {
                  client.send("RESET|" + request.repeat(requests) + "AUTH secret|PING|");
                } catch (IOException closed) {
                  // The test has failed.
                }
              });
      sender.start();
      assertEquals("+RESET|", client.reply());
      for (int i = 0; i < requests; i++) {
        assertEquals(NO_AUTH, client.reply());
      }
      assertEquals("+OK|+PONG|", client.replies(2));
      sender.join();
    }
  }
}
