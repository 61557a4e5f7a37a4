package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** FAILOVER: a replica takes over, or does not, and no write is lost on the way. */
class FailoverCommandTest {
  private static final long SECONDS_MAX = 20;
  private static final String OTHER_ID = "b".repeat(40);
  private static final String READ_ONLY = "-READONLY You can't write against a read only replica.|";
  private static final String IS_MASTER = "-ERR PSYNC FAILOVER can't be sent to a master.|";

  private ServerFixture server;
  private RawClient client;

  /** Where the replica listens that a test plays. */
  private FakeMaster target;

  @BeforeEach
  void start() throws IOException {
    server = new ServerFixture();
    client = server.client();
    target = new FakeMaster();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    target.close();
  }

  private static String info(RawClient who, String section, String field) throws IOException {
    for (String line : who.ask("INFO " + section).split("\\|")) {
      if (line.startsWith(field + ":")) {
        return line.substring(field.length() + 1);
      }
    }
    return "";
  }

  private static void await(RawClient who, String field, String value) throws IOException {
    Await.until(
        () -> info(who, "replication", field).equals(value),
        SECONDS_MAX,
        () -> field + " becomes " + value);
  }

  private void awaitState(String state) throws IOException {
    await(client, "master_failover_state", state);
  }

  /** One that has all that was written, and is online. */
  private FakeReplica replica() throws IOException {
    FakeReplica replica = new FakeReplica(server.client(), target.port()).follow();
    String isOnline = "state=online,offset=" + replica.offset();
    Await.until(
        () -> info(client, "replication", "slave0").contains(isOnline),
        SECONDS_MAX,
        () -> "it is online");
    return replica;
  }

  /** The replica says that it has all, and is asked to take over. */
  private RawClient handOver(FakeReplica replica) throws IOException {
    assertEquals("REPLCONF GETACK *", replica.next());
    replica.acknowledge();
    RawClient link = target.accept();
    String wanted =
        FakeMaster.request(
            "PSYNC", replica.history(), Long.toString(replica.offset() + 1), "FAILOVER");
    assertEquals(wanted.replace("\r\n", "|"), target.psync(link));
    assertEquals("failover-in-progress", info(client, "replication", "master_failover_state"));
    return link;
  }

  @Test
  void isRefusedWhereItCannotBe() throws IOException {
    assertEquals("-ERR No failover in progress.|", client.ask("FAILOVER ABORT"));
    assertEquals("-ERR FAILOVER requires connected replicas.|", client.ask("FAILOVER"));
    FakeReplica replica = new FakeReplica(server.client(), target.port());
    replica.loadAll();
    String address = target.address();
    assertEquals("-ERR syntax error|", client.ask("FAILOVER TO 127.0.0.1"));
    assertEquals("-ERR syntax error|", client.ask("FAILOVER FORCE FORCE"));
    assertEquals("-ERR syntax error|", client.ask("FAILOVER ABORT TIMEOUT 1"));
    assertEquals("-ERR FAILOVER timeout must be greater than 0|", client.ask("FAILOVER TIMEOUT 0"));
    assertEquals(
        "-ERR value is not an integer or out of range|", client.ask("FAILOVER TIMEOUT soon"));
    assertEquals(
        "-ERR FAILOVER with force option requires both a timeout and target HOST and IP.|",
        client.ask("FAILOVER TO " + address + " FORCE"));
    assertEquals(
        "-ERR FAILOVER target HOST and PORT is not a replica.|",
        client.ask("FAILOVER TO 127.0.0.1 " + (4294967296L + target.port())));
    assertEquals(
        "-ERR FAILOVER target replica is not online.|", client.ask("FAILOVER TO " + address));
    replica.acknowledge();
    client.ask("REPLICAOF 127.0.0.1 1");
    assertEquals("-ERR FAILOVER is not valid when server is a replica.|", client.ask("FAILOVER"));
  }

  @Test
  void twoServersChangePlacesAndNothingIsLost() throws IOException {
    try (ServerFixture other = new ServerFixture()) {
      RawClient there = other.client();
      there.ask("REPLICAOF 127.0.0.1 " + server.server.port());
      await(there, "master_link_status", "up");
      RawClient writer = server.client();
      int written = 0;
      assertEquals("+OK|", client.ask("FAILOVER TIMEOUT 10000"));
      // What comes while it is on is held, and refused in the end.
      String reply = writer.ask("INCR writes");
      while (!reply.equals(READ_ONLY)) {
        written++;
        assertEquals(":" + written + "|", reply);
        reply = writer.ask("INCR writes");
      }
      await(there, "role", "master");
      await(client, "master_link_status", "up");
      assertEquals("no-failover", info(client, "replication", "master_failover_state"));
      assertEquals(":" + (written + 1) + "|", there.ask("INCR writes"));
      assertEquals("+OK|", there.ask("FAILOVER"));
      await(client, "role", "master");
      await(there, "master_link_status", "up");
      assertEquals(":" + (written + 2) + "|", client.ask("INCR writes"));
      assertEquals("1", info(client, "stats", "sync_full"));
      assertEquals("0", info(there, "stats", "sync_full"));
    }
  }

  @Test
  void writesWaitUntilTheReplicaHasAllAndReadsDoNot() throws IOException {
    FakeReplica replica = replica();
    client.ask("SET a 1");
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    assertEquals("+OK|", client.ask("FAILOVER"));
    RawClient writer = server.client();
    writer.send("SET a 2|");
    assertEquals("$1|1|", client.ask("GET a"));
    assertEquals("waiting-for-sync", info(client, "replication", "master_failover_state"));
    assertEquals("+OK|", client.ask("CLIENT UNPAUSE"));
    RawClient link = handOver(replica);
    assertFalse(writer.hasReply());
    link.send("+CONTINUE " + OTHER_ID + "|");
    assertEquals(READ_ONLY, writer.reply());
    awaitState("no-failover");
    assertEquals("slave", info(client, "replication", "role"));
    assertEquals(OTHER_ID, info(client, "replication", "master_replid"));
    assertEquals(replica.history(), info(client, "replication", "master_replid2"));
  }

  @Test
  void nothingElseIsFollowedAndNobodyJoinsMeanwhile() throws IOException {
    FakeReplica replica = replica();
    assertEquals("+OK|", client.ask("FAILOVER"));
    assertEquals("-ERR FAILOVER already in progress.|", client.ask("FAILOVER"));
    assertEquals(
        "-ERR REPLICAOF not allowed while failing over.|", client.ask("REPLICAOF 127.0.0.1 1"));
    assertEquals("-ERR REPLICAOF not allowed while failing over.|", client.ask("REPLICAOF NO ONE"));
    assertEquals("-NOMASTERLINK Can't SYNC while failing over|", server.client().ask("PSYNC ? -1"));
    handOver(replica);
  }

  @Test
  void whoLosesItsLinkWhileItIsWaitedForGoesOn() throws IOException {
    FakeReplica replica = replica();
    assertEquals("+OK|", client.ask("FAILOVER"));
    replica.link().close();
    FakeReplica again = new FakeReplica(server.client(), target.port());
    again.goOn(replica);
    again.acknowledge();
    handOver(again).send("+CONTINUE " + OTHER_ID + "|");
    awaitState("no-failover");
    assertEquals("slave", info(client, "replication", "role"));
  }

  @Test
  void whereTheReplicaSaysNoThisServerGoesOn() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    RawClient writer = server.client();
    writer.send("SET a 2|");
    handOver(replica).send("-ERR PSYNC FAILOVER replid must match my replid.|");
    assertEquals("+OK|", writer.reply());
    awaitState("no-failover");
    assertEquals("master", info(client, "replication", "role"));
    // Nobody hears of it but those who are still there, or come back.
    FakeReplica again = new FakeReplica(server.client());
    again.goOnInAnother(replica.history(), replica.offset());
    assertEquals("SELECT 0", again.next());
    assertEquals("SET a 2", again.next());
  }

  @Test
  void whereItSaysNoBesideAScriptThisServerGoesOnBehindThat() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    RawClient writer = server.client();
    writer.send("SET a 2|");
    RawClient link = handOver(replica);
    RawClient script = server.client();
    script.send("EVAL \"#!lua flags=no-writes\\nwhile true do end\" 0|");
    Await.until(
        server.server.keyspace().longRun()::isRunning, SECONDS_MAX, () -> "it does not take long");
    link.send("-ERR PSYNC FAILOVER replid must match my replid.|");
    assertThrows(IOException.class, link::reply);
    assertEquals("+OK|", server.client().ask("SCRIPT KILL"));
    assertTrue(script.reply().startsWith("-ERR Script killed by user"));
    assertEquals("+OK|", writer.reply());
    awaitState("no-failover");
    assertEquals("master", info(client, "replication", "role"));
  }

  @Test
  void aReplicaThatHasItsOwnTroublesIsAskedAgain() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    handOver(replica).send("-LOADING it loads|");
    RawClient link = target.accept();
    assertTrue(target.psync(link).endsWith("|FAILOVER|"));
    link.close();
    link = target.accept();
    assertTrue(target.psync(link).endsWith("|FAILOVER|"));
    link.send("+CONTINUE " + OTHER_ID + "|");
    awaitState("no-failover");
    assertEquals("slave", info(client, "replication", "role"));
  }

  @Test
  void whoHasTakenOverAlreadyIsFollowedIfItKnowsAll() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    RawClient link = handOver(replica);
    link.send(IS_MASTER);
    assertFalse(link.reply().contains("FAILOVER"));
    link.send("+CONTINUE " + OTHER_ID + "|");
    awaitState("no-failover");
    assertEquals("slave", info(client, "replication", "role"));
  }

  @Test
  void whoHasOtherDataDoesNotReplaceWhatIsHere() throws IOException {
    client.ask("SET a 1");
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    RawClient link = handOver(replica);
    link.send(IS_MASTER);
    link.reply();
    FakeMaster.sendAll(link, OTHER_ID, 0, FakeMaster.dump("a", "2"));
    awaitState("no-failover");
    assertEquals("master", info(client, "replication", "role"));
    assertEquals("$1|1|", client.ask("GET a"));
  }

  @Test
  void whatIsWrittenInTheMeantimeIsAskedForToo() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    assertEquals("REPLCONF GETACK *", replica.next());
    // WAIT asks too, and that is told like what is written.
    RawClient waiting = server.client();
    waiting.send("WAIT 5 0|");
    assertEquals("REPLCONF GETACK *", replica.next());
    replica.acknowledge();
    handOver(replica);
  }

  @Test
  void endsWhenItsTimeIsOver() throws IOException {
    FakeReplica replica = replica();
    RawClient writer = server.client();
    client.ask("FAILOVER TO " + target.address() + " TIMEOUT 50");
    writer.send("SET a 1|");
    assertEquals("REPLCONF GETACK *", replica.next());
    assertEquals("+OK|", writer.reply());
    awaitState("no-failover");
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
  }

  @Test
  void byForceTheReplicaTakesOverWithoutHavingAll() throws IOException {
    client.ask("SET a 1");
    FakeReplica replica = replica();
    client.ask("FAILOVER TO " + target.address() + " TIMEOUT 50 FORCE");
    RawClient link = target.accept();
    assertTrue(target.psync(link).endsWith("|FAILOVER|"));
    FakeMaster.sendAll(link, OTHER_ID, replica.offset(), FakeMaster.dump("a", "2"));
    awaitState("no-failover");
    Await.until(() -> client.ask("GET a").equals("$1|2|"), SECONDS_MAX, () -> "its data is here");
  }

  @Test
  void aClientEndsItAtAnyTime() throws IOException {
    FakeReplica replica = replica();
    client.ask("FAILOVER");
    assertEquals("+OK|", client.ask("FAILOVER ABORT"));
    assertEquals("+OK|", client.ask("SET a 1"));
    assertEquals("REPLCONF GETACK *", replica.next());
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    client.ask("FAILOVER");
    handOver(replica);
    assertEquals("+OK|", client.ask("FAILOVER ABORT"));
    assertEquals("master", info(client, "replication", "role"));
    assertEquals("+OK|", client.ask("SET a 2"));
  }

  @Test
  void aReplicaTakesOverOnlyFromItsMaster() throws IOException {
    assertEquals(IS_MASTER, server.client().ask("PSYNC " + OTHER_ID + " 1 FAILOVER"));
    client.ask("REPLICAOF " + target.address());
    RawClient link = target.acceptUpTo("?", -1);
    FakeMaster.sendAll(link, OTHER_ID, 100, FakeMaster.dump("a", "1"));
    await(client, "master_link_status", "up");
    assertEquals(
        "-ERR PSYNC FAILOVER replid must match my replid.|",
        server.client().ask("PSYNC " + "c".repeat(40) + " 101 FAILOVER"));
    assertEquals("slave", info(client, "replication", "role"));
    String reply = server.client().ask("PSYNC " + OTHER_ID + " 101 FAILOVER");
    assertEquals("master", info(client, "replication", "role"));
    assertEquals("+CONTINUE " + info(client, "replication", "master_replid") + "|", reply);
    assertEquals("+OK|", client.ask("SET a 2"));
  }
}
