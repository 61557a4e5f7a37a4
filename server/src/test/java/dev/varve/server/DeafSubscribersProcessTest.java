package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

/** Messages to very many subscribers that read none: publishers are served all the same. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DeafSubscribersProcessTest {
  private static final int SUBSCRIBERS = 1_000;
  private static final int MESSAGES = 700;
  private static final int MESSAGE_BYTES = 2_000;
  private static final int RECEIVED_BYTES = 4_096;

  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  @TempDir Path directory;

  @Test
  void whatSubscribersDoNotReadLeavesMemoryForOthers() throws IOException, InterruptedException {
    List<Socket> deaf = new ArrayList<>();
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient publisher = server.client()) {
      for (int i = 0; i < SUBSCRIBERS; i++) {
        Socket socket = new Socket();
        deaf.add(socket);
        // What the kernel holds for them is none of the server's.
        socket.setReceiveBufferSize(RECEIVED_BYTES);
        socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
        socket.getOutputStream().write("subscribe all\r\n".getBytes(StandardCharsets.US_ASCII));
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
}
