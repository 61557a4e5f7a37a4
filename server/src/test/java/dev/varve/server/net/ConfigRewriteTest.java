package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.access.User;
import dev.varve.server.config.CommandLine;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.InMemoryEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CONFIG REWRITE puts what the server goes by into the file that it was started with. */
class ConfigRewriteTest {
  @TempDir private Path directory;

  private List<String> rewritten(Path file, String... requests) throws Exception {
    rewrite(file, requests);
    return Files.readAllLines(file);
  }

  private RespServer server(Path file) throws Exception {
    Settings settings =
        CommandLine.parse(file.toString(), "--port", "0", "--dir", directory.toString()).settings();
    return RespServer.start(
        settings,
        new InMemoryEngine(),
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, file.toString(), "test"));
  }

  private void rewrite(Path file, String... requests) throws Exception {
    RespServer server = server(file);
    try (RawClient client = new RawClient(server.port())) {
      for (String request : requests) {
        assertEquals("+OK|", client.ask(request), request);
      }
      assertEquals("+OK|", client.ask("CONFIG REWRITE"));
    } finally {
      server.stop();
    }
  }

  @Test
  void usersAreWrittenAndAreTheSameAfterwards() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "# mine\nuser bob on >pw ~a* (+get ~b) +@read\nrequirepass secret\n");
    String before =
        answer(
            file,
            "AUTH secret",
            "ACL SETUSER carol on >secret \"~q\\\"u\\\\o't\\xe2\\x82\\xac*\" &ch",
            "CONFIG REWRITE",
            "ACL LIST");
    List<String> lines = Files.readAllLines(file);
    assertEquals("# mine", lines.get(0));
    assertEquals(
        3, lines.stream().filter(line -> line.startsWith("user ")).count(), lines::toString);
    assertTrue(lines.stream().noneMatch(line -> line.contains(">")), lines::toString);
    assertTrue(before.startsWith("*3|"), before);
    assertEquals(before, answer(file, "AUTH secret", "ACL LIST"));
    // And once more, as the lines are its own now.
    assertEquals(before, answer(file, "AUTH secret", "CONFIG REWRITE", "ACL LIST"));
    assertEquals(lines, Files.readAllLines(file));
  }

  /** Or who has closed his server by ACL SETUSER would find it open after the next start. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ACL SETUSER default resetpass >pw",
        "ACL SETUSER default >pw",
        "ACL SETUSER default off",
        "ACL SETUSER default sanitize-payload"
      })
  void whatUsersWereToldOfTheDefaultUserIsWrittenToo(String change) throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "requirepass old\n");
    String before = answer(file, "AUTH old", change, "CONFIG REWRITE", "ACL LIST");
    RespServer server = server(file);
    try {
      User byDefault = server.keyspace().users().byDefault();
      assertEquals(before, "*1|$" + byDefault.line().length() + '|' + byDefault.line() + '|');
    } finally {
      server.stop();
    }
  }

  /** What the last of these is answered with. */
  private String answer(Path file, String... requests) throws Exception {
    RespServer server = server(file);
    try (RawClient client = new RawClient(server.port())) {
      String answer = "";
      for (String request : requests) {
        answer = client.ask(request);
        assertFalse(answer.startsWith("-"), request + ": " + answer);
      }
      return answer;
    } finally {
      server.stop();
    }
  }

  /** ACL takes any bytes, and so does what is read again. */
  @Test
  void usersWhoseNamesAndKeysAreNoUtf8AreTheSameAfterwards() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "user gr\u00fcn on >pw\u00fc ~\u00fc*\n", StandardCharsets.ISO_8859_1);
    String before =
        answer(
            file,
            "ACL SETUSER \"\" on >pw ~a",
            "ACL SETUSER \"\\xff\\x80\" on >pw \"~\\xfe*\" \"&\\xc3\\xa9\"",
            "AUTH \"gr\\xfcn\" \"pw\\xfc\"",
            "AUTH default any",
            "CONFIG REWRITE",
            "ACL LIST");
    assertEquals(before, answer(file, "ACL LIST"));
    assertEquals(before, answer(file, "CONFIG REWRITE", "ACL LIST"));
  }

  /** It would be another one than whoever has set it gives, and nobody could come in. */
  @Test
  void aPasswordThatIsNoUtf8IsRefused() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "");
    RespServer server = server(file);
    try (RawClient client = new RawClient(server.port())) {
      assertEquals(
          "-ERR CONFIG SET failed (possibly related to argument 'requirepass') - argument has bytes"
              + " that are not UTF-8|",
          client.ask("CONFIG SET timeout 7 requirepass \"p\\xe9\""));
      assertEquals("*2|$7|timeout|$1|0|", client.ask("CONFIG GET timeout"));
      assertEquals("+OK|", client.ask("CONFIG SET requirepass \"p\\xc3\\xa9\""));
      assertEquals("+OK|", client.ask("AUTH \"p\\xc3\\xa9\""));
    } finally {
      server.stop();
    }
    Files.writeString(file, "\nrequirepass p\u00e9\n", StandardCharsets.ISO_8859_1);
    ConfigException refused =
        assertThrows(ConfigException.class, () -> CommandLine.parse(file.toString()));
    assertEquals(file + " line 2: requirepass: has bytes that are not UTF-8", refused.getMessage());
  }

  @Test
  void commentsThatAreNoUtf8StayToTheByte() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "# Gr\u00fc\u00dfe\ntimeout 7\n", StandardCharsets.ISO_8859_1);
    byte[] comment = Arrays.copyOf(Files.readAllBytes(file), 7);
    rewrite(file, "CONFIG SET timeout 11");
    byte[] written = Files.readAllBytes(file);
    assertArrayEquals(comment, Arrays.copyOf(written, 7));
    assertTrue(
        new String(written, StandardCharsets.ISO_8859_1).contains("\ntimeout 11\n"),
        "not rewritten");
  }

  @Test
  void eachLineHasItsPresentValueAndCommentsStay() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(
        file,
        "# mine\n\ntimeout 7\nappendfsync always\ntimeout 9\n  # kept\nhash-max-ziplist-value 5\n");
    List<String> lines =
        rewritten(file, "CONFIG SET timeout 11", "CONFIG SET maxmemory-policy allkeys-lru");
    assertEquals(
        List.of(
            "# mine",
            "",
            "timeout 11",
            "appendfsync always",
            "  # kept",
            "hash-max-listpack-value 5",
            "# Generated by CONFIG REWRITE",
            "dir " + directory,
            "maxmemory-policy allkeys-lru",
            "port 0"),
        lines);
    assertEquals(lines, rewritten(file));
    assertFalse(Files.exists(directory.resolve("varve.conf.rewrite")));
  }

  @Test
  void theNextServerReadsTheSameValues() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "");
    rewritten(
        file,
        "CONFIG SET requirepass \"two words \\\"and\\\" \\\\ \\xe2\\x82\\xac\"",
        "AUTH \"two words \\\"and\\\" \\\\ \\xe2\\x82\\xac\"",
        "CONFIG SET notify-keyspace-events KEAn",
        "CONFIG SET client-output-buffer-limit \"pubsub 64mb 16mb 30\"",
        "CONFIG SET latency-tracking-info-percentiles \"\"");
    Settings read = CommandLine.parse(file.toString()).settings();
    assertEquals("two words \"and\" \\ \u20ac", read.text(Parameters.REQUIREPASS));
    assertEquals("AnKE", read.text(Parameters.NOTIFY_KEYSPACE_EVENTS));
    assertEquals("", read.text(Parameters.LATENCY_TRACKING_INFO_PERCENTILES));
    assertEquals(
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 67108864 16777216 30",
        read.text(Parameters.CLIENT_OUTPUT_BUFFER_LIMIT));
  }

  /** There may be a password in it. */
  @Test
  void whoMayReadTheFileStaysAsItWas() throws Exception {
    Path file = directory.resolve("varve.conf");
    Files.writeString(file, "requirepass secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
    rewrite(file, "AUTH secret", "CONFIG SET timeout 11");
    PosixFileAttributes after = Files.readAttributes(file, PosixFileAttributes.class);
    assertEquals(before.permissions(), after.permissions());
    assertEquals(before.owner(), after.owner());
    assertEquals(before.group(), after.group());
    assertTrue(Files.readAllLines(file).contains("timeout 11"));
  }

  @Test
  void thereIsNothingToRewriteWithoutAFile() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      assertEquals(
          "-ERR The server is running without a config file|",
          fixture.client().ask("CONFIG REWRITE"));
    }
  }
}
