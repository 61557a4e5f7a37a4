package dev.varve.server.net;

import static dev.varve.server.net.FakeMaster.dump;
import static dev.varve.server.net.FakeMaster.request;
import static dev.varve.server.net.FakeMaster.sendAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.MasterPosition;
import dev.varve.codec.store.Store;
import dev.varve.server.Await;
import dev.varve.server.command.run.LongRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that follows another one, whose writes take long. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FollowLongWritesTest {
  private static final String ID = FollowedMaster.ID;
  private static final int MEMBERS = 100_000;
  private static final int MEMBERS_PER_REQUEST = 1_000;
  private static final int SERVED_MIN = 3;
  private static final int ATTEMPTS = 20;
  private static final long SECONDS_MAX = 60;

  /** Takes long, and must be carried out once. */
  private static final String TRANSACTION =
      request("MULTI")
          + request("INCR", "count")
          + request("SUNIONSTORE", "to", "from")
          + request("SUNIONSTORE", "other", "from")
          + request("INCR", "count")
          + request("EXEC");

  @TempDir private Path directory;
  private FakeMaster master;
  private TreeServer server;
  private RawClient client;
  private LongRun longRun;
  private long offset;

  @BeforeEach
  void start() throws IOException {
    master = new FakeMaster();
    server = new TreeServer(directory);
    client = server.client();
    longRun = server.server().keyspace().longRun();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    master.close();
  }

  /** Follows the master, which has a set of many members. */
  private RawClient follow() throws IOException {
    assertEquals("+OK|", client.ask("REPLICAOF " + master.address()));
    RawClient link = master.acceptUpTo("?", -1);
    sendAll(link, ID, 0, dump());
    send(link, request("SELECT", "0"));
    for (int from = 0; from < MEMBERS; from += MEMBERS_PER_REQUEST) {
      String[] words = new String[MEMBERS_PER_REQUEST + 2];
      words[0] = "SADD";
      words[1] = "from";
      for (int i = 0; i < MEMBERS_PER_REQUEST; i++) {
        words[i + 2] = Integer.toString(from + i);
      }
      send(link, request(words));
    }
    FollowedMaster.await(client, "SCARD from", ":" + MEMBERS + "|");
    return link;
  }

  private void send(RawClient link, String requests) throws IOException {
    link.send(requests);
    offset += requests.length();
  }

  @Test
  void whoReadsIsServedMeanwhile() throws IOException {
    RawClient link = follow();
    int most = 0;
    // It may be over before this thread has a processor.
    for (int count = 1; count <= ATTEMPTS && most <= SERVED_MIN; count++) {
      send(link, TRANSACTION);
      String done = "$" + Integer.toString(2 * count).length() + "|" + 2 * count + "|";
      int served = 0;
      while (!client.ask("GET count").equals(done)) {
        served += longRun.isRunning() ? 1 : 0;
      }
      most = Math.max(most, served);
    }
    int times = most;
    assertTrue(times > SERVED_MIN, () -> times + " were served");
    assertEquals(":" + MEMBERS + "|", client.ask("SCARD to"));
    FollowedMaster.assertAcknowledged(link, offset);
    assertTrue(longRun.writes() > 0);
  }

  @Test
  void whatALostLinkHasBroughtIsCarriedOutOnce() throws IOException {
    RawClient link = follow();
    int lostMeanwhile = 0;
    int count = 0;
    while (count < ATTEMPTS && lostMeanwhile == 0) {
      send(link, TRANSACTION);
      count++;
      Await.until(longRun::isRunning, SECONDS_MAX, () -> "it is not long");
      link.close();
      Await.until(
          () -> client.ask("INFO replication").contains("|master_link_status:down|"),
          SECONDS_MAX,
          () -> "the link is not lost");
      lostMeanwhile += longRun.isRunning() ? 1 : 0;
      link = master.acceptUpTo(ID, offset + 1);
      link.send("+CONTINUE|");
    }
    assertTrue(lostMeanwhile > 0, "none was lost meanwhile");
    send(link, request("SET", "last", "1"));
    FollowedMaster.await(client, "GET last", "$1|1|");
    assertEquals(2 * count, Integer.parseInt(client.ask("GET count").split("\\|")[1]));
  }

  @Test
  void whoTakesOverDoesSoBehindIt() throws IOException {
    RawClient link = follow();
    RawClient other = server.client();
    send(link, TRANSACTION);
    Await.until(longRun::isRunning, SECONDS_MAX, () -> "it is not long");
    other.send("PSYNC " + ID + " " + (offset + 1) + " FAILOVER|");
    String reply = other.reply();
    assertTrue(reply.startsWith("+CONTINUE "), reply);
    assertEquals("$1|2|", client.ask("GET count"));
    assertEquals(":3|", client.ask("INCR count"));
  }

  @Test
  void whatCannotBeWrittenElsewhereIsAskedForAgain() throws IOException {
    RawClient link = follow();
    long before = offset;
    send(link, TRANSACTION);
    Await.until(longRun::isRunning, SECONDS_MAX, () -> "it is not long");
    // As a server does that stops.
    server.server().engine().endLending();
    master.acceptUpTo(ID, before + 1);
    assertEquals("$-1|", client.ask("GET count"));
  }

  @Test
  void whereItIsIsStoredWithWhatWasWrittenElsewhere() throws IOException {
    RawClient link = follow();
    longRun.writesLeaveAfterSteps(0);
    send(link, request("INCR", "count") + TRANSACTION);
    FollowedMaster.await(client, "GET count", "$1|3|");
    Store store = server.server().keyspace().engine().store();
    assertEquals(new MasterPosition(ID, offset, 0), MasterPosition.stored(store));
    assertTrue(longRun.writes() >= 2);
  }

  @Test
  void whatFailsElsewhereIsCounted() throws IOException {
    RawClient link = follow();
    longRun.writesLeaveAfterSteps(0);
    send(link, request("SET", "text", "x") + request("INCR", "text") + request("INCR", "count"));
    FollowedMaster.await(client, "GET count", "$1|1|");
    FollowedMaster.assertAcknowledged(link, offset);
    assertTrue(client.ask("INFO replication").contains("|master_requests_failed:1|"));
    assertTrue(longRun.writes() > 0);
  }
}
