package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.ServerProcess.End;
import dev.varve.server.net.FakeMaster;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that follows another one, and is killed again and again. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FollowProcessTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int KILLS = Integer.getInteger("varve.kills", 6);
  private static final String ID = "0123456789abcdef0123456789abcdef01234567";
  private static final long SECONDS_MAX = 60;

  private static final String ONE =
      FakeMaster.request("MULTI")
          + FakeMaster.request("INCR", "a")
          + FakeMaster.request("INCR", "b")
          + FakeMaster.request("EXEC")
          + FakeMaster.request("PING");

  /** What is asked for after a kill is what is not here, to the byte. */
  @Test
  void goesOnWhereItWasKilled(@TempDir Path directory) throws IOException, InterruptedException {
    System.out.println("FollowProcessTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    try (FakeMaster master = new FakeMaster()) {
      long sent = 0;
      for (int kill = 0; kill <= KILLS; kill++) {
        try (ServerProcess server =
            ServerProcess.start(directory, "--replicaof", master.address())) {
          RawClient link = master.accept();
          String[] wanted = master.greet(link);
          long done;
          if (kill == 0) {
            assertEquals("?", wanted[0]);
            FakeMaster.sendAll(link, ID, 0, FakeMaster.dump("a", "0", "b", "0"));
            done = 0;
          } else {
            assertEquals(ID, wanted[0]);
            // The last PING may have been carried out without a trace.
            long offset = Long.parseLong(wanted[1]) - 1;
            done = (offset + FakeMaster.request("PING").length()) / ONE.length();
            long behind = done * ONE.length() - offset;
            assertEquals(true, behind == 0 || behind == FakeMaster.request("PING").length());
            link.send("+CONTINUE|" + FakeMaster.request("PING").repeat(behind == 0 ? 0 : 1));
          }
          assertCounts(server, done);
          int more = 1 + random.nextInt(3000);
          link.send(ONE.repeat(more));
          sent = done + more;
          if (kill == KILLS) {
            break;
          }
          Thread.sleep(random.nextInt(60));
          server.kill();
        }
      }
      try (ServerProcess server = ServerProcess.start(directory, "--replicaof", master.address())) {
        RawClient link = master.accept();
        long offset = Long.parseLong(master.greet(link)[1]) - 1;
        String all = ONE.repeat(Math.toIntExact(sent));
        link.send("+CONTINUE|" + all.substring(Math.toIntExact(offset)));
        assertCounts(server, sent);
      }
    }
  }

  private static final String LOADING = "-LOADING Varve is loading the dataset of its master|";

  /** Kills a server that has a part of a master's data in the place of its own. */
  private static void killWhileDataComes(Path directory, FakeMaster master)
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("SET mine 1"));
      assertEquals("+OK|", client.ask("REPLICAOF " + master.address()));
      RawClient link = master.accept();
      master.greet(link);
      String dump = FakeMaster.dump("a", "0", "b", "0");
      link.send("+FULLRESYNC " + ID + " 0|$" + dump.length() + "|" + dump.substring(0, 20));
      Await.until(
          () -> !client.ask("INFO keyspace").contains("db0"), SECONDS_MAX, () -> "mine is there");
      assertEquals(LOADING, client.ask("DBSIZE"));
      server.kill();
    }
  }

  @Test
  void aPartOfAllDataIsNotServedAfterAKill(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (FakeMaster master = new FakeMaster()) {
      killWhileDataComes(directory, master);
      for (int start = 0; start < 2; start++) {
        try (ServerProcess server =
                ServerProcess.start(directory, "--replicaof", master.address());
            RawClient client = server.client()) {
          assertEquals(LOADING, client.ask("DBSIZE"));
          RawClient link = master.accept();
          assertEquals("?", master.greet(link)[0]);
          assertEquals(LOADING, client.ask("DBSIZE"));
          if (start == 1) {
            FakeMaster.sendAll(link, ID, 0, FakeMaster.dump("a", "0", "b", "0"));
            assertCounts(server, 0);
            assertEquals(":2|", client.ask("DBSIZE"));
          }
          server.kill();
        }
      }
    }
  }

  @Test
  void aPartOfAllDataIsNotKeptByAServerThatFollowsNobody(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (FakeMaster master = new FakeMaster()) {
      killWhileDataComes(directory, master);
    }
    End export =
        ServerProcess.run(
            "--export", directory.resolve("a.rdb").toString(), "--dir", directory.toString());
    assertEquals(1, export.exit(), export::toString);
    assertTrue(export.err().contains(" has a part of a master's data only"), export::toString);
    for (String wanted : List.of(":0|", ":1|")) {
      try (ServerProcess server = ServerProcess.start(directory);
          RawClient client = server.client()) {
        assertEquals(wanted, client.ask("DBSIZE"));
        assertEquals("+OK|", client.ask("SET mine 2"));
        server.stop();
      }
    }
  }

  private static void assertCounts(ServerProcess server, long count) throws IOException {
    try (RawClient client = server.client()) {
      String number = Long.toString(count);
      String wanted = "$" + number.length() + "|" + number + "|";
      Await.until(
          () -> client.ask("GET b").equals(wanted), SECONDS_MAX, () -> "it comes to " + wanted);
      assertEquals(wanted, client.ask("GET a"));
    }
  }
}
