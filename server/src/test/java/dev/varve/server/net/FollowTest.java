package dev.varve.server.net;

import static dev.varve.server.net.FakeMaster.dump;
import static dev.varve.server.net.FakeMaster.request;
import static dev.varve.server.net.FakeMaster.sendAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.FreePort;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.tls.TestIdentities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that follows another one: what it says to it, and what it does with what that says. */
class FollowTest extends FollowedMaster {
  private static final String OTHER_ID = "b".repeat(40);

  /** What a socket keeps that is to keep one connection until it is accepted, and a few more. */
  private static final int MORE_THAN_ARE_KEPT_WAITING = 8;

  private static final String READ_ONLY = "-READONLY You can't write against a read only replica.|";

  @Test
  void saysWhoItIsAsRedisDoes() throws IOException {
    client.ask("CONFIG SET masteruser me masterauth secret");
    client.ask("CONFIG SET replica-announce-ip 192.0.2.1 replica-announce-port 7");
    follow();
    RawClient link = master.accept();
    assertEquals("*1|$4|PING|", link.reply());
    link.send("-NOAUTH Authentication required.|");
    assertEquals("*3|$4|AUTH|$2|me|$6|secret|", link.reply());
    link.send("+OK|");
    assertEquals("*3|$8|REPLCONF|$14|listening-port|$1|7|", link.reply());
    link.send("-ERR never heard of it|");
    assertEquals("*3|$8|REPLCONF|$10|ip-address|$9|192.0.2.1|", link.reply());
    link.send("+OK|");
    assertEquals("*5|$8|REPLCONF|$4|capa|$3|eof|$4|capa|$6|psync2|", link.reply());
    link.send("+OK|");
    assertEquals("*3|$8|REPLCONF|$7|version|$5|9.0.0|", link.reply());
    link.send("-ERR Unrecognized REPLCONF option: version|");
    assertEquals("*3|$5|PSYNC|$1|?|$2|-1|", link.reply());
    assertEquals("*5|$5|slave|$9|127.0.0.1|:" + master.port() + "|$10|connecting|:-1|", role());
  }

  @Test
  void aClockThatWasAheadForAMomentIsThatOfTheSystemAgain() throws Exception {
    RawClient link = follow(1000, "a", "1");
    server.aheadMillis.set(3_600_000);
    client.ask("GET a");
    server.aheadMillis.set(0);
    String at = Long.toString(System.currentTimeMillis() + 600_000);
    link.send(request("SET", "k", "v", "PXAT", at) + request("SET", "b", "2"));
    await("GET b", "$1|2|");
    await("GET k", "$1|v|");
    client.ask("REPLICAOF NO ONE");
    await("SET c 3", "+OK|");
    assertEquals("$1|v|", client.ask("GET k"));
  }

  @Test
  void whatTheMasterHasLetThroughIsTakenHereWhateverTheLimitsOfClients() throws IOException {
    client.ask("CONFIG SET proto-max-bulk-len 1mb client-query-buffer-limit 1mb");
    RawClient link = follow(1000, "a", "1");
    link.send(request("SET", "long", "v".repeat(3_000_000)));
    await("STRLEN long", ":3000000|");
  }

  @Test
  void allDataReplacesWhatWasHere() throws IOException {
    client.ask("SET mine 1");
    client.ask("SELECT 3");
    client.ask("SET mine 1");
    client.ask("SELECT 0");
    follow(1000, "a", "1", "b", "2");
    assertEquals("*2|$1|a|$1|b|", client.ask("KEYS *"));
    client.ask("SELECT 3");
    assertEquals(":0|", client.ask("DBSIZE"));
  }

  @Test
  void dataWithoutALengthEndsAtItsMark() throws IOException {
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    String mark = "0123456789012345678901234567890123456789";
    String dump = dump("a", "1", "b", "2");
    // A master at work says nothing but empty lines.
    link.send("\n\n+FULLRESYNC " + ID + " 7\r\n\n\n$EOF:" + mark + "\r\n");
    link.send(dump.substring(0, 5));
    link.send(dump.substring(5) + mark.substring(0, 10));
    link.send(mark.substring(10));
    assertAcknowledged(link, 7);
    link.send(request("SELECT", "0") + request("APPEND", "a", "1"));
    await("GET a", "$2|11|");
    assertEquals(":2|", client.ask("DBSIZE"));
  }

  @Test
  void tellsTheMasterHowFarItHasSynced() throws IOException {
    RawClient link = follow(1000, "a", "1");
    String write = request("SET", "b", "2");
    link.send(write);
    String offset = Long.toString(1000L + write.length());
    String wanted = request("REPLCONF", "ACK", offset, "FACK", offset).replace("\r\n", "|");
    Await.until(() -> link.reply().equals(wanted), SECONDS_MAX, () -> wanted);
  }

  @Test
  void itsMasterWaitsForWhatIsSyncedHere() throws IOException {
    try (ServerFixture leader = new ServerFixture()) {
      RawClient writer = leader.client();
      client.ask("REPLICAOF 127.0.0.1 " + leader.server.port());
      for (int i = 0; i < 3; i++) {
        writer.ask("INCR a");
        assertEquals("*2|:1|:1|", writer.ask("WAITAOF 1 1 0"));
      }
      // What is not synced is not said to be.
      client.ask("CONFIG SET appendfsync no");
      writer.ask("INCR a");
      assertEquals("*2|:1|:0|", writer.ask("WAITAOF 1 1 2500"));
    }
  }

  @Test
  void whatTheMasterWritesIsCountedInBytes() throws IOException {
    RawClient link = follow(1000, "a", "1");
    String first = request("SET", "b", "2");
    String wrong = request("INCR", "b", "and", "more");
    String queued = request("MULTI") + request("INCR", "b") + request("INCR", "b");
    link.send(first + wrong + queued);
    await("GET b", "$1|2|");
    assertAcknowledged(link, 1000 + first.length() + wrong.length());
    link.send(request("EXEC") + request("REPLCONF", "GETACK", "*"));
    long all = 1000L + (first + wrong + queued + request("EXEC")).length();
    assertAcknowledged(link, all);
    assertEquals("$1|4|", client.ask("GET b"));
    assertEquals(ID, info("replication", "master_replid"));
    assertEquals("up", info("replication", "master_link_status"));
    assertEquals("1", info("replication", "master_requests_failed"));
  }

  @Test
  void anotherLinkGoesOnWhereTheLastOneEnded() throws IOException {
    RawClient link = follow(1000, "a", "1");
    String before = request("SELECT", "2") + request("SET", "b", "2");
    link.send(before + request("MULTI") + request("SET", "b", "3"));
    client.ask("SELECT 2");
    await("GET b", "$1|2|");
    link.close();
    long offset = 1000 + before.length();
    RawClient next = master.acceptUpTo(ID, offset + 1);
    next.send("+CONTINUE " + OTHER_ID + "|" + request("APPEND", "b", "x"));
    await("GET b", "$2|2x|");
    next.close();
    RawClient last = master.acceptUpTo(OTHER_ID, offset + 1 + request("APPEND", "b", "x").length());
    sendAll(last, ID, 5, dump("c", "1"));
    assertAcknowledged(last, 5);
    client.ask("SELECT 0");
    assertEquals("*1|$1|c|", client.ask("KEYS *"));
    last.send(request("SET", "d", "in the first database"));
    await("EXISTS d", ":1|");
  }

  @Test
  void dataThatDoesNotComeToItsEndIsNotServed() throws IOException {
    client.ask("SET mine 1");
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    assertEquals("$1|1|", client.ask("GET mine"));
    String dump = dump("a", "1", "b", "2");
    link.send("+FULLRESYNC " + ID + " 0|$" + dump.length() + "|" + dump.substring(0, 20));
    String loading = "-LOADING Varve is loading the dataset of its master|";
    await("GET mine", loading);
    assertEquals("1", info("persistence", "loading"));
    link.close();
    RawClient next = master.acceptUpTo("?", -1);
    assertEquals(loading, client.ask("GET mine"));
    sendAll(next, ID, 0, dump);
    await("GET a", "$1|1|");
    assertEquals(":2|", client.ask("DBSIZE"));
  }

  @Test
  void whatIsNoDataOfAServerLeavesWhatIsHere() throws IOException {
    client.ask("SET mine 1");
    follow();
    master.acceptUpTo("?", -1).send("+FULLRESYNC " + ID + " 0|$9|not a one");
    master.acceptUpTo("?", -1).send("+FULLRESYNC " + ID + " 0|hello|");
    master.acceptUpTo("?", -1).send("-LOADING not now|");
    master.acceptUpTo("?", -1).send("+CONTINUE|");
    master.accept().send("-ERR go away|");
    master.accept().send("x".repeat(5000));
    master.acceptUpTo("?", -1);
    assertEquals("$1|1|", client.ask("GET mine"));
  }

  @Test
  void halfOfItIsNothingToGoOnWith() throws IOException {
    client.ask("SET mine 1");
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    String dump = dump("a", "1", "b", "2");
    link.send("+FULLRESYNC " + ID + " 0|$" + dump.length() + "|" + dump.substring(0, 20));
    await("GET mine", "-LOADING Varve is loading the dataset of its master|");
    assertEquals("+OK|", client.ask("REPLICAOF NO ONE"));
    assertEquals(":0|", client.ask("DBSIZE"));
    assertEquals("+OK|", client.ask("SET mine 2"));
    assertEquals("*3|$6|master|:0|*0|", role());
    // The rest of it, which nobody wants.
    assertEquals("$1|2|", client.ask("GET mine"));
  }

  @Test
  void allOfItIsKeptThoughNobodyHasSaidSoYet() throws IOException {
    try (ServerFixture follower = new ServerFixture("io-threads", "1")) {
      RawClient its = follower.client();
      assertEquals("+OK|", its.ask("REPLICAOF " + master.address()));
      RawClient link = master.acceptUpTo("?", -1);
      AtomicInteger writes = new AtomicInteger();
      follower.engine.beforeWrite(
          () -> {
            // Room is made, the key comes, and then it is stored that this was all.
            if (writes.incrementAndGet() == 3) {
              try {
                its.send("REPLICAOF NO ONE|");
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            }
          });
      sendAll(link, ID, 0, dump("a", "1"));
      assertEquals("+OK|", its.reply());
      assertEquals("$1|1|", its.ask("GET a"));
      assertEquals("+OK|", its.ask("SET a 2"));
    }
  }

  @Test
  void whatWasQueuedBeforeTheDataIsStaleIsNotServed() throws IOException {
    client.ask("CONFIG SET replica-serve-stale-data no");
    client.ask("MULTI");
    client.ask("GET mine");
    RawClient other = server.client();
    assertEquals("+OK|", other.ask("REPLICAOF " + master.address()));
    String refused =
        "-EXECABORT Transaction discarded because of: MASTERDOWN Link with MASTER is down and"
            + " replica-serve-stale-data is set to 'no'.|";
    assertEquals(refused, client.ask("EXEC"));
    assertTrue(client.ask("PING").startsWith("-MASTERDOWN "));
  }

  @Test
  void clientsMayReadAndNotWrite() throws IOException {
    follow(0, "a", "1");
    assertEquals("$1|1|", client.ask("GET a"));
    assertEquals(READ_ONLY, client.ask("SET a 2"));
    assertEquals(READ_ONLY, client.ask("BLPOP l 0"));
    client.ask("MULTI");
    assertEquals(READ_ONLY, client.ask("SET a 2"));
    assertTrue(client.ask("EXEC").startsWith("-EXECABORT"));
    client.send("*3|$4|EVAL|$36|return redis.call('set','a','value')|$1|0|");
    assertTrue(client.reply().startsWith(READ_ONLY.substring(0, READ_ONLY.length() - 1)));
    client.send("*3|$4|EVAL|$28|return redis.call('get','a')|$1|0|");
    assertEquals("$1|1|", client.reply());
    client.send("*3|$4|EVAL|$16|#!lua\nreturn 'a'|$1|0|");
    assertEquals("-ERR Can not run script with write flag on readonly replica.|", client.reply());
    assertTrue(client.ask("HELLO").contains("$4|role|$7|replica|"));
    client.ask("CONFIG SET replica-read-only no");
    assertEquals("+OK|", client.ask("SET a 2"));
  }

  @Test
  void staleDataIsServedUnlessItIsNotTo() throws IOException {
    RawClient link = follow(0, "a", "1");
    link.close();
    master.accept();
    assertEquals("$1|1|", client.ask("GET a"));
    client.ask("CONFIG SET replica-serve-stale-data no");
    assertEquals(
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.|",
        client.ask("GET a"));
    assertTrue(client.ask("TIME").startsWith("*2"));
    assertEquals("down", info("replication", "master_link_status"));
  }

  @Test
  void nothingExpiresOfItself() throws IOException {
    RawClient link = follow(0, "a", "1", "b", "2");
    long past = System.currentTimeMillis() - 1000;
    link.send(
        request("PEXPIREAT", "a", Long.toString(past))
            + request("PEXPIREAT", "b", Long.toString(past))
            + request("HSET", "h", "f", "1", "g", "2")
            + request("HPEXPIREAT", "h", Long.toString(past), "FIELDS", "1", "f"));
    await("GET b", "$-1|");
    await("HLEN h", ":1|");
    assertEquals("*2|$1|g|$1|2|", client.ask("HGETALL h"));
    assertEquals("$-1|", client.ask("GET a"));
    assertEquals(":3|", client.ask("DBSIZE"));
    // The master had this done in time.
    link.send(request("PERSIST", "a") + request("HPERSIST", "h", "FIELDS", "1", "f"));
    await("GET a", "$1|1|");
    await("HLEN h", ":2|");
    assertEquals(":3|", client.ask("DBSIZE"));
    assertEquals("+OK|", client.ask("REPLICAOF NO ONE"));
    await("DBSIZE", ":2|");
    assertEquals("$1|1|", client.ask("GET a"));
  }

  @Test
  void whoWaitsForKeysIsToldAndWhoReadsIsServed() throws IOException {
    RawClient pops = server.client();
    pops.send("BLPOP l 0|");
    RawClient reads = server.client();
    Await.until(
        () -> info("clients", "blocked_clients").equals("1"), SECONDS_MAX, () -> "it waits");
    RawClient link = follow(0);
    assertTrue(pops.reply().startsWith("-UNBLOCKED force unblock"));
    reads.send("XREAD BLOCK 0 STREAMS x $|");
    Await.until(
        () -> info("clients", "blocked_clients").equals("1"), SECONDS_MAX, () -> "it waits");
    RawClient hears = server.client();
    hears.ask("SUBSCRIBE news");
    link.send(
        request("RPUSH", "l", "mine")
            + request("XADD", "x", "1-1", "f", "v")
            + request("PUBLISH", "news", "today"));
    assertEquals("*1|*2|$1|x|*1|*2|$3|1-1|*2|$1|f|$1|v|", reads.reply());
    assertEquals("*3|$7|message|$4|news|$5|today|", hears.reply());
    assertEquals(":1|", client.ask("LLEN l"));
  }

  @Test
  void theMasterIsObeyedWhereClientsAreNot() throws IOException {
    client.ask("CONFIG SET requirepass secret");
    client.ask("AUTH secret");
    client.ask("CONFIG SET min-replicas-to-write 1");
    RawClient link = follow(0, "a", "1");
    client.ask("CONFIG SET maxmemory 1mb");
    link.send(request("APPEND", "a", "2"));
    await("GET a", "$2|12|");
    String list = client.ask("CLIENT LIST TYPE master");
    assertTrue(list.contains(" flags=M "), list);
    assertTrue(!client.ask("CLIENT LIST TYPE normal").contains("flags=M"));
    client.ask("CONFIG SET timeout 1");
    client.ask("CLIENT KILL TYPE master");
    master.acceptUpTo(ID, 1 + request("APPEND", "a", "2").length());
  }

  @Test
  void aMasterWhoseCertificateIsGoodIsSpokenWithByTls(@TempDir Path directory) throws Exception {
    String tlsPort = Integer.toString(FreePort.any());
    try (RedisOracle redis =
        RedisOracle.start(
            directory,
            "--tls-port",
            tlsPort,
            "--tls-cert-file",
            TestIdentities.path("rsa.crt"),
            "--tls-key-file",
            TestIdentities.path("rsa.key"),
            "--tls-ca-cert-file",
            TestIdentities.path("authority.crt"),
            "--repl-diskless-sync-delay",
            "0")) {
      redis.run("SET", "a", "1");
      client.ask("CONFIG SET tls-replication yes");
      client.ask("REPLICAOF 127.0.0.1 " + tlsPort);
      // Without an authority to ask about it, it is not even connected to.
      Await.until(() -> role().contains("|connect|"), SECONDS_MAX, () -> "the first has failed");
      client.ask("CONFIG SET tls-ca-cert-file " + TestIdentities.path("stranger.crt"));
      awaitRefusals(redis);
      assertEquals(":0|", client.ask("DBSIZE"));
      client.ask(
          "CONFIG SET tls-cert-file "
              + TestIdentities.path("client.crt")
              + " tls-key-file "
              + TestIdentities.path("client.key")
              + " tls-ca-cert-file "
              + TestIdentities.path("authority.crt"));
      await("GET a", "$1|1|");
      redis.run("APPEND", "a", "2");
      await("GET a", "$2|12|");
    }
  }

  /** Two connections from here have reached it: the first was refused. */
  private static void awaitRefusals(RedisOracle redis) throws IOException {
    long[] newest = {newestClientOf(redis)};
    long[] others = {0};
    Await.until(
        () -> {
          long before = newest[0];
          newest[0] = newestClientOf(redis);
          others[0] += newest[0] - before - 1;
          return others[0] >= 2;
        },
        SECONDS_MAX,
        () -> "it connects again");
  }

  /** Each connection has a number there, if only for its handshake. */
  private static long newestClientOf(RedisOracle redis) throws IOException {
    try (RawClient another = new RawClient(redis.port())) {
      return Long.parseLong(another.ask("CLIENT ID").replaceAll("[:|]", ""));
    }
  }

  @Test
  void aSilentMasterIsConnectedToAnew() throws IOException {
    RawClient link = follow(0, "a", "1");
    String write = request("SET", "b", "2");
    link.send(write);
    assertAcknowledged(link, write.length());
    client.ask("CONFIG SET repl-timeout 1");
    // It goes on behind what has come; and so it does when it is not even told whether it may.
    master.acceptUpTo(ID, write.length() + 1);
    master.acceptUpTo(ID, write.length() + 1);
  }

  @Test
  void anotherMasterIsFollowedInstead() throws IOException {
    follow(0, "a", "1");
    assertEquals(
        "+OK Already connected to specified master|", client.ask("REPLICAOF " + master.address()));
    assertEquals("-ERR Invalid master port|", client.ask("REPLICAOF here 65536"));
    assertEquals("-ERR Invalid master port|", client.ask("REPLICAOF here there"));
    assertEquals("*2|$9|replicaof|$" + length(master.address()), config());
    try (FakeMaster other = new FakeMaster()) {
      assertEquals("+OK|", client.ask("SLAVEOF " + other.address()));
      // That one may be of the same history.
      RawClient link = other.acceptUpTo(ID, 1);
      sendAll(link, OTHER_ID, 3, dump("b", "2"));
      assertAcknowledged(link, 3);
      assertEquals("*1|$1|b|", client.ask("KEYS *"));
      assertEquals("*2|$9|replicaof|$" + length(other.address()), config());
      assertEquals("+OK|", client.ask("REPLICAOF no one"));
      assertEquals("*2|$9|replicaof|$0||", config());
      assertEquals("+OK|", client.ask("SET b 3"));
    }
  }

  @Test
  void aMasterThatDoesNotAnswerIsNotWaitedForBeforeAnotherOne() throws IOException {
    List<SocketChannel> others = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < MORE_THAN_ARE_KEPT_WAITING; i++) {
        SocketChannel other = SocketChannel.open();
        others.add(other);
        other.configureBlocking(false);
        other.connect(full.getLocalSocketAddress());
      }
      assertEquals("+OK|", client.ask("REPLICAOF 127.0.0.1 " + full.getLocalPort()));
      Await.until(() -> role().contains("|connecting|"), SECONDS_MAX, () -> "it connects");
      assertEquals("+OK|", client.ask("REPLICAOF " + master.address()));
      sendAll(master.acceptUpTo("?", -1), ID, 0, dump("a", "1"));
      await("GET a", "$1|1|");
    } finally {
      for (SocketChannel other : others) {
        other.close();
      }
    }
  }

  private String config() throws IOException {
    return client.ask("CONFIG GET replicaof");
  }

  private static String length(String text) {
    return text.length() + "|" + text + "|";
  }

  @Test
  void theStartFollowsWhomItIsTold() throws IOException {
    try (ServerFixture follower =
        new ServerFixture("replicaof", master.address(), "io-threads", "2")) {
      RawClient link = master.acceptUpTo("?", -1);
      sendAll(link, ID, 0, dump("a", "1"));
      await(follower.client(), "GET a", "$1|1|");
    }
  }
}
