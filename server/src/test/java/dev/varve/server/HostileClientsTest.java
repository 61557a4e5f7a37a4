package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that break the protocol, do not read, or just vanish: the server goes on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostileClientsTest {

  /** Whatever clients do. */
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  /** Who does nothing for so long has been told to wait. */
  private static final long QUIET_MILLIS = 200;

  private static final int FUZZ_SECONDS = Integer.getInteger("varve.fuzz.seconds", 0);
  private static final long WAIT_SECONDS_MAX = 30;

  /** What is sent, with Redis 7.0's reply before it closes the connection. */
  private static final Map<String, String> BROKEN = new LinkedHashMap<>();

  static {
    BROKEN.put("*1|!4|PING|", "-ERR Protocol error: expected '$', got '!'|");
    BROKEN.put("PING|*1||", "+PONG|-ERR Protocol error: expected '$', got ' '|");
    BROKEN.put("*abc|", "-ERR Protocol error: invalid multibulk length|");
    BROKEN.put("*2147483648|", "-ERR Protocol error: invalid multibulk length|");
    BROKEN.put("*1|$-1|", "-ERR Protocol error: invalid bulk length|");
    BROKEN.put("*1|$x|", "-ERR Protocol error: invalid bulk length|");
    BROKEN.put("*1|$536870913|", "-ERR Protocol error: invalid bulk length|");
    BROKEN.put("set key \"unbalanced|", "-ERR Protocol error: unbalanced quotes in request|");
    BROKEN.put("set 'key'x 1|", "-ERR Protocol error: unbalanced quotes in request|");
    BROKEN.put("x".repeat(70_000), "-ERR Protocol error: too big inline request|");
    BROKEN.put("*" + "1".repeat(70_000), "-ERR Protocol error: too big mbulk count string|");
    BROKEN.put("*1|$" + "1".repeat(70_000), "-ERR Protocol error: too big bulk count string|");
  }

  @TempDir static Path directory;

  private static @Nullable ServerProcess process;

  @BeforeAll
  static void startServer() throws IOException, InterruptedException {
    process = ServerProcess.startWithin(BUDGET, directory);
  }

  @AfterAll
  static void stopServer() throws InterruptedException {
    try (ServerProcess running = server()) {
      assertEquals("", running.stop().err());
    }
  }

  private static ServerProcess server() {
    ServerProcess running = process;
    if (running == null) {
      throw new AssertionError("not started");
    }
    return running;
  }

  @Test
  void brokenRequestsGetRedissErrorAndAreCutOff() throws IOException {
    try (RawClient steady = server().client()) {
      for (Map.Entry<String, String> broken : BROKEN.entrySet()) {
        try (RawClient client = server().client()) {
          client.send(broken.getKey());
          assertEquals(broken.getValue(), client.untilClosed(), () -> head(broken.getKey()));
        }
        assertEquals("+PONG|", steady.ask("ping"));
      }
    }
  }

  private static String head(String sent) {
    return sent.substring(0, Math.min(sent.length(), 40));
  }

  @Test
  void requestsThatAreOddButWholeAreAnswered() throws IOException {
    try (RawClient client = server().client()) {
      client.send("|||*0|*-1|   |ping|");
      assertEquals("+PONG|", client.reply());
      client.send("*1|$0||");
      assertEquals("-ERR unknown command '', with args beginning with: |", client.reply());
      assertEquals(
          "-ERR unknown command 'GET?', with args beginning with: 'a' |", client.ask("GET? a"));
      assertEquals("-ERR wrong number of arguments for 'get' command|", client.ask("get"));
      client.send("*3|$6|CLIENT|$7|SETNAME|$65537|" + "x".repeat(65_537) + "|");
      assertEquals("-ERR Client names cannot be longer than 65536 bytes|", client.reply());
      String binary = "\0\r\n\u00ff \n";
      client.send("*3|$3|SET|$" + binary.length() + "|" + binary + "|$2|\r\n|");
      assertEquals("+OK|", client.reply());
      assertEquals("$2|||", client.ask("get \"\\x00\\r\\n\\xff \\n\""));
    }
  }

  @Test
  void noiseNeverStopsTheServer() throws IOException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("HostileClientsTest: -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    ProcessStatus status = ProcessStatus.of(server());
    String alphabet = "*$0123456789-+:abz\r\n \"'\\x\0\u00ff{}%~>";
    try (SteadyClient steady = SteadyClient.start(server(), "noise")) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FUZZ_SECONDS);
      for (int i = 0; i < 300 || System.nanoTime() < end; i++) {
        StringBuilder noise = new StringBuilder();
        int length = random.nextInt(400);
        for (int letter = 0; letter < length; letter++) {
          noise.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        try (RawClient client = server().client()) {
          client.send(noise.toString());
          client.endInput();
          client.untilClosed();
        }
      }
      steady.awaitAnswers();
      try (RawClient client = server().client()) {
        BUDGET.assertKept(client, status, "noise");
      }
    }
  }

  @Test
  void aClientThatDoesNotReadIsPausedAndMemoryDoesNotGrow()
      throws IOException, InterruptedException {
    try (RawClient other = server().client()) {
      other.send(("append big " + "b".repeat(60_000) + "|").repeat(5));
      other.replies(5);
      ProcessStatus status = ProcessStatus.of(server());
      Thread sender;
      try (RawClient deaf = server().client()) {
        sender = new Thread(() -> sendWithoutEnd(deaf), "deaf-sender");
        sender.start();
        awaitPause(other);
        BUDGET.assertKept(other, status, "a client that does not read");
        // It wakes up, and gets what it asked for.
        for (int i = 0; i < 50; i++) {
          assertTrue(deaf.reply().startsWith("$300000|bbb"));
        }
        assertEquals("+PONG|", other.ask("ping"));
      }
      sender.join();
      assertEquals("+PONG|", other.ask("ping"));
    }
  }

  private static void sendWithoutEnd(RawClient deaf) {
    try {
      String requests = "get big|".repeat(10_000);
      while (true) {
        deaf.send(requests);
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  /** Waits until the server runs no more commands, but for those that ask. */
  private static void awaitPause(RawClient client) throws IOException {
    long[] before = {-1};
    Await.until(
        () -> {
          // That nothing happens is seen only by looking for a while.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS));
          long now = commandsRun(client);
          boolean isQuiet = now == before[0] + 1;
          before[0] = now;
          return isQuiet;
        },
        WAIT_SECONDS_MAX,
        () -> "still running the commands of a deaf client");
  }

  private static long commandsRun(RawClient client) throws IOException {
    return infoNumber(client, "total_commands_processed");
  }

  private static long infoNumber(RawClient client, String field) throws IOException {
    String info = client.ask("info");
    int at = info.indexOf("|" + field + ":") + field.length() + 2;
    return Long.parseLong(info.substring(at, info.indexOf('|', at)));
  }

  @Test
  void aThousandConnectionsComeAndVanish() throws IOException {
    ProcessStatus status = ProcessStatus.of(server());
    try (RawClient steady = server().client()) {
      assertEquals("+OK|", steady.ask("set counted 0"));
      for (int round = 0; round < 4; round++) {
        List<Socket> sockets = new ArrayList<>();
        try {
          for (int i = 0; i < 250; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), server().port());
            sockets.add(socket);
            socket.getOutputStream().write(lastWords(i).getBytes(StandardCharsets.US_ASCII));
          }
          assertEquals("+PONG|", steady.ask("ping"));
        } finally {
          for (Socket socket : sockets) {
            // Half of them as a process that dies, the others as one that says goodbye.
            socket.setSoLinger(sockets.indexOf(socket) % 2 == 0, 0);
            socket.close();
          }
        }
      }
      Await.until(
          () -> infoNumber(steady, "connected_clients") <= 1,
          WAIT_SECONDS_MAX,
          () -> "clients that never left");
      assertEquals("$1|0|", steady.ask("get counted"));
      BUDGET.assertKept(steady, status, "a thousand clients that vanish");
    }
  }

  /** Nothing, half a request, a transaction that never gets its EXEC, a watch. */
  private static String lastWords(int i) {
    return switch (i % 4) {
      case 0 -> "";
      case 1 -> "*2\r\n$4\r\nINCR\r\n$7\r\ncoun";
      case 2 -> "MULTI\r\nINCR counted\r\n";
      default -> "WATCH counted\r\nGET counted\r\n";
    };
  }
}
