package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.FreePort;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that come by a file. */
@Timeout(60)
class UnixSocketTest {
  private static final int REQUESTS = 20_000;
  private static final int REPLY_BYTES_MAX = 10_000;

  @TempDir Path directory;
  private Path file = Path.of("");
  private final List<SocketChannel> sockets = new ArrayList<>();

  @BeforeEach
  void nameFile() {
    file = directory.resolve("varve.sock");
  }

  @AfterEach
  void closeAll() throws IOException {
    for (SocketChannel socket : sockets) {
      socket.close();
    }
  }

  private ServerFixture fixture(String... more) throws IOException {
    List<String> parameters = new ArrayList<>(List.of("unixsocket", file.toString()));
    parameters.addAll(List.of("port", Integer.toString(FreePort.any())));
    parameters.addAll(List.of(more));
    return new ServerFixture(parameters.toArray(String[]::new));
  }

  private SocketChannel connect() throws IOException {
    SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(file));
    sockets.add(socket);
    return socket;
  }

  private static void send(SocketChannel socket, String lines) throws IOException {
    ByteBuffer bytes =
        ByteBuffer.wrap(lines.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  /** So many bytes, or what there is until the server closes. */
  private static String receive(SocketChannel socket, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && socket.read(bytes) >= 0) {
      continue;
    }
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1)
        .replace("\r\n", "|");
  }

  /** Sends requests and a last one, and reads until the server closes. */
  private String all(String lines) throws IOException {
    SocketChannel socket = connect();
    send(socket, lines + "QUIT|");
    String replies = receive(socket, REPLY_BYTES_MAX);
    assertTrue(replies.endsWith("+OK|"), replies);
    return replies.substring(0, replies.length() - "+OK|".length());
  }

  @ParameterizedTest
  @CsvSource({"nio, 1", "nio, 2", "io_uring, 1", "io_uring, 2"})
  void clientsAreServedByItAsByThePort(String transport, String loops) throws IOException {
    try (ServerFixture fixture =
        fixture("io-transport", transport, "io-threads", loops, "port", "0")) {
      assertEquals(0, fixture.server.port());
      assertEquals("+PONG|+OK|$5|value|", all("PING|SET key value|GET key|"));
      StringBuilder requests = new StringBuilder();
      StringBuilder replies = new StringBuilder();
      for (int i = 0; i < REQUESTS; i++) {
        requests.append("ECHO ").append(i).append('|');
        String text = Integer.toString(i);
        replies.append('$').append(text.length()).append('|').append(text).append('|');
      }
      SocketChannel socket = connect();
      Thread sender =
          new Thread(
              () -> {
                try {
                  send(socket, requests.toString());
                } catch (IOException failure) {
                  throw new AssertionError(failure);
                }
              });
      sender.start();
      int bytes = replies.toString().replace("|", "\r\n").length();
      assertEquals(replies.toString(), receive(socket, bytes));
    }
  }

  @Test
  void theFileIsTheAddressAndTheClientIsFlagged() throws IOException {
    try (ServerFixture fixture = fixture()) {
      String line = all("CLIENT INFO|");
      assertTrue(line.contains(" addr=" + file + ":0 laddr=" + file + ":0 "), line);
      assertTrue(line.contains(" flags=U "), line);
      RawClient watcher = fixture.client();
      assertFalse(watcher.ask("CLIENT INFO").contains("flags=U"));
      assertEquals("+OK|", watcher.ask("MONITOR"));
      all("PING|");
      String shown = watcher.reply();
      assertTrue(shown.endsWith("[0 unix:" + file + "] \"PING\"|"), shown);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "io_uring"})
  void whoLeavesIsForgottenAndWhoIsKilledIsGone(String transport) throws IOException {
    try (ServerFixture fixture = fixture("io-transport", transport)) {
      RawClient watcher = fixture.client();
      SocketChannel socket = connect();
      send(socket, "PING|");
      assertEquals("+PONG|", receive(socket, "+PONG\r\n".length()));
      assertEquals(":1|", watcher.ask("CLIENT KILL ADDR " + file + ":0"));
      assertEquals("", receive(socket, 1));
      SocketChannel waiting = connect();
      send(waiting, "BLPOP list 0|");
      WaitingClients.awaitBlocked(watcher, 1);
      waiting.close();
      WaitingClients.awaitBlocked(watcher, 0);
    }
  }

  /** Who may open the file may come: that is for its permissions to say. */
  @Test
  void thereIsNoProtectedMode() throws IOException {
    try (ServerFixture fixture = fixture("unixsocketperm", "700", "requirepass", "secret")) {
      assertTrue(fixture.client().ask("PING").startsWith("-NOAUTH"));
      assertTrue(all("PING|").startsWith("-NOAUTH"));
      assertEquals("+OK|+PONG|", all("AUTH secret|PING|"));
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }
  }

  @Test
  void theFileGoesWithTheServerAndOneThatWasLeftIsReplaced() throws IOException {
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(file));
    }
    assertTrue(Files.exists(file, LinkOption.NOFOLLOW_LINKS));
    try (ServerFixture fixture = fixture()) {
      assertEquals(file.toString(), fixture.server.unixSocket());
      assertEquals("+PONG|", all("PING|"));
    }
    assertFalse(Files.exists(file, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void whatIsNotItsOwnIsLeftAlone() throws IOException {
    Files.writeString(file, "letters");
    IOException refused = assertThrows(IOException.class, () -> fixture().close());
    assertEquals(
        "cannot listen on " + file + ": there is a file of that name", refused.getMessage());
    assertEquals("letters", Files.readString(file));
    Files.delete(file);
    try (ServerFixture first = fixture()) {
      IOException second = assertThrows(IOException.class, () -> fixture().close());
      assertEquals(
          "cannot listen on " + file + ": another process listens there", second.getMessage());
      assertEquals("+OK|", first.client().ask("SET key value"));
      assertEquals("$5|value|", all("GET key|"));
    }
  }

  @Test
  void aPathThatIsTooLongIsRefused() {
    file = directory.resolve("x".repeat(120));
    IOException refused = assertThrows(IOException.class, () -> fixture().close());
    assertTrue(String.valueOf(refused.getMessage()).contains("too long"), refused::toString);
  }

  @Test
  void itStaysWhileTheServerRuns() throws IOException {
    try (ServerFixture fixture = fixture()) {
      RawClient client = fixture.client();
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'unixsocket') - can't set immutable"
              + " config|",
          client.ask("CONFIG SET unixsocket /tmp/other"));
      assertEquals("+OK|", client.ask("CONFIG SET port 0"));
      assertEquals("+PONG|", all("PING|"));
    }
  }
}
