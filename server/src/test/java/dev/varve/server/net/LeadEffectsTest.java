package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What replicas are told of commands that are random, wait, or depend on the time; {@code T} stands
 * for a moment in ms.
 */
class LeadEffectsTest {
  private static final long SECONDS_MAX = 20;
  private static final String MOMENT = "\\b[0-9]{13}\\b";

  private ServerFixture server;
  private RawClient client;
  private FakeReplica replica;

  @BeforeEach
  void start() throws IOException {
    server = new ServerFixture("enable-debug-command", "yes");
    client = server.client();
    replica = new FakeReplica(server.client()).follow();
    told("SET first 1", "SELECT 0", "SET first 1");
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  /** Replicas are told this, and nothing else, of a request of these words. */
  private void told(String request, String... wanted) throws IOException {
    ask(request);
    assertTold(wanted);
    assertNothingMore();
  }

  private void ask(String request) throws IOException {
    String reply = client.send(FakeMaster.request(request.split(" "))).reply();
    assertTrue(!reply.startsWith("-"), request + ": " + reply);
  }

  private void assertTold(String... wanted) throws IOException {
    for (String words : wanted) {
      assertEquals(words, replica.next().replaceAll(MOMENT, "T"));
    }
  }

  private void assertNothingMore() throws IOException {
    client.ask("PUBLISH end here");
    assertEquals("PUBLISH end here", replica.next());
  }

  @Test
  void whatChangesNothingIsNotTold() throws IOException {
    told("SETNX first 2");
    told("GET first");
    told("DEL none");
    told("EXPIRE none 100");
    told("SPOP none");
    told("GETEX first");
    told("PERSIST first");
    assertEquals(
        "-WRONGTYPE Operation against a key holding the wrong kind of value|",
        client.ask("LPUSH first 1"));
    assertNothingMore();
  }

  @Test
  void momentsAreToldAsTheyAre() throws IOException {
    told("SET a 1 EX 100", "SET a 1 PXAT T");
    told("SET a 1 PX 100000 NX");
    told("SET a 2 PX 100000 XX GET", "SET a 2 PXAT T");
    told("SET a 1 KEEPTTL", "SET a 1 KEEPTTL");
    told("SETEX a 100 1", "SET a 1 PXAT T");
    told("PSETEX a 100000 1", "SET a 1 PXAT T");
    told("EXPIRE a 200", "PEXPIREAT a T");
    told("EXPIRE a 100 GT");
    told("PEXPIRE a 100000", "PEXPIREAT a T");
    told("GETEX a EX 100", "PEXPIREAT a T");
    told("GETEX a PERSIST", "PERSIST a");
    told("EXPIREAT a 1", "DEL a");
    told("SET a 1", "SET a 1");
    told("GETEX a PXAT 1", "DEL a");
  }

  @Test
  void whatLaterReleasesHaveIsToldInWordsOfRedis7() throws IOException {
    told("SET first 2 IFEQ 1", "SET first 2");
    told("SET first 3 IFEQ 1");
    told("SET first 3 IFNE 2 GET");
    told("SET first 3 IFNE x KEEPTTL", "SET first 3 KEEPTTL");
    told("SET first 4 IFEQ 3 EX 100", "SET first 4 PXAT T");
    told("DELEX first IFEQ x");
    told("DELEX first IFEQ 4", "DEL first");
    told("SET first 1 IFNE x", "SET first 1");
    told("DELIFEQ first x");
    told("DELIFEQ first 1", "DEL first");
    told("MSETEX 2 a 1 b 2", "MSET a 1 b 2");
    told("MSETEX 2 a 1 c 2 NX EX 100");
    told("MSETEX 2 a 1 b 2 PX 100000", "MULTI", "SET a 1 PXAT T", "SET b 2 PXAT T", "EXEC");
    told("MSETEX 1 a 2 KEEPTTL", "SET a 2 KEEPTTL");
    told("DELEX a", "DEL a");
    told("MSET x abc y ab z ``c", "MSET x abc y ab z ``c");
    told("BITOP ANDOR d x y z", "SET d abc");
    told("BITOP ONE d none none", "DEL d");
    told("BITOP ONE d none none");
    told("BITOP OR d x y", "BITOP OR d x y");
  }

  @Test
  void momentsOfFieldsAreToldAsTheyAre() throws IOException {
    told("HSET h a 1 b 2 c 3", "HSET h a 1 b 2 c 3");
    told("HEXPIRE h 100 FIELDS 3 a none b", "HPEXPIREAT h T FIELDS 2 a b");
    told("HPEXPIRE h 1000 GT FIELDS 2 a b");
    told("HGETEX h EX 200 FIELDS 2 a none", "HPEXPIREAT h T FIELDS 1 a");
    told("HPERSIST h FIELDS 1 a", "HPERSIST h FIELDS 1 a");
    told("HSETEX h PX 100000 FIELDS 2 d 4 e 5", "HSETEX h PXAT T FIELDS 2 d 4 e 5");
    told("HSETEX h FNX PX 100000 FIELDS 1 d 4");
    told("HSETEX h KEEPTTL FIELDS 1 d 5", "HSETEX h KEEPTTL FIELDS 1 d 5");
    told("HSETEX h EXAT 1 FIELDS 1 d 5", "HDEL h d");
    told("HPEXPIREAT h 1 FIELDS 2 a none", "HDEL h a");
    told("HGETDEL h FIELDS 2 b none", "HDEL h b");
  }

  @Test
  void whatIsRandomIsToldByWhatCameOfIt() throws IOException {
    told("SADD s a", "SADD s a");
    told("SPOP s", "SREM s a");
    told("SADD s b", "SADD s b");
    told("SPOP s 5", "SREM s b");
  }

  @Test
  void entriesHaveTheirIdsAndGoOneByOne() throws IOException {
    told("XADD x * f v", "XADD x T-0 f v");
    told("XADD x 9999999999999-* f v", "XADD x T-0 f v");
    told("XADD none NOMKSTREAM * f v");
    told(
        "XADD x MAXLEN 1 9999999999999-1 f v",
        "MULTI",
        "XADD x T-1 f v",
        "XTRIM x MAXLEN = 1",
        "EXEC");
    told("XTRIM x MAXLEN 5");
    told("XTRIM x MINID 9999999999999-2", "XTRIM x MAXLEN = 0");
  }

  @Test
  void whoWasGivenWhichEntriesIsTold() throws IOException {
    told("XADD x 1-1 f v", "XADD x 1-1 f v");
    told("XADD x 1-2 f v", "XADD x 1-2 f v");
    told("XGROUP CREATE x g 0", "XGROUP CREATE x g 0");
    told(
        "XREADGROUP GROUP g c STREAMS x >",
        "MULTI",
        "XCLAIM x g c 0 1-1 TIME T RETRYCOUNT 1 FORCE JUSTID",
        "XCLAIM x g c 0 1-2 TIME T RETRYCOUNT 1 FORCE JUSTID",
        "XGROUP SETID x g 1-2 ENTRIESREAD 2",
        "EXEC");
    told(
        "XREADGROUP GROUP g c COUNT 1 STREAMS x 0",
        "XCLAIM x g c 0 1-1 TIME T RETRYCOUNT 2 FORCE JUSTID");
    told(
        "XCLAIM x g d 0 1-1 1-9",
        "MULTI",
        "XCLAIM x g d 0 1-1 TIME T RETRYCOUNT 3 FORCE JUSTID",
        "XACK x g 1-9",
        "EXEC");
    told("XDEL x 1-2", "XDEL x 1-2");
    told("XREADGROUP GROUP g c STREAMS x 0", "XGROUP CREATECONSUMER x g c");
    told(
        "XAUTOCLAIM x g d 0 0 JUSTID",
        "MULTI",
        "XCLAIM x g d 0 1-1 TIME T RETRYCOUNT 3 FORCE JUSTID",
        "XACK x g 1-2",
        "EXEC");
    told("XADD x 1-3 f v", "XADD x 1-3 f v");
    told(
        "XREADGROUP GROUP g e NOACK STREAMS x >",
        "MULTI",
        "XGROUP CREATECONSUMER x g e",
        "XGROUP SETID x g 1-3 ENTRIESREAD 3",
        "EXEC");
    told("XCLAIM x g d 1000000 1-1");
  }

  @Test
  void whatWaitsIsToldAsWhatDoesNot() throws IOException {
    told("RPUSH l a b c d e", "RPUSH l a b c d e");
    told("BLPOP l 0", "LPOP l");
    told("BRPOP l 0", "RPOP l");
    told("BLMPOP 0 2 none l RIGHT", "RPOP l 1");
    told("BLMOVE l m LEFT RIGHT 0", "LMOVE l m LEFT RIGHT");
    told("BRPOPLPUSH l m 0", "RPOPLPUSH l m");
    told("ZADD z 1 a 2 b 3 c", "ZADD z 1 a 2 b 3 c");
    told("BZPOPMIN z 0", "ZPOPMIN z");
    told("BZPOPMAX z 0", "ZPOPMAX z");
    told("BZMPOP 0 1 z MIN COUNT 2", "ZPOPMIN z 1");
  }

  @Test
  void whoIsServedIsToldBehindWhatServedHim() throws IOException {
    RawClient waiting = server.client();
    for (String[] each :
        new String[][] {
          {"BLPOP l 0", "RPUSH l a", "LPOP l"},
          {"BLMOVE l m LEFT LEFT 0", "RPUSH l a", "LMOVE l m LEFT LEFT"},
          {"BZPOPMIN z 0", "ZADD z 1 a", "ZPOPMIN z"},
          {"BLMPOP 0 1 l LEFT COUNT 3", "RPUSH l a", "LPOP l 1"},
          {"BZMPOP 0 1 z MAX", "ZADD z 1 a", "ZPOPMAX z 1"}
        }) {
      waiting.send(each[0] + "|");
      Await.until(
          () -> client.ask("INFO clients").contains("|blocked_clients:1|"),
          SECONDS_MAX,
          () -> "it waits");
      ask(each[1]);
      waiting.reply();
      assertTold(each[1], each[2]);
      assertNothingMore();
    }
  }

  @Test
  void aTransactionIsToldAsAWhole() throws IOException {
    client.ask("MULTI");
    client.ask("SET a 1");
    client.ask("GET a");
    client.ask("SELECT 2");
    client.ask("INCR b");
    client.ask("EXEC");
    assertTold("MULTI", "SET a 1", "SELECT 2", "INCR b", "EXEC");
    client.ask("MULTI");
    client.ask("INCR b");
    client.ask("EXEC");
    assertTold("INCR b");
    assertNothingMore();
  }

  @Test
  void aScriptIsToldByWhatItCalls() throws IOException {
    client.ask(
        "EVAL \"redis.call('set','a',1) redis.call('get','a') redis.call('sadd','s','x')"
            + " return redis.call('spop','s')\" 0");
    assertTold("MULTI", "set a 1", "sadd s x", "SREM s x", "EXEC");
    client.ask("EVAL \"redis.call('set','a',1) redis.call('nosuch')\" 0");
    assertTold("set a 1");
    client.ask("EVAL \"return redis.call('publish','c','m')\" 0");
    assertTold("publish c m");
    assertNothingMore();
  }

  @Test
  void whatHasExpiredIsDeletedBeforeItIsWritten() throws IOException {
    told("SET a 1 PX 1000", "SET a 1 PXAT T");
    told("SET b 1 PX 1000", "SET b 1 PXAT T");
    told("HSET h f 1 g 2", "HSET h f 1 g 2");
    told("HPEXPIRE h 1000 FIELDS 1 f", "HPEXPIREAT h T FIELDS 1 f");
    client.ask("DEBUG SET-ACTIVE-EXPIRE 0");
    server.aheadMillis.set(2000);
    told("INCR a", "MULTI", "DEL a", "INCR a", "EXEC");
    told("LPOP b", "MULTI", "DEL b", "LPOP b", "EXEC");
    told("HLEN h", "HDEL h f");
  }

  @Test
  void whatTheSweepFindsIsDeletedThereToo() throws IOException {
    told("SET a 1 PX 1000", "SET a 1 PXAT T");
    told("HSET h f 1 g 2", "HSET h f 1 g 2");
    server.aheadMillis.set(2000);
    assertTold("DEL a");
    ask("HPEXPIRE h 1000 FIELDS 1 f");
    assertTold("HPEXPIREAT h T FIELDS 1 f");
    server.aheadMillis.set(4000);
    assertTold("HDEL h f");
  }

  @Test
  void otherThingsAreToldAsTheyCame() throws IOException {
    told("MSET a 1 b 2", "MSET a 1 b 2");
    told("INCRBYFLOAT a 0.5", "SET a 1.5 KEEPTTL");
    told("COPY a c DB 3", "COPY a c DB 3");
    told("SWAPDB 0 3", "SWAPDB 0 3");
    told("SWAPDB 0 3", "SWAPDB 0 3");
    told("PFADD p x", "PFADD p x");
    told("PFCOUNT p", "PFCOUNT p");
    told("PFCOUNT p");
    told("RENAME a d", "RENAME a d");
    told("GETDEL d", "DEL d");
    told("GETDEL d");
    told("FLUSHALL", "FLUSHALL");
    told("SET v 1", "SET v 1");
    String dump = client.ask("DUMP v");
    String payload = dump.substring(dump.indexOf('|') + 1, dump.length() - 1);
    assertEquals(
        "+OK|", client.send(FakeMaster.request("RESTORE", "r", "100000", payload)).reply());
    assertTold("RESTORE r T " + payload + " ABSTTL");
    String code = "#!lua name=l\nredis.register_function('f', function() return 1 end)";
    assertEquals("$1|l|", client.send(FakeMaster.request("FUNCTION", "LOAD", code)).reply());
    assertTold("FUNCTION LOAD " + code);
    assertNothingMore();
  }
}
