package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {
  @TempDir Path directory;

  private String file(String text) throws IOException {
    Path file = directory.resolve("varve.conf");
    Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
    return file.toString();
  }

  @Test
  void whatTheFileSaysAndCannotBeIsOverriddenByTheCommandLine()
      throws IOException, ConfigException {
    String file = file("daemonize yes\nappendonly no\nport 7000\n");
    CommandLine line =
        CommandLine.parse(file, "--daemonize", "no", "--appendonly", "yes", "--port", "7001");
    assertEquals(7001, line.settings().integer(Parameters.PORT));
  }

  @Test
  void theFirstThatCannotBeIsTold() throws IOException {
    String file = file("port 7000\ndaemonize yes\nappendonly no\n");
    ConfigException refused =
        assertThrows(ConfigException.class, () -> CommandLine.parse(file, "--appendonly", "yes"));
    assertEquals(
        file
            + " line 2: daemonize: must be no, not 'yes': the server stays in the foreground, for"
            + " systemd, a container or a shell's &",
        refused.what());
  }

  @Test
  void whatThisServerDoesNotHaveIsRefusedByName() throws IOException, ConfigException {
    assertRefused("activedefrag yes", "must be no, not 'yes': this server does not have it");
    assertRefused("tls-ciphers DEFAULT", "this server leaves that of TLS to the JDK");
    assertRefused("rename-command FLUSHALL \"\"", "this server renames no commands");
    assertRefused("loadmodule /tmp/m.so", "this server has no modules");
  }

  @Test
  void aServerToFollowIsAHostAndAPort() throws IOException, ConfigException {
    for (String wrong : List.of("10.0.0.1", "10.0.0.1 6379 x", "10.0.0.1 65536", "10.0.0.1 x")) {
      assertRefused(
          "replicaof " + wrong, "must be a host and a port, or 'no one', not '" + wrong + "'");
    }
    CommandLine nobody = CommandLine.parse(file("replicaof no one\n"));
    assertEquals("", text(nobody, "replicaof"));
    CommandLine line = CommandLine.parse(file("slaveof db.example.com 6379\n"));
    assertEquals("db.example.com 6379", text(line, "replicaof"));
  }

  @Test
  void theHelpSaysThatPortZeroIsNotAlwaysNoPortAsInRedis() {
    String help = CommandLine.help();
    assertTrue(help.contains("a unixsocket, else any free one, which the start names"), help);
  }

  @Test
  void noNameIsNoDirectoryAndNoAddress() throws IOException {
    assertRefused("dir \"\"", "must name a directory, not ''");
    assertRefused("bind \"\"", "must name an address, not ''");
    assertRefused("bind \" \"", "must name an address, not ' '");
  }

  /** Or CONFIG REWRITE would write down a name that is another directory's where it is read. */
  @Test
  void directoriesAreNamedFromTheRootOn() throws ConfigException {
    Settings settings =
        CommandLine.parse("--dir", "no-data", "--backup-dir", "no-backups").settings();
    assertEquals(
        Path.of("no-data").toAbsolutePath().toString(), settings.text(Parameters.DIRECTORY));
    assertEquals(
        Path.of("no-backups").toAbsolutePath().toString(),
        settings.text(Parameters.BACKUP_DIRECTORY));
    assertEquals("", CommandLine.parse().settings().text(Parameters.BACKUP_DIRECTORY));
  }

  @Test
  void whatCannotNameAFileIsRefusedInOneLine() throws IOException {
    String why = "must be the name of a directory, not 'a\0b': Nul character not allowed";
    assertRefused("backup-dir \"a\\x00b\"", why);
    assertRefused("dir \"a\\x00b\"", why);
    String including = file("include \"a\\x00b\"\n");
    ConfigException included =
        assertThrows(ConfigException.class, () -> CommandLine.parse(including));
    assertEquals(
        "cannot read configuration file 'a\0b': Nul character not allowed", included.what());
    assertThrows(ConfigException.class, () -> CommandLine.parse("a\0b"));
  }

  /** As packages have it: {@code include conf.d/*.conf}. */
  @Test
  void aPatternIncludesTheFilesThatMatchByTheirNames() throws IOException, ConfigException {
    Path parts = Files.createDirectory(directory.resolve("conf.d"));
    Files.writeString(parts.resolve("20.conf"), "timeout 20\n");
    Files.writeString(parts.resolve("10.conf"), "timeout 10\nport 7000\n");
    Files.writeString(parts.resolve("30.conf~"), "timeout 30\n");
    Files.writeString(parts.resolve(".40.conf"), "timeout 40\n");
    Files.writeString(parts.resolve("{50}.conf1"), "databases 50\n");
    CommandLine line =
        CommandLine.parse(file("include " + parts + "/*.conf " + parts + "/{5[0-9]}.conf?\n"));
    assertEquals("20", text(line, "timeout"));
    assertEquals("7000", text(line, "port"));
    assertEquals("50", text(line, "databases"));
    CommandLine none = CommandLine.parse(file("include " + parts + "/*.none no-such/*\n"));
    assertEquals("0", text(none, "timeout"));
    String ofDirectories = file("include " + directory + "/*/10.conf\n");
    ConfigException refused =
        assertThrows(ConfigException.class, () -> CommandLine.parse(ofDirectories));
    assertTrue(refused.what().contains("/*/10.conf': only the names of files"), refused.what());
    String unclosed = file("include " + parts + "/[1.conf\n");
    refused = assertThrows(ConfigException.class, () -> CommandLine.parse(unclosed));
    assertTrue(refused.what().contains("/[1.conf': no pattern: "), refused.what());
  }

  /** As Java hands over the bytes of an argument that are no characters in the locale. */
  @Test
  void anArgumentThatTheLocaleCannotReadIsNotTakenForAnother() {
    ConfigException password =
        assertThrows(
            ConfigException.class, () -> CommandLine.parse("--requirepass", "p\uFFFD\uFFFDss"));
    assertEquals(
        "option --requirepass: has bytes that are no characters in this process's locale; set"
            + " LC_ALL=C.UTF-8, or put it into the file",
        password.what());
    ConfigException file =
        assertThrows(ConfigException.class, () -> CommandLine.parse("gr\uFFFD\uFFFDe.conf"));
    assertEquals(
        "cannot read configuration file 'gr\uFFFD\uFFFDe.conf': has bytes that are no characters in"
            + " this process's locale; set LC_ALL=C.UTF-8",
        file.what());
  }

  private static String text(CommandLine line, String name) {
    return line.settings().text(Objects.requireNonNull(Parameters.find(name)));
  }

  private void assertRefused(String text, String why) throws IOException {
    String file = file(text + "\n");
    ConfigException refused = assertThrows(ConfigException.class, () -> CommandLine.parse(file));
    String name = text.substring(0, text.indexOf(' '));
    assertEquals(file + " line 1: " + name + ": " + why, refused.what());
  }

  @Test
  void permissionsOfASocketAreOctalAsInRedis() throws IOException, ConfigException {
    CommandLine line = CommandLine.parse(file("unixsocketperm 0700\n"));
    assertEquals("700", text(line, "unixsocketperm"));
    assertRefused(
        "unixsocketperm 1000", "argument must be between 0 and 777 inclusive, not '1000'");
    assertRefused("unixsocketperm 8", "argument couldn't be parsed into an integer, not '8'");
  }

  @Test
  void commentsNeedNotBeUtf8() throws IOException, ConfigException {
    CommandLine line = CommandLine.parse(file("# Gr\u00fc\u00dfe\nport 7000\n"));
    assertEquals(7000, line.settings().integer(Parameters.PORT));
  }

  @Test
  void valuesInUtf8AreWhatTheyAre() throws IOException, ConfigException {
    Path file = directory.resolve("utf8.conf");
    Files.writeString(file, "requirepass Gr\u00fc\u00dfe\n");
    CommandLine line = CommandLine.parse(file.toString());
    assertEquals("Gr\u00fc\u00dfe", line.settings().text(Parameters.REQUIREPASS));
  }
}
