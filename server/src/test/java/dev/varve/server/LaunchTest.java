package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.ServerProcess.End;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How the program is started and stopped, from outside. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LaunchTest {

  @TempDir Path directory;

  private static void assertRefused(End end, String why) {
    assertEquals(1, end.exit(), () -> end.out() + end.err());
    assertEquals("varve: " + why + "\n", end.err());
    assertEquals("", end.out());
  }

  @Test
  void helpListsTheParametersAndVersionIsOneLine() throws IOException, InterruptedException {
    for (String wish : List.of("--help", "-h")) {
      End help = ServerProcess.run(wish);
      assertEquals(0, help.exit());
      assertEquals("", help.err());
      assertTrue(help.out().contains("Usage: java -jar varve.jar"), help.out());
      assertTrue(help.out().contains("--appendfsync everysec|always|no"), help.out());
    }
    End version = ServerProcess.run("--version");
    assertEquals(0, version.exit());
    assertTrue(version.out().matches("Varve .+\n"), version.out());
  }

  @Test
  void aWrongCommandLineIsOneLineAndExit1() throws IOException, InterruptedException {
    assertRefused(
        ServerProcess.run("--portt", "1"),
        "option --portt is unknown; --help lists those there are");
    assertRefused(
        ServerProcess.run("--port", "http"),
        "option --port: argument couldn't be parsed into an integer, not 'http'");
    assertRefused(
        ServerProcess.run("--port", "0", "--appendfsync", "sometimes"),
        "option --appendfsync: argument(s) must be one of the following:"
            + " everysec, always, no, not 'sometimes'");
    Path missing = directory.resolve("missing.conf");
    assertRefused(
        ServerProcess.run(missing.toString()),
        "cannot read configuration file '" + missing + "': no such file");
    Path wrong = Files.writeString(directory.resolve("wrong.conf"), "# fine\n\nprot 6380\n");
    assertRefused(
        ServerProcess.run(wrong.toString()),
        wrong + " line 3: unknown parameter 'prot'; --help lists those there are");
    assertRefused(
        ServerProcess.run("--tls-ciphers", "DEFAULT"),
        "option --tls-ciphers cannot be: this server leaves that of TLS to the JDK");
    assertRefused(
        ServerProcess.run("--port", "0", "--tls-port", "6443"), "tls-cert-file: tls-port needs it");
  }

  @Test
  void theFileIsReadAsRedisReadsItsOwnAndTheCommandLineOverridesIt()
      throws IOException, InterruptedException {
    Path data = directory.resolve("my data");
    Path more = Files.writeString(directory.resolve("more.conf"), "timeout 77\nDATABASES 3\n");
    Path file =
        Files.writeString(
            directory.resolve("varve.conf"),
            """
            # A comment, and an empty line

            port 1
            bind 127.0.0.1
            dir "%s"
              appendfsync   always
            requirepass 'se cret'
            maxmemory 20mb
            include %s
            """
                .formatted(data, more));
    try (ServerProcess server =
            ServerProcess.startWith(file.toString(), "--port", "0", "--maxmemory", "17mb");
        RawClient client = server.client()) {
      assertEquals("-NOAUTH Authentication required.|", client.ask("config get port"));
      assertEquals("+OK|", client.ask("auth 'se cret'"));
      assertEquals(value("appendfsync", "always"), client.ask("config get appendfsync"));
      assertEquals(value("maxmemory", "17825792"), client.ask("config get maxmemory"));
      assertEquals(value("timeout", "77"), client.ask("config get timeout"));
      assertEquals("+OK|", client.ask("select 2"));
      assertEquals("-ERR DB index is out of range|", client.ask("select 3"));
      assertTrue(client.ask("info server").contains("config_file:" + file));
      assertTrue(Files.exists(data.resolve("CURRENT")));
      server.stop();
    }
  }

  @Test
  void theDirectoryIsShownByItsWholePathAndTakenByAnyNameOfIt()
      throws IOException, InterruptedException {
    Path real = directory.toRealPath();
    Path relative = Path.of("").toRealPath().relativize(real).resolve("data");
    try (ServerProcess server = ServerProcess.start(relative);
        RawClient client = server.client()) {
      String whole = real.resolve("data").toString();
      assertEquals(value("dir", whole), client.ask("config get dir"));
      assertEquals("+OK|", client.ask("config set dir " + whole));
      assertEquals("+OK|", client.ask("config set dir " + relative));
      assertTrue(
          client.ask("config set dir " + real).endsWith("it cannot change while the server runs|"));
      server.stop();
    }
  }

  private static String value(String name, String value) {
    return "*2|$" + name.length() + "|" + name + "|$" + value.length() + "|" + value + "|";
  }

  @Test
  void theBannerSaysWhatWasFoundAndASignalStopsCleanly() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(directory, "--maxmemory", "16mb");
        RawClient client = server.client()) {
      assertTrue(server.output().contains("pid " + server.pid()), server.output());
      assertTrue(server.output().contains(directory + ": new"), server.output());
      assertEquals("+OK|", client.ask("set string value"));
      assertEquals(":1|", client.ask("hset hash field value"));
      assertEquals(":1|", client.ask("zadd zset 1.5 member"));
      assertEquals(":1|", client.ask("sadd set member"));
      End end = server.stop();
      assertTrue(end.out().contains("stopped; everything is on disk"), end.out());
      assertEquals("", end.err());
      assertEquals("", client.untilClosed());
    }
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertTrue(server.output().contains("4 batches from the log"), server.output());
      assertFourKeys(client);
      assertEquals("+OK|", client.ask("save"));
      client.send("shutdown|");
      assertEquals("", client.untilClosed());
      assertEquals(0, server.end().exit());
    }
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertTrue(server.output().contains(": 1 tables of"), server.output());
      assertTrue(server.output().contains(" 0 batches from the log"), server.output());
      assertFourKeys(client);
    }
  }

  private static void assertFourKeys(RawClient client) throws IOException {
    client.send("dbsize|get string|hget hash field|zscore zset member|sismember set member|");
    assertEquals(":4|$5|value|$5|value|$3|1.5|:1|", client.replies(5));
  }

  @Test
  void theBannerSaysThatNoWriteWillBeTaken() throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.start(directory, "--maxmemory", "4mb", "--min-replicas-to-write", "1");
        RawClient client = server.client()) {
      assertTrue(client.ask("set key value").startsWith("-OOM "));
      String said = server.output();
      assertTrue(!said.contains("without effect"), said);
      assertTrue(said.contains("maxmemory is below 8 MiB: no write is taken\n"), said);
      assertTrue(
          said.contains(
              "min-replicas-to-write asks for replicas: no write is taken before they are here\n"),
          said);
      server.stop();
    }
  }

  @Test
  void theBannerNamesInOneLineWhatHasNoEffect() throws IOException, InterruptedException {
    try (ServerProcess server =
        ServerProcess.start(directory, "--logfile", "x.log", "--maxmemory-policy", "allkeys-lru")) {
      String said = server.output();
      assertTrue(
          said.contains(
              "taken, but without effect here: maxmemory-policy (nothing is evicted),"
                  + " logfile (the log goes to standard output)\n"),
          said);
      server.stop();
    }
  }

  @Test
  void aSaveWithoutABackupSaysSoOnce() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      for (int i = 0; i < 2; i++) {
        assertEquals("+OK|", client.ask("save"));
      }
      End end = server.stop();
      assertEquals(2, end.out().split("no backup is made", -1).length, end.out());
    }
  }

  @Test
  void aSignalDuringLoadStopsCleanlyAndLosesNothingAcknowledged()
      throws IOException, InterruptedException {
    long acknowledged = 0;
    try (ServerProcess server = ServerProcess.start(directory, "--maxmemory", "16mb");
        RawClient client = server.client()) {
      Thread sender =
          new Thread(
              () -> {
                try {
                  while (true) {
                    client.send("incr counter|".repeat(50));
                  }
                } catch (IOException stopped) {
                  // As expected.
                }
              });
      sender.start();
      while (acknowledged < 1000) {
        client.reply();
        acknowledged++;
      }
      Thread stopper =
          new Thread(
              () -> {
                try {
                  server.stop();
                } catch (InterruptedException ended) {
                  Thread.currentThread().interrupt();
                }
              });
      stopper.start();
      acknowledged += client.untilClosed().split("\\|", -1).length - 1;
      stopper.join();
      sender.join();
      assertEquals(0, server.end().exit(), server.output());
    }
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      long found = Long.parseLong(client.ask("incrby counter 0").replaceAll("[:|]", ""));
      assertTrue(found >= acknowledged, found + " of " + acknowledged);
    }
  }

  @Test
  void aSecondServerOnADirectoryIsRefusedAndTheFirstGoesOn()
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("set key 1"));
      assertRefused(
          ServerProcess.runOn(directory),
          "directory "
              + directory
              + " is in use by another Varve; stop that one, or choose another --dir");
      assertEquals(":2|", client.ask("incr key"));
      server.stop();
    }
  }

  @Test
  void aPortInUseIsOneLineAndNothingIsLeft() throws IOException, InterruptedException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Path data = directory.resolve("data");
      End end = ServerProcess.run("--port", port, "--dir", data.toString());
      assertRefused(end, "cannot listen on 127.0.0.1:" + port + ": Address already in use");
      assertFalse(Files.exists(data), "a start that is refused leaves nothing");
    }
    try (ServerProcess server = ServerProcess.start(directory.resolve("data"));
        RawClient client = server.client()) {
      assertEquals(":0|", client.ask("dbsize"));
    }
  }

  @Test
  void librariesOfFunctionsSurviveAKill() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertEquals(
          "$1|l|",
          client.ask(
              "function load \"#!lua name=l\\n"
                  + "redis.register_function('f', function() return 'still here' end)\""));
      assertEquals("+OK|", client.ask("flushall"));
      server.kill();
    }
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertEquals("$10|still here|", client.ask("fcall f 0"));
    }
  }
}
