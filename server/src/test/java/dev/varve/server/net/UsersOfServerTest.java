package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users as their connections feel them, and the file in which they are kept. */
@Timeout(60)
class UsersOfServerTest {
  private static final String BOB = "ACL SETUSER bob on >pw ~a* &ok* +@all -@dangerous";
  private static final int REQUESTS = 2_000;

  @TempDir Path directory;

  private static RawClient bob(ServerFixture fixture) throws IOException {
    RawClient client = fixture.client();
    assertEquals("+OK|", client.ask("AUTH bob pw"));
    return client;
  }

  private static boolean isDenied(String reply) {
    return reply.startsWith("-NOPERM ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void newRulesAreInForceForThoseWhoAreConnected(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
      RawClient admin = fixture.client();
      assertEquals("+OK|", admin.ask(BOB));
      RawClient bob = bob(fixture);
      assertEquals("+OK|", bob.ask("SET a1 x"));
      assertEquals("$1|x|", bob.ask("GET a1"));
      assertTrue(isDenied(bob.ask("GET b1")));
      assertTrue(isDenied(bob.ask("KEYS *")));
      assertEquals("+OK|", admin.ask("ACL SETUSER bob resetkeys %R~a* ~b*"));
      assertTrue(isDenied(bob.ask("SET a1 y")));
      assertEquals("$1|x|", bob.ask("GET a1"));
      assertEquals("+OK|", bob.ask("SET b1 x"));
      String line = bob.ask("CLIENT INFO");
      assertTrue(isDenied(line) || line.contains(" user=bob "), line);
    }
  }

  /** Requests of a long pipeline are looked at ahead, and run by hundreds: each is asked for. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void eachRequestOfAPipelineIsAllowedOrNot(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
      assertEquals("+OK|", fixture.client().ask(BOB));
      RawClient bob = bob(fixture);
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < REQUESTS; i++) {
        requests.append(i % 2 == 0 ? "SET a" : "SET b").append(i).append(" x|");
        requests.append(i % 2 == 0 ? "GET a" : "GET b").append(i).append('|');
      }
      bob.send(requests.toString());
      for (int i = 0; i < REQUESTS; i++) {
        String set = bob.reply();
        String get = bob.reply();
        if (i % 2 == 0) {
          assertEquals("+OK|$1|x|", set + get);
        } else {
          assertTrue(isDenied(set) && isDenied(get), set + get);
        }
      }
      assertEquals(":" + REQUESTS / 2 + "|", fixture.client().ask("DBSIZE"));
    }
  }

  @Test
  void whoIsDeletedIsClosedAfterHisOwnReply() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient admin = fixture.client();
      admin.ask(BOB);
      RawClient bob = bob(fixture);
      assertEquals(":1|", admin.ask("ACL DELUSER bob"));
      assertThrows(IOException.class, () -> bob.ask("PING"));
      admin.ask("ACL SETUSER carol on nopass +acl");
      RawClient carol = fixture.client();
      assertEquals("+OK|", carol.ask("AUTH carol x"));
      assertEquals(":1|", carol.send("ACL DELUSER carol|PING|").untilClosed());
      assertEquals("+PONG|", admin.ask("PING"));
    }
  }

  @Test
  void whoHearsWhatHeMayNoLongerHearIsClosed() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient admin = fixture.client();
      admin.ask(BOB);
      RawClient news = bob(fixture);
      RawClient pattern = bob(fixture);
      RawClient other = bob(fixture);
      news.ask("SUBSCRIBE ok1");
      pattern.ask("PSUBSCRIBE ok*");
      other.ask("SUBSCRIBE ok2");
      assertTrue(isDenied(bob(fixture).ask("PSUBSCRIBE ok1*")));
      assertEquals("+OK|", admin.ask("ACL SETUSER bob resetchannels &ok2"));
      assertEquals("", news.untilClosed());
      assertEquals("", pattern.untilClosed());
      assertEquals(":1|", admin.ask("PUBLISH ok2 hello"));
      assertTrue(other.reply().contains("hello"));
    }
  }

  @Test
  void aDefaultUserThatIsOffHasToBeAnother() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient admin = fixture.client();
      admin.ask("ACL SETUSER admin on >pw ~* &* +@all");
      assertEquals("+OK|", admin.ask("ACL SETUSER default off"));
      RawClient client = fixture.client();
      assertTrue(client.ask("PING").startsWith("-NOAUTH"));
      assertTrue(client.ask("AUTH default x").startsWith("-WRONGPASS"));
      assertEquals("+OK|", client.ask("AUTH admin pw"));
      assertEquals("$5|admin|", client.ask("ACL WHOAMI"));
      assertEquals("+RESET|", client.ask("RESET"));
      assertTrue(client.ask("PING").startsWith("-NOAUTH"));
    }
  }

  @Test
  void usersAreKeptInTheirFile() throws IOException {
    Path file = Files.writeString(directory.resolve("users.acl"), "user bob on >pw ~a* +@all\n");
    try (ServerFixture fixture = new ServerFixture("aclfile", file.toString())) {
      RawClient bob = bob(fixture);
      assertTrue(isDenied(bob.ask("GET b")));
      RawClient admin = fixture.client();
      assertEquals("+OK|", admin.ask("ACL SETUSER carol on >secret ~c +get"));
      admin.send("MULTI|ACL SAVE|ACL LOAD|EXEC|").replies(3);
      String queued = admin.reply();
      assertTrue(
          queued.matches("\\*2\\|(-ERR This command waits for a file: [^|]*\\|){2}"), queued);
      assertEquals("+OK|", admin.ask("ACL SAVE"));
    }
    String saved = Files.readString(file);
    assertEquals(3, saved.lines().count(), saved);
    assertTrue(!saved.contains("secret"), saved);
    try (ServerFixture fixture = new ServerFixture("aclfile", file.toString())) {
      RawClient carol = fixture.client();
      assertEquals("+OK|", carol.ask("AUTH carol secret"));
      assertEquals("$-1|", carol.ask("GET c"));
      RawClient admin = fixture.client();
      Files.writeString(file, "user bob on >pw ~b* +@all\nuser bad +nope\n");
      String refused = admin.ask("ACL LOAD");
      assertTrue(
          refused.startsWith("-ERR " + file + ":2: Error in ACL SETUSER modifier '+nope'"),
          refused);
      assertTrue(refused.endsWith("no change to the previously active ACL rules was performed|"));
      assertEquals("$-1|", carol.ask("GET c"));
      Files.writeString(file, "user bob on >pw ~b* +@all\n");
      assertEquals("+OK|", admin.ask("ACL LOAD"));
      assertThrows(IOException.class, () -> carol.ask("GET c"));
      assertEquals("$-1|", bob(fixture).ask("GET b"));
      assertEquals("*2|$3|bob|$7|default|", admin.ask("ACL USERS"));
    }
  }

  @Test
  void usersMayBeInTheConfiguration() throws IOException {
    try (ServerFixture fixture =
        new ServerFixture("requirepass", "secret", "user", "bob on >pw ~a* +@all", "user", "off")) {
      assertTrue(isDenied(bob(fixture).ask("GET b")));
      // Of whom nothing is said has the password that there is.
      assertTrue(fixture.client().ask("PING").startsWith("-NOAUTH"));
      assertEquals("+OK|", fixture.client().ask("AUTH secret"));
      assertTrue(bob(fixture).ask("ACL LIST").contains("user off off resetchannels -@all"));
      // Nobody is shown what they log in by.
      RawClient admin = fixture.client();
      admin.ask("AUTH secret");
      assertEquals("*0|", admin.ask("CONFIG GET user"));
      assertEquals("*0|", admin.ask("CONFIG GET use?"));
    }
    assertStartFails("user bob: Error in ACL SETUSER modifier '+nope'", "user", "bob +nope");
    assertStartFails("user bob: Duplicate user found.", "user", "bob on", "user", "bob off");
    Path file = Files.writeString(directory.resolve("users.acl"), "");
    assertStartFails("user: users are in", "user", "bob on", "aclfile", file.toString());
  }

  private static void assertStartFails(String why, String... parameters) {
    IOException refused =
        assertThrows(IOException.class, () -> new ServerFixture(parameters).close());
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused::toString);
  }

  @Test
  void whoCameWhenThereWasAPasswordNeedsNoneOnceThereIsNone() throws IOException {
    try (ServerFixture fixture = new ServerFixture("requirepass", "secret")) {
      RawClient client = fixture.client();
      assertTrue(client.ask("PING").startsWith("-NOAUTH"));
      RawClient admin = fixture.client();
      assertEquals("+OK|", admin.ask("AUTH secret"));
      assertEquals("+OK|", admin.ask("CONFIG SET requirepass \"\""));
      assertEquals("+PONG|", client.ask("PING"));
      assertEquals("+OK|", admin.ask("ACL SETUSER default resetpass >other"));
      assertTrue(client.ask("PING").startsWith("-NOAUTH"));
      assertEquals("+PONG|", admin.ask("PING"));
    }
  }

  @Test
  void whatIsSaidOfUsersIsNotShownToThoseWhoLookOn() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient watcher = fixture.client();
      assertEquals("+OK|", watcher.ask("CONFIG SET slowlog-log-slower-than 0"));
      fixture
          .client()
          .send("ACL SETUSER bob >secret|ACL DELUSER nobody|ACL GETUSER none|")
          .replies(3);
      String log = watcher.ask("SLOWLOG GET 10");
      assertTrue(log.contains("SETUSER|$10|(redacted)|$10|(redacted)|"), log);
      // As in Redis, names alone are.
      assertTrue(log.contains("DELUSER|$6|nobody|") && log.contains("GETUSER|$4|none|"), log);
    }
  }

  @Test
  void aServerWhoseFileOfUsersIsWrongDoesNotStart() throws IOException {
    Path file = Files.writeString(directory.resolve("users.acl"), "user bob on\nbob\n");
    IOException refused =
        assertThrows(
            IOException.class, () -> new ServerFixture("aclfile", file.toString()).close());
    assertEquals(
        file + ":2: should start with user keyword followed by the username", refused.getMessage());
    IOException missing =
        assertThrows(
            IOException.class,
            () -> new ServerFixture("aclfile", directory.resolve("none").toString()).close());
    assertTrue(
        String.valueOf(missing.getMessage()).contains("aclfile: '" + directory + "/none'"),
        missing::toString);
  }
}
