package dev.varve.server.net;

import static dev.varve.server.net.WaitingClients.awaitBlocked;
import static dev.varve.server.net.WaitingClients.blocked;
import static dev.varve.server.net.WaitingClients.server;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that wait for keys, over sockets, with one event loop and with several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockingTest {

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void clientsAreServedInTheOrderInWhichTheyCame(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient first = blocked(fixture, control, 0, "BLPOP a b 0");
      RawClient second = blocked(fixture, control, 1, "BRPOP b a 0");
      RawClient third = blocked(fixture, control, 2, "BLMOVE a c LEFT RIGHT 0");
      RawClient fourth = blocked(fixture, control, 3, "BLMPOP 0 2 x c LEFT COUNT 5");
      assertEquals(":3|", control.ask("RPUSH a 1 2 3"));
      assertEquals("*2|$1|a|$1|1|", first.reply());
      assertEquals("*2|$1|a|$1|3|", second.reply());
      assertEquals("$1|2|", third.reply());
      assertEquals("*2|$1|c|*1|$1|2|", fourth.reply());
      assertEquals(":0|", control.ask("EXISTS a b c"));
      awaitBlocked(control, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aLongRequestThatArrivesWhileTheClientWaitsRunsAfterwards(String loops) throws Exception {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      int length = 8 * 1024 * 1024;
      RawClient client = blocked(fixture, control, 0, "BLPOP a 0");
      // More than the socket takes by itself, and less than all of it.
      Thread sender =
          new Thread(
              () -> {
                try {
                  client.send("*3|$3|SET|$1|b|$" + length + "|" + "x".repeat(length - 1));
                  client.send("x|");
                } catch (IOException closed) {
                  // The test has failed.
                }
              });
      sender.start();
      awaitReceived(control, 1024 * 1024);
      assertEquals(":1|", control.ask("RPUSH a 1"));
      assertEquals("*2|$1|a|$1|1|", client.reply());
      assertEquals("+OK|", client.reply());
      assertEquals(":" + length + "|", control.ask("STRLEN b"));
      sender.join();
    }
  }

  /** Waits until the server has read so many bytes. */
  private static void awaitReceived(RawClient client, long bytes) throws IOException {
    Pattern received = Pattern.compile("total_net_input_bytes:(\\d+)");
    Await.until(
        () -> {
          Matcher its = received.matcher(client.ask("INFO stats"));
          return its.find() && Long.parseLong(its.group(1)) > bytes;
        },
        20,
        () -> "never " + bytes + " bytes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aTransactionWakesByTheKeyItTouchedFirst(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a b 0");
      control.send("MULTI|RPUSH b 1|RPUSH a 2|EXEC|").replies(4);
      assertEquals("*2|$1|b|$1|1|", waiter.reply());
      // What a transaction takes back itself wakes nobody.
      waiter = blocked(fixture, control, 0, "BZPOPMIN z 0");
      control.send("MULTI|ZADD z 1 m|DEL z|SADD z x|EXEC|").replies(5);
      awaitBlocked(control, 1);
      control.send("DEL z|ZADD z 2 m 1 l|").replies(2);
      assertEquals("*3|$1|z|$1|l|$1|1|", waiter.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void renameSwapAndStoreWake(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("RPUSH other 1|RENAME other a|").replies(2);
      assertEquals("*2|$1|a|$1|1|", waiter.reply());
      waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SELECT 1|RPUSH a 2|SWAPDB 0 1|SELECT 0|").replies(4);
      assertEquals("*2|$1|a|$1|2|", waiter.reply());
      waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SADD set 3|SORT set STORE a|").replies(2);
      assertEquals("*2|$1|a|$1|3|", waiter.reply());
    }
  }

  /** An attempt comes across a key that has expired, of which its own client wants to know. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatAnAttemptTellsItsOwnClientIsNobodyElses(String loops) throws IOException {
    try (ServerFixture fixture =
        new ServerFixture(
            "io-threads", loops, "enable-debug-command", "yes", "notify-keyspace-events", "Ex")) {
      RawClient control = fixture.client();
      assertEquals("+OK|", control.ask("DEBUG SET-ACTIVE-EXPIRE 0"));
      control.send("SELECT 1|SET a text PX 1000|SELECT 0|").replies(3);
      RawClient listener = fixture.client();
      listener.ask("HELLO 3");
      String expired = "__keyevent@0__:expired";
      listener.ask("SUBSCRIBE " + expired);
      listener.send("BLPOP a 0|");
      awaitBlocked(control, 1);
      RawClient second = blocked(fixture, control, 1, "BZPOPMIN a 0");
      fixture.aheadMillis.addAndGet(5000);
      control.send("SWAPDB 0 1|ZADD a 1 m|PING|");
      assertEquals("+OK|:1|+PONG|", control.replies(3));
      assertEquals(">3|$7|message|$22|" + expired + "|$1|a|", listener.reply());
      assertEquals("*3|$1|a|$1|m|$1|1|", second.reply());
      control.ask("RPUSH a x");
      assertEquals("*2|$1|a|$1|x|", listener.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aWaitEndsByTimeOrByAnotherClient(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      assertEquals("*-1|", control.ask("BLPOP a 0.01"));
      assertEquals("*-1|", control.ask("BLMOVE a b LEFT LEFT 0.01"));
      assertEquals(":0|", control.ask("WAIT 1 10"));
      RawClient waiter = fixture.client();
      String id = waiter.ask("CLIENT ID").substring(1).replace("|", "");
      waiter.send("BLPOP a 0|PING|");
      awaitBlocked(control, 1);
      assertEquals(":1|", control.ask("CLIENT UNBLOCK " + id));
      assertEquals("*-1|+PONG|", waiter.replies(2));
      waiter.send("BLPOP a 0|");
      awaitBlocked(control, 1);
      control.send("CLIENT UNBLOCK " + id + " ERROR|CLIENT UNBLOCK " + id + "|");
      assertEquals(":1|:0|", control.replies(2));
      assertEquals("-UNBLOCKED client unblocked via CLIENT UNBLOCK|", waiter.reply());
      assertEquals(":0|", control.ask("CLIENT UNBLOCK " + id));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aClientThatIsGoneTakesNothing(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      blocked(fixture, control, 0, "BLPOP a 0").close();
      awaitBlocked(control, 0);
      RawClient ended = blocked(fixture, control, 0, "BLPOP a 0");
      ended.endInput();
      assertEquals("", ended.untilClosed());
      awaitBlocked(control, 0);
      control.ask("RPUSH a 1");
      assertEquals(":1|", control.ask("LLEN a"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void insideMultiNobodyWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient client = fixture.client();
      client.send("MULTI|BLPOP a 0|BLMOVE a b LEFT LEFT 0|BZPOPMIN z 0|WAIT 1 0|EXEC|");
      assertEquals("+OK|+QUEUED|+QUEUED|+QUEUED|+QUEUED|", client.replies(5));
      assertEquals("*4|*-1|$-1|*-1|:0|", client.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aKeyOfAnotherTypeIsNoErrorForOneThatWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SET a text|DEL a|RPUSH a 1|").replies(3);
      assertEquals("*2|$1|a|$1|1|", waiter.reply());
      control.ask("SET b text");
      assertTrue(control.ask("BLPOP b 0").startsWith("-WRONGTYPE"));
      waiter = blocked(fixture, control, 0, "BLMOVE a b LEFT LEFT 0");
      control.ask("RPUSH a 1");
      assertTrue(waiter.reply().startsWith("-WRONGTYPE"));
      assertEquals(":1|", control.ask("LLEN a"));
    }
  }
}
