package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Very many clients at once, with bad intentions or none: who is well-behaved is served. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class CrowdTest {
  private static final int TOO_MANY = 100;

  /** As many as the issue asks for, or as the operating system allows each of the two processes. */
  private static final int CLIENTS_MAX =
      Integer.getInteger("varve.crowd", Math.min(10_000, filesMax() - 2 * TOO_MANY - 200));

  private static final int ANNOUNCERS = Math.min(1_000, CLIENTS_MAX);
  private static final int DEAF_REQUESTS = 100_000;
  private static final int BIG_BYTES = 1 << 20;
  private static final int SLOW_SECONDS = 3;
  private static final int FILES_MAX = 150;
  private static final int READ_REPLIES = 20;

  /** So many files more may be open when what was written lies in tables. */
  private static final int TABLES_MAX = 20;

  private static final int VALUE_LENGTH = 20_000;

  /** Whatever clients do. */
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  private static final MemoryBudget SMALL_BUDGET = new MemoryBudget(64, 16);

  private static final long WAIT_SECONDS_MAX = 60;

  @TempDir Path directory;

  /** How many files a process may have open. */
  private static int filesMax() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith("Max open files")) {
          String most = line.replaceAll("\\s+", " ").split(" ", -1)[4];
          return most.equals("unlimited") ? Integer.MAX_VALUE : Integer.parseInt(most);
        }
      }
    } catch (IOException elsewhere) {
      // A system without it has some thousands at least.
    }
    return 4_000;
  }

  private static Socket connect(ServerProcess server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.port());
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void closeAll(List<? extends AutoCloseable> all) throws IOException {
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }

  /** Waits until there is room for a new client. */
  private static void awaitClient(ServerProcess server) throws IOException {
    Await.until(() -> isServed(server), WAIT_SECONDS_MAX, () -> "nobody gets in any more");
  }

  private static boolean isServed(ServerProcess server) {
    try (RawClient client = server.client()) {
      return client.ask("ping").equals("+PONG|");
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void whoIsTooMuchIsToldSoAndTheOthersAreServed() throws IOException, InterruptedException {
    try (ServerProcess server =
        ServerProcess.startWithin(
            BUDGET, directory, "--maxclients", Integer.toString(CLIENTS_MAX))) {
      List<RawClient> clients = new ArrayList<>();
      ProcessStatus status = ProcessStatus.of(server);
      SteadyClient steady = SteadyClient.start(server, CLIENTS_MAX + " clients and more");
      for (int i = 0; i < CLIENTS_MAX - 1; i++) {
        clients.add(server.client());
        assertEquals("+PONG|", clients.get(i).ask("ping"), "client " + i);
      }
      for (int i = 0; i < TOO_MANY; i++) {
        try (RawClient refused = server.client()) {
          assertEquals("-ERR max number of clients reached|", refused.untilClosed());
        }
      }
      for (RawClient client : clients) {
        assertEquals("+PONG|", client.ask("ping"));
      }
      BUDGET.assertKept(clients.get(0), status, CLIENTS_MAX + " clients and more");
      steady.awaitAnswers();
      steady.close();
      closeAll(clients);
      awaitClient(server);
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void hugeRepliesThatNobodyReadsCostNothing() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient other = server.client()) {
      assertEquals("+OK|", other.ask("set big " + "b".repeat(60_000)));
      assertEquals(":" + BIG_BYTES + "|", other.ask("setrange big " + (BIG_BYTES - 1) + " b"));
      ProcessStatus status = ProcessStatus.of(server);
      SteadyClient steady = SteadyClient.start(server, "a deaf client");
      Thread sender;
      try (RawClient deaf = server.client()) {
        sender = new Thread(() -> sendAll(deaf), "deaf-sender");
        sender.start();
        QuietGets.await(other);
        steady.awaitAnswers();
        BUDGET.assertKept(other, status, "a deaf client");
        // It wakes up, and gets what it asked for.
        for (int i = 0; i < READ_REPLIES; i++) {
          deaf.skip(("$" + BIG_BYTES + "\r\n\r\n").length() + BIG_BYTES);
        }
      }
      steady.close();
      sender.join(TimeUnit.SECONDS.toMillis(WAIT_SECONDS_MAX));
      assertFalse(sender.isAlive(), "not all of its requests were taken");
      assertEquals("+PONG|", other.ask("ping"));
      assertEquals("", server.stop().err());
    }
  }

  private static void sendAll(RawClient deaf) {
    try {
      for (int i = 0; i < DEAF_REQUESTS / 1_000; i++) {
        deaf.send("get big|".repeat(1_000));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @Test
  void hugeValuesThatAreAnnouncedAndNeverComeCostNothing()
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient steady = server.client()) {
      assertEquals("+OK|", steady.ask("set key value"));
      ProcessStatus status = ProcessStatus.of(server);
      SteadyClient others = SteadyClient.start(server, ANNOUNCERS + " announcements");
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < ANNOUNCERS; i++) {
        Socket socket = connect(server);
        sockets.add(socket);
        send(socket, "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$536870912\r\n");
      }
      for (int second = 0; second < SLOW_SECONDS; second++) {
        for (Socket socket : sockets) {
          send(socket, "x");
        }
        assertEquals("$5|value|", steady.ask("get key"));
        // This pace is what they attack with.
        Thread.sleep(1_000);
      }
      BUDGET.assertKept(steady, status, ANNOUNCERS + " announcements");
      others.awaitAnswers();
      others.close();
      closeAll(sockets);
      assertEquals("$5|value|", steady.ask("get key"));
      assertEquals("", server.stop().err());
    }
  }

  @Test
  void withoutFreeFileDescriptorsNothingIsLostAndAllIsWellAfterwards()
      throws IOException, InterruptedException {
    String value = "v".repeat(VALUE_LENGTH);
    int written = 0;
    Path data = directory.resolve("data");
    try (ServerProcess server = ServerProcess.startWithFilesMax(FILES_MAX, SMALL_BUDGET, data);
        RawClient steady = server.client()) {
      ProcessStatus status = ProcessStatus.of(server);
      int openBefore = status.openFiles();
      SteadyClient others = SteadyClient.start(server, "exhausted file descriptors");
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < 2 * FILES_MAX; i++) {
        sockets.add(connect(server));
      }
      if (status.knowsOpenFiles()) {
        Await.until(
            () -> status.openFiles() == FILES_MAX,
            WAIT_SECONDS_MAX,
            () -> "there are free descriptors");
      }
      // Memtables fill up that cannot be flushed: at the end there may be a refusal, and no more.
      for (int i = 0; i < 600; i++) {
        String reply = steady.ask("set k" + i + " " + value + i);
        if (!reply.equals("+OK|")) {
          assertTrue(reply.startsWith("-MISCONF "), reply);
          break;
        }
        written++;
      }
      assertEquals("+PONG|", steady.ask("ping"));
      others.awaitAnswers();
      others.close();
      SMALL_BUDGET.assertKept(steady, status, "exhausted file descriptors");
      closeAll(sockets);
      awaitClient(server);
      Await.until(
          () -> steady.ask("save").equals("+OK|") && steady.ask("set after 1").equals("+OK|"),
          WAIT_SECONDS_MAX,
          () -> "it does not recover");
      Await.until(
          () -> status.openFiles() <= openBefore + TABLES_MAX,
          WAIT_SECONDS_MAX,
          () -> "files stay open, more than " + openBefore);
      checkAll(steady, written, value);
      server.kill();
    }
    try (ServerProcess server = ServerProcess.startWithin(SMALL_BUDGET, data);
        RawClient client = server.client()) {
      checkAll(client, written, value);
      assertEquals("$1|1|", client.ask("get after"));
      server.stop();
    }
  }

  @Test
  void withoutFreeFileDescriptorsItRestsBeforeItTriesAgain()
      throws IOException, InterruptedException {
    itRestsBeforeItTriesAgain("nio");
  }

  @Test
  void withIoUringItRestsBeforeItTriesAgain() throws IOException, InterruptedException {
    itRestsBeforeItTriesAgain("io_uring");
  }

  /** A log of all that a loop can try in vain would fill the disk. */
  private void itRestsBeforeItTriesAgain(String transport)
      throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    try (ServerProcess server =
            ServerProcess.startWithFilesMax(
                FILES_MAX, SMALL_BUDGET, data, "--io-transport", transport);
        RawClient steady = server.client()) {
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < FILES_MAX; i++) {
        sockets.add(connect(server));
      }
      Await.until(() -> refusals(server) >= 3, WAIT_SECONDS_MAX, server::output);
      assertTrue(refusals(server) < 20, () -> refusals(server) + " lines");
      assertEquals("+PONG|", steady.ask("ping"));
      closeAll(sockets);
      awaitClient(server);
      server.stop();
    }
  }

  private static long refusals(ServerProcess server) {
    return server
        .output()
        .lines()
        .filter(line -> line.contains("a connection cannot be taken"))
        .count();
  }

  private static void checkAll(RawClient client, int written, String value) throws IOException {
    assertTrue(written > 0);
    for (int i = 0; i < written; i++) {
      String expected = value + i;
      assertEquals("$" + expected.length() + "|" + expected + "|", client.ask("get k" + i));
    }
  }
}
