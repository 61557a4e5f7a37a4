package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages to clients that read none: those who bring them about are served all the same. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DeafSubscribersProcessTest {
  private static final int SUBSCRIBERS = 1_000;
  private static final int MESSAGES = 700;
  private static final int MESSAGE_BYTES = 2_000;
  private static final int RECEIVED_BYTES = 4_096;

  private static final int SHORT_MESSAGES = 120_000;
  private static final int PIPELINE = 100;

  private static final int ALONE = 6;
  private static final int ALONE_BYTES = 28 << 20;
  private static final int LONG_MESSAGE_BYTES = 16 << 10;
  private static final int BEYOND_HEAP_BYTES = 160 << 20;

  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  @TempDir Path directory;

  @Test
  void whatSubscribersDoNotReadLeavesMemoryForOthers() throws IOException, InterruptedException {
    List<Socket> deaf = new ArrayList<>();
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient publisher = server.client()) {
      for (int i = 0; i < SUBSCRIBERS; i++) {
        deaf.add(deaf(server, "subscribe all"));
      }
      Await.until(
          () -> publisher.ask("pubsub numsub all").contains(":" + SUBSCRIBERS + "|"),
          60,
          () -> "not all have subscribed");
      String message = "m".repeat(MESSAGE_BYTES);
      for (int i = 0; i < MESSAGES; i++) {
        assertEquals(":" + SUBSCRIBERS + "|", publisher.ask("publish all " + message));
      }
      assertEquals("+PONG|", publisher.ask("ping"));
      assertEquals("", server.stop().err());
    } finally {
      for (Socket socket : deaf) {
        socket.close();
      }
    }
  }

  private static Socket deaf(ServerProcess server, String request) throws IOException {
    Socket socket = new Socket();
    // What the kernel holds for it is none of the server's.
    socket.setReceiveBufferSize(RECEIVED_BYTES);
    socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
    socket.getOutputStream().write((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Below the limit of each, and together far more than there is heap. */
  @Test
  void messagesToEachOfSeveralAloneAreBoundedTogether() throws IOException, InterruptedException {
    List<Socket> deaf = new ArrayList<>();
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient publisher = server.client()) {
      for (int i = 0; i < ALONE; i++) {
        deaf.add(deaf(server, "subscribe channel" + i));
      }
      Await.until(
          () -> publisher.ask("pubsub channels").startsWith("*" + ALONE + "|"),
          60,
          () -> "not all have subscribed");
      String message = "m".repeat(LONG_MESSAGE_BYTES);
      for (int i = 0; i < ALONE_BYTES / LONG_MESSAGE_BYTES; i++) {
        for (int k = 0; k < ALONE; k++) {
          publisher.ask("publish channel" + k + " " + message);
        }
      }
      assertSomeoneWasClosed(publisher);
      server.stop();
    } finally {
      for (Socket socket : deaf) {
        socket.close();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"monitor,set key", "hello 3|client tracking on bcast,append"})
  void aClientWithoutALimitThatReadsNothingIsClosedBeforeTheHeapIsFull(
      String requests, String request) throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient other = server.client();
        Socket deaf = deaf(server, requests.replace("|", "\r\n"))) {
      Await.until(
          () -> other.ask("client list").matches("(?s).* flags=(O|tB) .*"), 60, () -> "not yet");
      String text = "m".repeat(LONG_MESSAGE_BYTES);
      for (int i = 0; i < BEYOND_HEAP_BYTES / LONG_MESSAGE_BYTES; i++) {
        other.ask(request + " " + text + (request.equals("append") ? " x" : ""));
      }
      assertSomeoneWasClosed(other);
      assertFalse(deaf.isClosed());
      server.stop();
    }
  }

  /** A short message takes less itself than its places in the queues of all who get it. */
  @Test
  void shortMessagesToVeryManyDoNotFillTheHeapWithTheirPlaces()
      throws IOException, InterruptedException {
    List<Socket> deaf = new ArrayList<>();
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient publisher = server.client()) {
      for (int i = 0; i < SUBSCRIBERS; i++) {
        deaf.add(deaf(server, "subscribe all"));
      }
      Await.until(
          () -> publisher.ask("pubsub numsub all").contains(":" + SUBSCRIBERS + "|"),
          60,
          () -> "not all have subscribed");
      for (int i = 0; i < SHORT_MESSAGES / PIPELINE; i++) {
        publisher.send("publish all m|".repeat(PIPELINE)).replies(PIPELINE);
      }
      assertSomeoneWasClosed(publisher);
      server.stop();
    } finally {
      for (Socket socket : deaf) {
        socket.close();
      }
    }
  }

  private static void assertSomeoneWasClosed(RawClient client) throws IOException {
    assertFalse(client.ask("info stats").contains("|evicted_clients:0|"), "nobody was closed");
    assertEquals("+PONG|", client.ask("ping"));
  }
}
