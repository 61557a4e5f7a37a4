package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.FreePort;
import dev.varve.server.net.tls.TestIdentities;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that speak TLS. */
@Timeout(60)
class TlsTest {
  private static final int REQUESTS = 20_000;
  private static final int LONG_BYTES = 8 << 20;
  private static final int CLIENTS = 40;
  private static final long SECONDS_MAX = 20;

  private static final String NOT_UPDATED =
      "Unable to update TLS configuration. Check server logs.|";

  @TempDir Path directory;

  /** A server with this identity that takes everybody, unless {@code more} says otherwise. */
  private static ServerFixture fixture(String identity, String... more) throws IOException {
    String[] own = {
      "port", Integer.toString(FreePort.any()),
      "tls-port", Integer.toString(FreePort.any()),
      "tls-cert-file", TestIdentities.path(identity + ".crt"),
      "tls-key-file", TestIdentities.path(identity + ".key"),
      "tls-ca-cert-file", TestIdentities.path("authority.crt"),
      "tls-auth-clients", "no"
    };
    return new ServerFixture(
        Stream.concat(Arrays.stream(own), Arrays.stream(more)).toArray(String[]::new));
  }

  private static RawClient client(ServerFixture fixture, String... versions) throws IOException {
    return client(fixture, TlsSockets.ofAnybody(), versions);
  }

  private static RawClient client(ServerFixture fixture, TlsSockets sockets, String... versions)
      throws IOException {
    return new RawClient(sockets.connect(fixture.server.tlsPort(), versions));
  }

  /** A handshake of TLS 1.3 is over for a client before the server has looked at who he is. */
  private static void assertTurnedAway(ServerFixture fixture, TlsSockets sockets) {
    assertThrows(
        IOException.class,
        () -> {
          try (RawClient client = client(fixture, sockets)) {
            client.ask("PING");
          }
        });
  }

  private static void awaitClients(ServerFixture fixture, int count) throws IOException {
    Await.until(
        () -> fixture.server.clients().count() == count,
        SECONDS_MAX,
        () -> fixture.server.clients().count() + " clients");
  }

  private static String name(SSLSocket socket) throws SSLException {
    X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return shown.getSubjectX500Principal().getName();
  }

  @ParameterizedTest
  @CsvSource({
    "rsa, TLSv1.2, nio",
    "rsa, TLSv1.3, io_uring",
    "ec, TLSv1.2, io_uring",
    "ec, TLSv1.3, nio",
    "ed25519, TLSv1.3, nio"
  })
  void clientsAreServedOfEachVersionWithEachKindOfKey(
      String identity, String version, String transport) throws IOException {
    try (ServerFixture fixture = fixture(identity, "io-transport", transport);
        RawClient client = client(fixture, version);
        RawClient plain = fixture.client()) {
      assertEquals("+PONG|", client.ask("PING"));
      assertEquals("+OK|", client.ask("SET key value"));
      assertEquals("$5|value|", plain.ask("GET key"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "io_uring"})
  void longPipelinesAreAnsweredInOrder(String transport) throws IOException, InterruptedException {
    try (ServerFixture fixture = fixture("ec", "io-transport", transport, "io-threads", "2")) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        clients.add(client(fixture));
      }
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < REQUESTS; i++) {
        requests.append("ECHO ").append(i).append('|');
      }
      List<Thread> senders = new ArrayList<>();
      for (RawClient client : clients) {
        // Who only sends is not read on at some point.
        Thread sender = new Thread(() -> send(client, requests.toString()));
        sender.start();
        senders.add(sender);
      }
      for (RawClient client : clients) {
        for (int i = 0; i < REQUESTS; i++) {
          String text = Integer.toString(i);
          assertEquals("$" + text.length() + "|" + text + "|", client.reply());
        }
      }
      for (Thread sender : senders) {
        sender.join();
      }
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  private static void send(RawClient client, String requests) {
    try {
      client.send(requests);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "io_uring"})
  void longValuesAndLongRepliesArrive(String transport) throws IOException {
    try (ServerFixture fixture = fixture("ec", "io-transport", transport);
        RawClient client = client(fixture)) {
      String value = "v".repeat(LONG_BYTES);
      client.send("*3|$3|SET|$4|long|$" + LONG_BYTES + "|").send(value).send("|");
      assertEquals("+OK|", client.reply());
      assertEquals("$" + LONG_BYTES + "|" + value + "|", client.ask("GET long"));
      for (int i = 0; i < 100; i++) {
        client.send("RPUSH list " + "e".repeat(50_000) + i + "|");
      }
      client.replies(100);
      String list = client.ask("LRANGE list 0 -1");
      assertTrue(list.startsWith("*100|"), () -> list.substring(0, 10));
      assertTrue(list.endsWith("e99|"), () -> list.substring(list.length() - 10));
      assertEquals("+PONG|", client.ask("PING"));
    }
  }

  @Test
  void whoSaysThatHeSendsNoMoreGetsAllReplies() throws IOException {
    try (ServerFixture fixture = fixture("ec")) {
      // With TLS 1.2 the JDK's clients end both ways.
      try (RawClient client = client(fixture, "TLSv1.3")) {
        client.send("SET key value|GET key|").endInput();
        assertEquals("+OK|$5|value|", client.untilClosed());
      }
      awaitClients(fixture, 0);
    }
  }

  @Test
  void whoQuitsOrIsKilledOrLeavesIsGone() throws IOException {
    try (ServerFixture fixture = fixture("ec");
        RawClient watcher = fixture.client()) {
      try (RawClient client = client(fixture)) {
        assertEquals("+OK|", client.send("QUIT|").untilClosed());
      }
      try (RawClient client = client(fixture)) {
        String id = client.ask("CLIENT ID").replaceAll("[:|]", "");
        assertEquals(":1|", watcher.ask("CLIENT KILL ID " + id));
        assertThrows(IOException.class, () -> client.ask("PING"));
      }
      client(fixture).reset();
      client(fixture).close();
      awaitClients(fixture, 1);
    }
  }

  @Test
  void whoWaitsForAKeyIsServed() throws IOException {
    try (ServerFixture fixture = fixture("ec");
        RawClient waiting = client(fixture);
        RawClient plain = fixture.client()) {
      waiting.send("BLPOP list 0|");
      Await.until(
          () -> plain.ask("INFO clients").contains("blocked_clients:1"),
          SECONDS_MAX,
          () -> "nobody waits");
      assertEquals(":1|", plain.ask("RPUSH list one"));
      assertEquals("*2|$4|list|$3|one|", waiting.reply());
      waiting.send("SUBSCRIBE news|");
      waiting.reply();
      assertEquals(":1|", plain.ask("PUBLISH news hello"));
      assertEquals("*3|$7|message|$4|news|$5|hello|", waiting.reply());
    }
  }

  @Test
  void onlyThoseAreLetInWhoseCertificatesAreSignedByTheAuthority() throws IOException {
    try (ServerFixture fixture = fixture("rsa", "tls-auth-clients", "yes")) {
      assertTurnedAway(fixture, TlsSockets.ofAnybody());
      assertTurnedAway(fixture, TlsSockets.of("stranger-client"));
      try (RawClient client = client(fixture, TlsSockets.of("client"))) {
        assertEquals("+PONG|", client.ask("PING"));
      }
      awaitClients(fixture, 0);
    }
  }

  @Test
  void authoritiesAreReadFromADirectoryToo() throws IOException {
    Files.copy(Path.of(TestIdentities.path("authority.crt")), directory.resolve("one.0"));
    Files.writeString(directory.resolve("notes"), "nothing to read");
    String[] authorities = {
      "tls-ca-cert-file", "", "tls-ca-cert-dir", directory.toString(), "tls-auth-clients", "yes"
    };
    try (ServerFixture fixture = fixture("rsa", authorities)) {
      assertTurnedAway(fixture, TlsSockets.of("stranger-client"));
      try (RawClient client = client(fixture, TlsSockets.of("client"))) {
        assertEquals("+PONG|", client.ask("PING"));
      }
    }
  }

  @Test
  void aCertificateMayBeLeftOutWhereItIsOptional() throws IOException {
    try (ServerFixture fixture = fixture("rsa", "tls-auth-clients", "optional");
        RawClient client = client(fixture)) {
      assertEquals("+PONG|", client.ask("PING"));
      assertTurnedAway(fixture, TlsSockets.of("stranger-client"));
    }
  }

  @Test
  void whoSpeaksSomethingElseIsLetGoAndNobodyElse() throws IOException {
    try (ServerFixture fixture = fixture("ec", "tls-protocols", "TLSv1.3");
        RawClient client = client(fixture)) {
      try (RawClient plain =
          new RawClient(new Socket(InetAddress.getLoopbackAddress(), fixture.server.tlsPort()))) {
        // What comes back is an alert, which is no text.
        assertTrue(!plain.send("PING|PING|PING|").untilClosed().contains("PONG"));
      }
      assertThrows(IOException.class, () -> client(fixture, "TLSv1.2"));
      assertEquals("+PONG|", client.ask("PING"));
      awaitClients(fixture, 1);
    }
  }

  @Test
  void whoIsTooManyIsDroppedBeforeHisHandshake() throws IOException {
    try (ServerFixture fixture = fixture("ec", "maxclients", "1");
        RawClient client = client(fixture)) {
      assertThrows(IOException.class, () -> client(fixture));
      assertEquals("+PONG|", client.ask("PING"));
      assertEquals(1, fixture.server.clients().rejected());
    }
  }

  @Test
  void manyShakeHandsAtATime() throws IOException, InterruptedException {
    try (ServerFixture fixture = fixture("rsa", "io-threads", "2")) {
      List<String> replies = Collections.synchronizedList(new ArrayList<>());
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Thread thread =
            new Thread(
                () -> {
                  try (RawClient client = client(fixture)) {
                    replies.add(client.ask("PING"));
                  } catch (IOException failure) {
                    replies.add(failure.toString());
                  }
                });
        thread.start();
        clients.add(thread);
      }
      for (Thread each : clients) {
        each.join();
      }
      assertEquals(Collections.nCopies(CLIENTS, "+PONG|"), replies);
    }
  }

  // Changes -----------------------------------------------------------------------------------

  private static String set(String name, String value) {
    return "CONFIG SET " + name + " " + value;
  }

  @Test
  void aCertificateIsReplacedForThoseWhoComeFromThenOn() throws IOException {
    try (ServerFixture fixture = fixture("rsa");
        RawClient before = client(fixture)) {
      String key = TestIdentities.path("ec.key");
      String certificate = TestIdentities.path("ec.crt");
      // One of them alone is no pair.
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'tls-key-file') - " + NOT_UPDATED,
          before.ask(set("tls-key-file", key)));
      try (SSLSocket socket = TlsSockets.ofAnybody().connect(fixture.server.tlsPort())) {
        assertEquals("CN=rsa", name(socket));
      }
      assertEquals("+OK|", before.ask(set("tls-key-file", key) + " tls-cert-file " + certificate));
      try (SSLSocket socket = TlsSockets.ofAnybody().connect(fixture.server.tlsPort())) {
        assertEquals("CN=ec", name(socket));
      }
      assertEquals("+PONG|", before.ask("PING"));
    }
  }

  @Test
  void filesAreReadAnewWheneverTheyAreNamed() throws IOException {
    Path certificate = directory.resolve("server.crt");
    Path key = directory.resolve("server.key");
    copy("rsa.crt", certificate);
    copy("rsa.key", key);
    try (ServerFixture fixture =
            fixture("ec", "tls-cert-file", certificate.toString(), "tls-key-file", key.toString());
        RawClient client = client(fixture)) {
      copy("ed25519.crt", certificate);
      copy("ed25519.key", key);
      assertEquals("+OK|", client.ask(set("tls-cert-file", certificate.toString())));
      try (SSLSocket socket = TlsSockets.ofAnybody().connect(fixture.server.tlsPort())) {
        assertEquals("CN=ed25519", name(socket));
      }
      Files.writeString(key, "nothing");
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'tls-cert-file') - " + NOT_UPDATED,
          client.ask(set("timeout", "100") + " tls-cert-file " + certificate));
      assertEquals("*2|$7|timeout|$1|0|", client.ask("CONFIG GET timeout"));
      client(fixture).close();
    }
  }

  private static void copy(String name, Path target) throws IOException {
    Files.copy(Path.of(TestIdentities.path(name)), target, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void eitherPortCanBeOpenedAndClosedButNotBoth() throws IOException {
    try (ServerFixture fixture = fixture("ec");
        RawClient client = client(fixture)) {
      int tlsPort = fixture.server.tlsPort();
      assertEquals("+OK|", client.ask(set("port", "0")));
      assertEquals(0, fixture.server.port());
      assertTrue(client.ask("INFO server").contains("tcp_port:" + tlsPort + "|"));
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'tls-port') - Unable to listen on"
              + " this port. It is 0, and there is no other.|",
          client.ask(set("tls-port", "0")));
      int port = FreePort.any();
      assertEquals("+OK|", client.ask(set("tls-port", "0") + " port " + port));
      assertThrows(IOException.class, () -> TlsSockets.ofAnybody().connect(tlsPort));
      assertEquals("+PONG|", fixture.client().ask("PING"));
      int second = FreePort.any();
      assertEquals("+OK|", client.ask(set("tls-port", Integer.toString(second))));
      assertEquals("+PONG|", client(fixture).ask("PING"));
      assertEquals("+PONG|", client.ask("PING"));
    }
  }

  /** Its clients would be taken by turns for those of the one and of the other. */
  @Test
  void theTwoPortsAreNeverTheSame() throws IOException {
    String same = Integer.toString(FreePort.any());
    IOException refused =
        assertThrows(IOException.class, () -> fixture("rsa", "port", same, "tls-port", same));
    assertEquals(
        "cannot listen on " + same + ": it is both port and tls-port", refused.getMessage());
    try (ServerFixture fixture = fixture("rsa")) {
      int port = fixture.server.port();
      int tlsPort = fixture.server.tlsPort();
      RawClient client = fixture.client();
      String failed = "-ERR CONFIG SET failed (possibly related to argument '";
      String isTls = failed + "port') - Unable to listen on this port. It is tls-port.|";
      String isPlain = failed + "tls-port') - Unable to listen on this port. It is port.|";
      assertEquals(isPlain, client.ask(set("tls-port", Integer.toString(port))));
      assertEquals(isTls, client.ask(set("port", Integer.toString(tlsPort))));
      assertEquals(isTls, client.ask(set("port", tlsPort + " tls-port " + port)));
      assertEquals(isTls, client.ask(set("port", same + " tls-port " + same)));
      assertEquals(port, fixture.server.port());
      assertEquals(tlsPort, fixture.server.tlsPort());
      for (int i = 0; i < 4; i++) {
        assertEquals("+PONG|", fixture.client().ask("PING"));
        assertEquals("+PONG|", client(fixture).ask("PING"));
      }
    }
  }

  @Test
  void whereOnePortIsTakenNeitherMoves() throws IOException {
    try (ServerFixture fixture = fixture("ec");
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawClient client = client(fixture)) {
      int port = fixture.server.port();
      int tlsPort = fixture.server.tlsPort();
      String change = set("port", Integer.toString(FreePort.any())) + " tls-port ";
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'tls-port') - Unable to listen on"
              + " this port. Check server logs.|",
          client.ask(change + taken.getLocalPort()));
      assertEquals(port, fixture.server.port());
      assertEquals(tlsPort, fixture.server.tlsPort());
      assertEquals("+PONG|", fixture.client().ask("PING"));
      assertEquals("+PONG|", client(fixture).ask("PING"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tls-key-file, ec.key, not the key of the certificate",
    "tls-cert-file, make.sh, no certificate"
  })
  void aServerWhoseFilesAreWrongDoesNotStart(String parameter, String file, String why) {
    IOException refused =
        assertThrows(
            IOException.class, () -> fixture("rsa", parameter, TestIdentities.path(file)).close());
    assertTrue(
        String.valueOf(refused.getMessage()).startsWith(parameter + ": "), refused::toString);
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::toString);
  }
}
