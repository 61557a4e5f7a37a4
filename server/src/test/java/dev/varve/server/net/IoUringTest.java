package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sockets that io_uring serves, where the kernel has it; the JDK's serve the same requests
 * elsewhere.
 */
@Timeout(60)
class IoUringTest {
  private static final int CLIENTS = 100;
  private static final int PIPELINE = 200;

  /** Several of what a socket's buffers hold. */
  private static final int LONG_BYTES = 16 << 20;

  private static boolean isRingHere() {
    Transport its = Transport.IO_URING;
    return its != null && its.available();
  }

  private static ServerFixture fixture() throws IOException {
    System.out.println(
        "IoUringTest: io_uring is " + (isRingHere() ? "here" : "not to be had here"));
    return new ServerFixture("io-transport", "io_uring", "io-threads", "2");
  }

  @Test
  void infoSaysWhatServesTheSockets() throws IOException {
    try (ServerFixture fixture = fixture();
        ServerFixture other = new ServerFixture("io-transport", "nio")) {
      String its = isRingHere() ? "io_uring" : "nio";
      assertTrue(fixture.client().ask("INFO server").contains("multiplexing_api:" + its + "|"));
      assertTrue(other.client().ask("INFO server").contains("multiplexing_api:nio|"));
    }
  }

  @Test
  void pipelinesOfManyClientsAreAnsweredInOrder() throws IOException {
    try (ServerFixture fixture = fixture()) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(fixture.client());
      }
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < PIPELINE; i++) {
        requests.append("ECHO ").append(i).append('|');
      }
      for (RawClient client : clients) {
        client.send(requests.toString());
      }
      for (RawClient client : clients) {
        for (int i = 0; i < PIPELINE; i++) {
          String text = Integer.toString(i);
          assertEquals("$" + text.length() + "|" + text + "|", client.reply());
        }
      }
    }
  }

  @Test
  void aLongValueGoesInAndComesOutWhole() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient client = fixture.client();
      String value = "0123456789abcdef".repeat(LONG_BYTES / 16);
      client.send("*3|$3|SET|$4|long|$" + LONG_BYTES + "|" + value + "|");
      assertEquals("+OK|", client.reply());
      // Not read for a while: the server waits for the socket.
      client.send("GET long|GET long|PING|");
      assertEquals("+PONG|", fixture.client().ask("PING"));
      assertEquals("$" + LONG_BYTES + "|" + value + "|", client.reply());
      assertEquals("$" + LONG_BYTES + "|" + value + "|", client.reply());
      assertEquals("+PONG|", client.reply());
    }
  }

  @Test
  void clientsThatLeaveAreForgotten() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient stays = fixture.client();
      for (int i = 0; i < CLIENTS; i++) {
        try (RawClient leaves = new RawClient(fixture.server.port())) {
          leaves.send("SET key value|GET key|");
        }
      }
      awaitAlone(stays, 1 + CLIENTS);
      assertTrue(stays.ask("GET key").startsWith("$5|"));
    }
  }

  @Test
  void clientsThatAreResetWhileTheyWaitAreForgotten() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient stays = fixture.client();
      for (int i = 0; i < CLIENTS; i++) {
        // With the reset right behind it, and in the midst of a request.
        new RawClient(fixture.server.port()).send("BLPOP list 0|").reset();
        new RawClient(fixture.server.port()).send("*2|$3|GET|$100|half").reset();
      }
      awaitAlone(stays, 1 + 2 * CLIENTS);
      assertNobodyWaits(stays);
    }
  }

  @Test
  void clientsThatAreResetBehindWhatIsNotAnsweredAreForgotten() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient stays = fixture.client();
      for (int i = 0; i < CLIENTS; i++) {
        new RawClient(fixture.server.port()).send("CLIENT REPLY OFF|SET key value|").reset();
        RawClient waits = new RawClient(fixture.server.port()).send("BLPOP list 0|");
        Await.until(
            () -> stays.ask("INFO clients").contains("blocked_clients:1|"),
            30,
            () -> "does not wait, or another still does");
        waits.send("PING|*2|$3|GET|$100|half").reset();
      }
      awaitAlone(stays, 1 + 2 * CLIENTS);
      assertNobodyWaits(stays);
    }
  }

  @Test
  void clientsThatAreResetWhileTheirTurnComesBackAreForgotten() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient stays = fixture.client();
      for (int i = 0; i < 10 * CLIENTS; i++) {
        RawClient client = new RawClient(fixture.server.port());
        assertEquals("+OK|", client.ask("SET key value"));
        client.send("*2|$3|GET|$100|half").reset();
      }
      awaitAlone(stays, 1 + 10 * CLIENTS);
    }
  }

  private static void assertNobodyWaits(RawClient stays) throws IOException {
    assertEquals(":1|", stays.ask("RPUSH list element"));
    assertEquals(":1|", stays.ask("LLEN list"), "nobody is there to be served");
  }

  /**
   * Waits until all that have ever connected are known and gone: one that the server has not
   * accepted yet, though its own socket is long closed, is no client that was forgotten.
   */
  private static void awaitAlone(RawClient client, int everConnected) throws IOException {
    Await.until(
        () -> {
          String stats = client.ask("INFO stats");
          return stats.contains("total_connections_received:" + everConnected + "|")
              && client.ask("INFO clients").contains("connected_clients:1|");
        },
        30,
        () -> "others are still there, or not there yet");
  }
}
