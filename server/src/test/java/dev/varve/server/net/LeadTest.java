package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that is followed: how it lets replicas begin, go on and end, and what it says of them.
 */
class LeadTest {
  private static final long SECONDS_MAX = 20;
  private static final String ID = "b".repeat(40);

  private ServerFixture server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    server = new ServerFixture("repl-backlog-size", "16384");
    client = server.client();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private FakeReplica replica() throws IOException {
    return new FakeReplica(server.client());
  }

  private String info(String field) throws IOException {
    return info(client, field);
  }

  private static String info(RawClient who, String field) throws IOException {
    for (String line : who.ask("INFO replication").split("\\|")) {
      if (line.startsWith(field + ":")) {
        return line.substring(field.length() + 1);
      }
    }
    return "";
  }

  private void awaitInfo(String field, String value) throws IOException {
    Await.until(() -> info(field).equals(value), SECONDS_MAX, () -> field + " becomes " + value);
  }

  @Test
  void allDataComesAndThenWhatIsWritten() throws IOException {
    client.ask("SET before 1");
    FakeReplica replica = replica();
    String dump = replica.loadAll();
    assertTrue(dump.startsWith("REDIS00"), dump);
    assertTrue(dump.contains("before"), dump);
    client.ask("SET after 2");
    assertFalse(replica.link().hasReply());
    replica.acknowledge();
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET after 2", replica.next());
    assertEquals(replica.history(), info("master_replid"));
    assertEquals(Long.toString(replica.offset()), info("master_repl_offset"));
  }

  @Test
  void aDumpHasWhatWasThereWhateverBecomesOfIt() throws IOException {
    // More than sockets hold, so that the rest is written later.
    String value = "x".repeat(1_000_000);
    for (int i = 0; i < 30; i++) {
      client.send(FakeMaster.request("SET", "long-" + i, value)).reply();
    }
    client.ask("SELECT 3");
    client.ask("SET moves 1");
    FakeReplica replica = replica();
    assertEquals("+OK|", replica.link().ask("REPLCONF capa eof"));
    replica.link().send("PSYNC ? -1|");
    awaitInfo("connected_slaves", "1");
    awaitPhase("send_bulk");
    assertEquals(":1|", client.ask("MOVE moves 0"));
    assertTrue(replica.loadNow().contains("moves"));
    replica.acknowledge();
    assertEquals("SELECT 3", replica.next());
    assertEquals("MOVE moves 0", replica.next());
  }

  private void awaitPhase(String label) throws IOException {
    Await.until(
        () -> info("slave0").contains("state=" + label), SECONDS_MAX, () -> "it is " + label);
  }

  @Test
  void itIsSaidWhoFollowsAndHowFar() throws IOException {
    assertEquals("*3|$6|master|:0|*0|", client.ask("ROLE"));
    FakeReplica replica = replica();
    replica.loadAll();
    awaitInfo("slave0", "ip=127.0.0.1,port=7,state=send_bulk,offset=0,lag=0");
    client.ask("SET a 1");
    replica.acknowledge();
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    replica.acknowledge();
    String offset = Long.toString(replica.offset());
    awaitInfo("slave0", "ip=127.0.0.1,port=7,state=online,offset=" + offset + ",lag=0");
    assertEquals("1", info("connected_slaves"));
    assertEquals("1", info("repl_backlog_active"));
    assertEquals(offset, info("repl_backlog_histlen"));
    assertEquals(
        "*3|$6|master|:" + offset + "|*1|*3|$9|127.0.0.1|$1|7|$2|" + offset + "|",
        client.ask("ROLE"));
    assertTrue(client.ask("CLIENT LIST TYPE replica").contains(" flags=S "));
    String clients = client.ask("INFO clients");
    assertTrue(clients.contains("connected_clients:1|"), clients);
    assertFalse(client.ask("CLIENT LIST TYPE normal").contains(" flags=S "));
    assertEquals(":1|", client.ask("CLIENT KILL TYPE replica"));
    awaitInfo("connected_slaves", "0");
  }

  @Test
  void aReplicaIsHeardWhileAllClientsArePaused() throws IOException {
    FakeReplica replica = replica().follow();
    client.ask("SET a 1");
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    client.ask("CLIENT PAUSE 1000000 ALL");
    replica.acknowledge();
    String offset = ",offset=" + replica.offset() + ",";
    // Whoever asks by a command is paused.
    Await.until(
        () ->
            server.server.keyspace().leading().statuses().stream()
                .anyMatch(status -> status.text().contains(offset)),
        SECONDS_MAX,
        () -> "it is heard");
  }

  @Test
  void nobodyFollowsBehindARequestWhoseReplyHasNotLeft() throws IOException {
    String refused = "-ERR SYNC and PSYNC are invalid with pending output|";
    client.ask("CONFIG SET appendfsync always");
    RawClient writer = server.client();
    assertEquals("+OK|" + refused, writer.send("SET a 1|PSYNC ? -1|").replies(2));
    assertEquals("+OK|" + refused, writer.send("SET a 2|SYNC|").replies(2));
    assertEquals("+PONG|", writer.ask("PING"));
    new FakeReplica(writer).loadAll();
  }

  @Test
  void whoWasAwayForAMomentGoesOnWhereItWas() throws IOException {
    FakeReplica first = replica().follow();
    client.ask("SET a 1");
    first.next();
    first.next();
    first.link().close();
    client.ask("SET a 2");
    FakeReplica again = replica();
    again.goOn(first);
    assertEquals("SET a 2", again.next());
    client.ask("SET a 3");
    assertEquals("SET a 3", again.next());
    // Not all of it was read.
    FakeReplica before = replica();
    before.goOn(first.history(), 0);
    assertEquals("SELECT 0", before.next());
    assertEquals("SET a 1", before.next());
    assertEquals("SET a 2", before.next());
  }

  @Test
  void whoWasAwayForTooLongOrElsewhereIsSentAllData() throws IOException {
    FakeReplica first = replica().follow();
    String value = "x".repeat(1000);
    for (int i = 0; i < 200; i++) {
      client.ask("SET a " + value);
    }
    // Those that follow have it all the same.
    assertEquals("SELECT 0", first.next());
    for (int i = 0; i < 200; i++) {
      assertEquals("SET a " + value, first.next());
    }
    // As long as one of them may lack it, others are told it too.
    FakeReplica sibling = replica();
    sibling.goOn(first.history(), 0);
    assertEquals("SELECT 0", sibling.next());
    sibling.link().close();
    client.ask("CONFIG SET replica-spool-size 0");
    first.acknowledge();
    String has = "offset=" + first.offset();
    Await.until(() -> client.ask("INFO replication").contains(has), SECONDS_MAX, () -> has);
    client.ask("SET a 1");
    FakeReplica late = replica();
    late.loadAll("PSYNC " + first.history() + " 1");
    assertEquals(first.history(), late.history());
    assertTrue(late.offset() > 200 * 1000);
    replica().loadAll("PSYNC " + "0".repeat(40) + " " + (late.offset() + 1));
    replica().loadAll("PSYNC " + first.history() + " " + (late.offset() + 1000));
  }

  @Test
  void whoAsksInATransactionOrForWhatIsNotKnownIsRefused() throws IOException {
    assertEquals("+OK|", client.ask("MULTI"));
    assertEquals("-ERR Command not allowed inside a transaction|", client.ask("SYNC"));
    assertEquals("+OK|", client.ask("DISCARD"));
    assertEquals("-ERR Unrecognized REPLCONF option: what|", client.ask("REPLCONF what 1"));
    assertEquals("-ERR syntax error|", client.ask("REPLCONF capa"));
  }

  @Test
  void whoKnowsNoMarksIsToldTheLength() throws IOException {
    client.ask("SET a 1");
    RawClient old = server.client();
    String head = old.send("SYNC|").firstLine();
    assertTrue(head.matches("\\$[0-9]+"), head);
    assertEquals("REDIS", old.upTo("S"));
    old.skip(Long.parseLong(head.substring(1)) - "REDIS".length());
    // It need not say that it has loaded that.
    client.ask("SET b 2");
    assertEquals("*2|$6|SELECT|$1|0|", old.reply());
    assertEquals("*3|$3|SET|$1|b|$1|2|", old.reply());
  }

  @Test
  void whoWantsADumpIsNoReplica() throws IOException {
    client.ask("SET a 1");
    FakeReplica dumped = replica();
    assertEquals("+OK|", dumped.link().ask("REPLCONF capa eof rdb-only 1"));
    dumped.link().send("SYNC|");
    assertTrue(dumped.dump().startsWith("REDIS00"));
    assertEquals("0", info("connected_slaves"));
    assertEquals(":0|", client.ask("WAIT 1 10"));
  }

  private void awaitBlocked() throws IOException {
    RawClient who = server.client();
    Await.until(
        () -> who.ask("INFO clients").contains("|blocked_clients:1|"),
        SECONDS_MAX,
        () -> "somebody waits");
  }

  @Test
  void aClientWaitsUntilItsWriteIsElsewhere() throws IOException {
    assertEquals(":0|", client.ask("WAIT 0 0"));
    FakeReplica one = replica().follow();
    FakeReplica other = replica().follow();
    client.ask("SET a 1");
    client.send("WAIT 1 0|");
    awaitBlocked();
    for (FakeReplica replica : List.of(one, other)) {
      assertEquals("SELECT 0", replica.next());
      assertEquals("SET a 1", replica.next());
      replica.acknowledge();
      assertEquals("REPLCONF GETACK *", replica.next());
    }
    String answer = client.reply();
    assertTrue(answer.equals(":1|") || answer.equals(":2|"), answer);
    assertEquals(":2|", client.ask("WAIT 2 0"));
    client.ask("SET a 2");
    client.send("WAIT 2 50|");
    assertEquals("SET a 2", one.next());
    one.acknowledge();
    assertEquals(":1|", client.reply());
  }

  @Test
  void aClientWaitsForWhatItHasReadOrPublishedToo() throws IOException {
    FakeReplica replica = replica().follow();
    server.client().ask("SET a 1");
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    replica.acknowledge();
    awaitAcknowledged(1);
    server.client().ask("SET a 2");
    assertEquals("$1|2|", client.ask("GET a"));
    assertEquals(":0|", client.ask("WAIT 1 10"));
    assertEquals("SET a 2", replica.next());
    replica.acknowledge();
    assertEquals(":1|", client.ask("WAIT 1 0"));
    client.ask("PUBLISH channel message");
    assertEquals(":0|", client.ask("WAIT 1 10"));
  }

  private void awaitAcknowledged(int replicas) throws IOException {
    Await.until(
        () -> client.ask("WAIT " + replicas + " 10").equals(":" + replicas + "|"),
        SECONDS_MAX,
        () -> "what was sent is not acknowledged");
  }

  @Test
  void whoWaitsForReplicasIsToldOnceAnotherServerIsFollowed() throws IOException {
    FakeReplica replica = replica().follow();
    client.ask("SET a 1");
    client.send("WAIT 1 0|");
    awaitBlocked();
    assertEquals("SELECT 0", replica.next());
    server.client().ask("REPLICAOF 127.0.0.1 1");
    String reply = client.reply();
    assertTrue(reply.startsWith("-UNBLOCKED "), reply);
    assertEquals("", client.untilClosed());
  }

  /** As Redis 7.2. */
  @Test
  void aClientWaitsUntilItsWriteIsSyncedHere() throws IOException {
    assertEquals("*2|:1|:0|", client.ask("WAITAOF 1 0 0"), "it has written nothing");
    client.ask("CONFIG SET appendfsync no");
    client.ask("SET a 1");
    assertEquals("*2|:0|:0|", client.ask("WAITAOF 0 0 0"));
    assertEquals("*2|:0|:0|", client.ask("WAITAOF 1 0 10"));
    client.send("MULTI|WAITAOF 1 0 0|EXEC|").replies(2);
    assertEquals("*1|*2|:0|:0|", client.reply(), "nobody waits inside of a transaction");
    client.send("WAITAOF 1 0 0|");
    awaitBlocked();
    RawClient other = server.client();
    assertEquals("*2|:1|:0|", other.ask("WAITAOF 1 0 10"), "which has written nothing");
    other.ask("CONFIG SET appendfsync everysec");
    assertEquals("*2|:1|:0|", client.reply());
    client.ask("CONFIG SET appendfsync always");
    assertEquals("+OK|*2|:1|:0|", client.send("SET a 2|WAITAOF 1 0 0|").replies(2));
    String notInRange = "-ERR value is out of range, value must between 0 and 1|";
    assertEquals(notInRange, client.ask("WAITAOF 2 0 0"));
    assertEquals("-ERR value is not an integer or out of range|", client.ask("WAITAOF a 0 0"));
    String notPositive = "-ERR value is out of range, must be positive|";
    assertEquals(notPositive, client.ask("WAITAOF 0 -1 0"));
    assertEquals("-ERR timeout is negative|", client.ask("WAITAOF 0 0 -1"));
    assertEquals("-ERR timeout is not an integer or out of range|", client.ask("WAITAOF 0 0 a"));
  }

  @Test
  void aClientWaitsUntilItsWriteIsSyncedElsewhere() throws IOException {
    FakeReplica replica = replica().follow();
    FakeReplica silent = replica().follow();
    client.ask("SET a 1");
    for (FakeReplica each : List.of(replica, silent)) {
      assertEquals("SELECT 0", each.next());
      assertEquals("SET a 1", each.next());
      each.acknowledge();
    }
    assertEquals(":2|", client.ask("WAIT 2 0"));
    replica.synced(replica.offset() - 1);
    client.send("WAITAOF 1 1 0|");
    awaitBlocked();
    replica.synced(replica.offset());
    assertEquals("*2|:1|:1|", client.reply());
    assertEquals("*2|:1|:1|", client.ask("WAITAOF 0 2 10"), "the other does not tell");
  }

  @Test
  void writesAreRefusedWithoutEnoughReplicas() throws IOException {
    client.ask("CONFIG SET min-replicas-to-write 1");
    String refused = "-NOREPLICAS Not enough good replicas to write.|";
    assertEquals(refused, client.ask("SET a 1"));
    assertEquals("0", info("min_slaves_good_slaves"));
    FakeReplica replica = replica();
    replica.loadAll();
    assertEquals(refused, client.ask("SET a 1"));
    replica.acknowledge();
    awaitInfo("min_slaves_good_slaves", "1");
    assertEquals("+OK|", client.ask("SET a 1"));
    replica.link().close();
    awaitInfo("min_slaves_good_slaves", "0");
    assertEquals(refused, client.ask("SET a 1"));
  }

  @Test
  void whoIsTooFarBehindIsClosed() throws IOException {
    client.ask("CONFIG SET client-output-buffer-limit \"replica 1mb 0 0\"");
    FakeReplica replica = replica().follow();
    awaitInfo("connected_slaves", "1");
    String value = "x".repeat(100_000);
    Await.until(
        () -> {
          client.send("*3|$3|SET|$1|a|$100000|" + value + "|").reply();
          return info("connected_slaves").equals("0");
        },
        SECONDS_MAX,
        () -> "it is closed");
    assertNotEquals("", replica.history());
  }

  @Test
  void whoIsBehindForTooLongIsClosed() throws IOException {
    client.ask("CONFIG SET client-output-buffer-limit \"replica 0 100kb 1\"");
    replica().follow();
    awaitInfo("connected_slaves", "1");
    // More than the sockets hold.
    String value = "x".repeat(1_000_000);
    for (int i = 0; i < 30; i++) {
      client.send(FakeMaster.request("SET", "a", value)).reply();
    }
    awaitInfo("connected_slaves", "0");
  }

  @Test
  void whoSaysNothingIsClosed() throws IOException {
    FakeReplica replica = replica().follow();
    client.ask("CONFIG SET repl-timeout 1");
    replica.link().untilClosed();
    awaitInfo("connected_slaves", "0");
  }

  @Test
  void replicasAreToldThatThereIsNothingNew() throws IOException {
    FakeReplica replica = replica().follow();
    client.ask("CONFIG SET repl-ping-replica-period 1");
    assertEquals("*1|$4|PING|", replica.link().reply());
    assertEquals("*1|$4|PING|", replica.link().reply());
  }

  @Test
  void whereACommitIsLostAllDataComesAgain() throws IOException {
    FakeReplica replica = replica().follow();
    server.engine.commitFails(true);
    client.send("SET a 1|");
    replica.link().untilClosed();
    server.engine.commitFails(false);
    client = server.client();
    Await.until(() -> client.ask("SET b 1").equals("+OK|"), SECONDS_MAX, () -> "writes are taken");
    FakeReplica again = replica();
    again.loadAll("PSYNC " + replica.history() + " " + (replica.offset() + 1));
    assertNotEquals(replica.history(), again.history());
  }

  @Test
  void nobodyIsSentAllDataWhileACommitIsInDoubt() throws IOException {
    FakeReplica replica = replica().follow();
    server.engine.commitFails(true);
    client.send("SET a v|");
    replica.link().untilClosed();
    FakeReplica early = replica();
    early.link().send("PSYNC ? -1|");
    early.link().untilClosed();
    server.engine.commitFails(false);
    client = server.client();
    Await.until(() -> client.ask("SET b 1").equals("+OK|"), SECONDS_MAX, () -> "writes are taken");
    assertTrue(replica().loadAll().contains("\1a\1v"), "and who comes has it");
  }

  @Test
  void whatASyncFailedForIsToldOnceItIsSafe() throws IOException {
    client.ask("CONFIG SET appendfsync always repl-ping-replica-period 3600");
    FakeReplica replica = replica().follow();
    AtomicBoolean fails = new AtomicBoolean(true);
    server.engine.beforeSync(
        () -> {
          if (fails.getAndSet(false)) {
            throw new IllegalStateException("the sync fails");
          }
        });
    client.send("SET a v|");
    client.untilClosed();
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a v", replica.next());
  }

  @Test
  void whoFollowsMayBeFollowed() throws IOException {
    try (FakeMaster master = new FakeMaster()) {
      client.ask("SET mine 1");
      FakeReplica early = replica().follow();
      assertEquals("+OK|", client.ask("REPLICAOF " + master.address()));
      RawClient link = master.accept();
      master.greet(link);
      assertEquals(
          "-NOMASTERLINK Can't SYNC while not connected with my master|",
          new Asking(server.client()).ask("PSYNC ? -1"));
      FakeMaster.sendAll(link, ID, 0, FakeMaster.dump("a", "1"));
      early.link().untilClosed();
      Await.until(() -> info("master_link_status").equals("up"), SECONDS_MAX, () -> "it follows");
      // What the master sends is handed on as it is, and of its history.
      FakeReplica late = replica().follow();
      assertEquals(ID, late.history());
      assertEquals(0, late.offset());
      link.send(FakeMaster.request("SET", "b", "2"));
      assertEquals("SET b 2", late.next());
      link.send(FakeMaster.request("MULTI") + FakeMaster.request("SELECT", "3"));
      link.send(FakeMaster.request("GET", "a") + FakeMaster.request("EXEC"));
      assertEquals("MULTI", late.next());
      assertEquals("SELECT 3", late.next());
      assertEquals("GET a", late.next());
      assertEquals("EXEC", late.next());
      FakeReplica later = replica();
      assertTrue(later.loadAll().contains("repl-stream-db\u00013"), "goes on in database 3");
      assertEquals(late.offset(), later.offset());
      assertEquals(
          "-ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0"
              + " if a replica is configured to be writable (which is not the default) writes to"
              + " replicas are just local and are not propagated.|",
          client.ask("WAIT 1 0"));
      assertEquals(
          "-ERR WAITAOF cannot be used with replica instances. Please also note that writes to"
              + " replicas are just local and are not propagated.|",
          client.ask("WAITAOF 1 0 0"));
      assertEquals("+OK|", client.ask("REPLICAOF NO ONE"));
      client.ask("SET c 3");
      // It is to know that what comes is of another history from here on.
      late.link().untilClosed();
      FakeReplica again = replica();
      again.goOnInAnother(ID, late.offset());
      assertNotEquals(ID, again.history());
      assertEquals(again.history(), info("master_replid"));
      assertEquals(ID, info("master_replid2"));
      assertEquals(Long.toString(late.offset() + 1), info("second_repl_offset"));
      assertEquals("SELECT 0", again.next());
      assertEquals("SET c 3", again.next());
      // In the old one nobody can be further than the server was.
      replica().loadAll("PSYNC " + ID + " " + (late.offset() + 2));
    }
  }

  /** Who has said that he knows marks. */
  private record Asking(RawClient link) {
    String ask(String request) throws IOException {
      assertEquals("+OK|", link.ask("REPLCONF capa eof"));
      return link.ask(request);
    }
  }

  @Test
  void theServerStopsWhileSomebodyDoesNotReadAllData() throws IOException {
    for (int i = 0; i < 200; i++) {
      client.send("*3|$3|SET|$3|" + (100 + i) + "|$100000|" + "x".repeat(100_000) + "|").reply();
    }
    FakeReplica replica = replica();
    assertEquals("+OK|", replica.link().ask("REPLCONF capa eof"));
    replica.link().send("PSYNC ? -1|").firstLine();
    server.close();
    assertTrue(server.engine.isClosed());
    server = new ServerFixture();
  }

  @Test
  void whatIsKeptForThemIsLetGoWhenNoneComesBack() throws IOException {
    client.ask("CONFIG SET repl-backlog-ttl 1");
    FakeReplica replica = replica().follow();
    replica.link().close();
    awaitInfo("repl_backlog_active", "0");
    assertNotEquals(replica.history(), info("master_replid"));
  }
}
