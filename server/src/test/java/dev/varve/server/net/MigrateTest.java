package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MIGRATE, to another server like this one, to redis-server, and to servers that fail. */
class MigrateTest {
  private static final long SECONDS_MAX = 20;
  private static final String TARGET_SAYS = "-ERR Target instance replied with error: ";
  private static final String CHANGED =
      "-ERR A key was changed while it was migrated: it stays here, and the target has it as it was"
          + " before|";
  private static final List<String> KEYS =
      List.of("string", "number", "list", "long", "set", "hash", "wide", "zset", "ranks", "stream");

  private ServerFixture source;
  private ServerFixture target;
  private RawClient client;
  private RawClient there;

  @BeforeEach
  void start() throws IOException {
    source = new ServerFixture("io-threads", "2");
    target = new ServerFixture();
    client = source.client();
    there = target.client();
  }

  @AfterEach
  void stop() throws IOException {
    source.close();
    target.close();
  }

  private String migrate(int port, String rest) throws IOException {
    return client.ask("MIGRATE 127.0.0.1 " + port + " " + rest);
  }

  private String migrate(String rest) throws IOException {
    return migrate(target.server.port(), rest);
  }

  @Test
  void aHostHasANameThatTheSystemKnows() throws IOException {
    client.ask("SET k v");
    String rest = " " + target.server.port() + " k 0 5000";
    assertTrue(client.ask("MIGRATE no-such-host.invalid" + rest).startsWith("-IOERR"));
    assertEquals("+OK|", client.ask("MIGRATE localhost" + rest));
    assertEquals("$1|v|", there.ask("GET k"));
  }

  private void fill() throws IOException {
    StringBuilder many = new StringBuilder();
    StringBuilder pairs = new StringBuilder();
    for (int i = 0; i < 700; i++) {
      many.append(" m").append(i);
      pairs.append(" ").append(i).append(" m").append(i);
    }
    for (String line :
        List.of(
            "SET string value",
            "SET number 12",
            "RPUSH list a b c",
            "RPUSH long" + many,
            "SADD set a b 3",
            "HSET hash f v g w",
            "HSET wide" + pairs,
            "ZADD zset 1 a 2.5 b",
            "ZADD ranks" + pairs,
            "XADD stream 1-1 f v",
            "XGROUP CREATE stream group 0",
            "XREADGROUP GROUP group me STREAMS stream >")) {
      String reply = client.ask(line);
      assertTrue(!reply.startsWith("-"), reply);
    }
  }

  @Test
  void valuesOfEveryTypeArriveAsTheyAre() throws IOException {
    fill();
    StringBuilder dumps = new StringBuilder();
    for (String key : KEYS) {
      dumps.append(client.ask("DUMP " + key));
    }
    assertEquals("+OK|", migrate("\"\" 3 5000 KEYS none " + String.join(" ", KEYS)));
    assertEquals(":0|", client.ask("DBSIZE"));
    assertEquals("+OK|", there.ask("SELECT 3"));
    StringBuilder arrived = new StringBuilder();
    for (String key : KEYS) {
      arrived.append(there.ask("DUMP " + key));
    }
    assertEquals(dumps.toString(), arrived.toString());
  }

  @Test
  void redisTakesThemAndGivesThemBack(@TempDir Path directory) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory);
        RawClient redisClient = new RawClient(redis.port())) {
      fill();
      String before = content();
      String keys = " KEYS " + String.join(" ", KEYS);
      assertEquals("+OK|", migrate(redis.port(), "\"\" 0 5000" + keys));
      assertEquals(":0|", client.ask("DBSIZE"));
      assertEquals("$2|12|", redisClient.ask("GET number"));
      assertEquals(
          "+OK|",
          redisClient.ask("MIGRATE 127.0.0.1 " + source.server.port() + " \"\" 0 5000" + keys));
      assertEquals(before, content());
      assertEquals("*0|", redisClient.ask("KEYS *"));
    }
  }

  /** What the keys hold; sets and streams may come back in other payloads. */
  private String content() throws IOException {
    StringBuilder content = new StringBuilder();
    for (String key : KEYS) {
      if (!key.equals("set") && !key.equals("stream")) {
        content.append(client.ask("DUMP " + key));
      }
    }
    return content
        .append(client.ask("SMISMEMBER set a b 3 c"))
        .append(client.ask("XRANGE stream - +"))
        .append(client.ask("XPENDING stream group"))
        .toString();
  }

  @Test
  void manyParcelsGoOneAfterTheOther() throws IOException {
    StringBuilder keys = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      client.ask("SETRANGE key" + i + " 3000000 x");
      keys.append(" key").append(i);
    }
    assertEquals("+OK|", migrate("\"\" 0 10000 KEYS" + keys));
    assertEquals(":0|", client.ask("DBSIZE"));
    assertEquals(":3000001|", there.ask("STRLEN key4"));
    assertEquals(":5|", there.ask("DBSIZE"));
  }

  @Test
  void whatExpiresGoesOnToExpire() throws IOException {
    client.ask("SET short 1 PX 1000");
    client.ask("SET lasting 1 PX 100000");
    source.aheadMillis.set(2000);
    assertEquals("+OK|", migrate("\"\" 0 5000 KEYS short lasting"));
    assertEquals(":0|", there.ask("EXISTS short"));
    long left = Long.parseLong(there.ask("PTTL lasting").replaceAll("[^0-9]", ""));
    assertTrue(left > 90_000 && left <= 98_000, "left: " + left);
    assertEquals("+NOKEY|", migrate("lasting 0 5000"));
  }

  @Test
  void aNameThatIsTakenIsReplacedOnlyWhereThatIsAskedFor() throws IOException {
    client.ask("SET key new");
    there.ask("SET key old");
    String busy = TARGET_SAYS + "BUSYKEY Target key name already exists.|";
    assertEquals(busy, migrate("key 0 5000"));
    assertEquals("$3|new|", client.ask("GET key"));
    client.ask("SET other 1");
    assertEquals(busy, migrate("\"\" 0 5000 KEYS key other"));
    assertEquals(":1|", client.ask("EXISTS key other"));
    assertEquals("+OK|", migrate("key 0 5000 COPY REPLACE"));
    assertEquals("$3|new|", client.ask("GET key"));
    assertEquals("$3|new|", there.ask("GET key"));
    assertEquals("+OK|", migrate("key 0 5000 REPLACE"));
    assertEquals(":0|", client.ask("EXISTS key"));
  }

  @Test
  void whoMayNotEnterSendsNothing() throws IOException {
    target.client().ask("CONFIG SET requirepass secret");
    client.ask("SET key value");
    RawClient monitor = source.client();
    assertEquals("+OK|", monitor.ask("MONITOR"));
    assertEquals(TARGET_SAYS + "NOAUTH Authentication required.|", migrate("key 0 5000"));
    assertTrue(
        migrate("key 0 5000 AUTH wrong").startsWith(TARGET_SAYS + "WRONGPASS "),
        "a wrong password is no password");
    assertEquals(
        TARGET_SAYS + "ERR DB index is out of range|", migrate("key 99 5000 AUTH2 default secret"));
    assertEquals(":0|", there.ask("DBSIZE"));
    assertEquals("$5|value|", client.ask("GET key"));
    assertEquals("+OK|", migrate("key 0 5000 AUTH secret"));
    assertEquals(":0|", client.ask("EXISTS key"));
    String shown = monitor.replies(5);
    assertTrue(shown.contains("\"AUTH2\" \"(redacted)\" \"(redacted)\""), shown);
    assertTrue(!shown.contains("secret"), shown);
  }

  @Test
  void aTargetThatIsNotThereOrSaysNothingIsAnError() throws IOException {
    client.ask("SET key value");
    int gone;
    try (SlowTarget silent = new SlowTarget()) {
      gone = silent.port();
      assertEquals(
          "-IOERR error or timeout reading to target instance|",
          migrate(silent.port(), "key 0 50"));
    }
    assertEquals("-IOERR error or timeout connecting to the client|", migrate(gone, "key 0 1000"));
    assertEquals(
        "-IOERR error or timeout connecting to the client|", migrate(70_000, "key 0 1000"));
    assertEquals("$5|value|", client.ask("GET key"));
    assertEquals("-ERR syntax error|", migrate("key 0 50 AUTH"));
    assertEquals("-ERR value is not an integer or out of range|", migrate("key 0 x"));
  }

  @Test
  void aTargetThatSpeaksSomethingElseGetsNoKey() throws IOException {
    client.ask("SET key value");
    try (SlowTarget web = new SlowTarget()) {
      client.send("MIGRATE 127.0.0.1 " + web.port() + " key 0 5000|");
      web.accept();
      web.await("SELECT");
      web.say("HTTP/1.1 400 Bad Request");
      assertEquals("-IOERR error or timeout reading to target instance|", client.reply());
    }
    assertEquals("$5|value|", client.ask("GET key"));
  }

  @Test
  void aKeyThatChangesMeanwhileStays() throws IOException {
    fill();
    RawClient other = source.client();
    for (String change :
        List.of("HSET wide 699 new", "SET string new", "XACK stream group 1-1", "FLUSHDB")) {
      try (SlowTarget slow = new SlowTarget()) {
        client.send("MIGRATE 127.0.0.1 " + slow.port() + " \"\" 0 20000 KEYS ");
        client.send("wide string stream list|");
        slow.isSent("list");
        // Others are served meanwhile, and this client is not.
        assertTrue(!other.ask(change).startsWith("-"), change);
        slow.say("-ERR no");
        slow.say("-ERR no");
        slow.say("-ERR no");
        slow.say("+OK");
        assertEquals(TARGET_SAYS + "ERR no|", client.reply());
      }
      assertEquals(
          change.equals("FLUSHDB") ? ":0|" : ":3|", client.ask("EXISTS wide string stream"));
      client.ask("RPUSH list a");
    }
    client.ask("FLUSHALL");
    fill();
    String[][] changes = {
      {"wide", "HSET wide 699 new"},
      {"stream", "XACK stream group 1-1"},
      {"ranks", "ZADD ranks 3.5 m3"},
      {"string", "APPEND string x"},
      {"set", "DEL set"},
      {"list", "SWAPDB 0 1"}
    };
    for (String[] change : changes) {
      try (SlowTarget slow = new SlowTarget()) {
        client.send(
            "MIGRATE 127.0.0.1 " + slow.port() + " \"\" 0 20000 KEYS " + change[0] + " zset|");
        slow.isSent("zset");
        assertTrue(!other.ask(change[1]).startsWith("-"), change[1]);
        slow.say("+OK");
        slow.say("+OK");
        assertEquals(CHANGED, client.reply(), change[1]);
      }
      boolean isGone = change[0].equals("set");
      if (change[0].equals("list")) {
        client.ask("SWAPDB 0 1");
        assertEquals(":1|", client.ask("EXISTS zset"));
      } else {
        assertEquals(":0|", client.ask("EXISTS zset"));
      }
      assertEquals(isGone ? ":0|" : ":1|", client.ask("EXISTS " + change[0]));
      client.ask("ZADD zset 1 a");
    }
  }

  @Test
  void whatArrivesWhileClientsArePausedIsDeletedAfterwards() throws IOException {
    client.ask("SET key value");
    RawClient other = source.client();
    try (SlowTarget slow = new SlowTarget()) {
      client.send("MIGRATE 127.0.0.1 " + slow.port() + " key 0 20000|");
      slow.isSent("key");
      assertEquals("+OK|", other.ask("CLIENT PAUSE 100000 WRITE"));
      slow.say("+OK");
      assertEquals("$5|value|", other.ask("GET key"));
      assertEquals("+OK|", other.ask("CLIENT UNPAUSE"));
      assertEquals("+OK|", client.reply());
      assertEquals("$-1|", other.ask("GET key"));
    }
  }

  @Test
  void whatArrivesOnceAnotherServerIsFollowedIsNotDeleted() throws IOException {
    client.ask("SET key value");
    RawClient other = source.client();
    try (SlowTarget slow = new SlowTarget()) {
      client.send("MIGRATE 127.0.0.1 " + slow.port() + " key 0 20000|");
      slow.isSent("key");
      assertEquals("+OK|", other.ask("REPLICAOF 127.0.0.1 1"));
      slow.say("+OK");
      assertEquals(
          "-READONLY You can't write against a read only replica.|",
          client.reply(),
          "its master has it still");
      assertEquals("$5|value|", other.ask("GET key"));
    }
  }

  @Test
  void aClientThatLeavesDoesNotKeepItsKeysFromArriving() throws IOException {
    client.ask("SET key value");
    RawClient leaving = source.client();
    try (SlowTarget slow = new SlowTarget()) {
      leaving.send("MIGRATE 127.0.0.1 " + slow.port() + " key 0 20000|");
      slow.accept();
      slow.await("SELECT");
      leaving.close();
      slow.say("+OK");
      slow.await("key");
      slow.say("+OK");
      Await.until(() -> client.ask("EXISTS key").equals(":0|"), SECONDS_MAX, () -> "the key stays");
    }
  }

  @Test
  void insideTransactionsAndScriptsItIsRefused() throws IOException {
    client.ask("SET key value");
    String line = "MIGRATE 127.0.0.1 " + target.server.port() + " key 0 1000";
    client.send("MULTI|" + line + "|EXEC|");
    client.replies(2);
    assertEquals(
        "*1|-ERR MIGRATE inside MULTI or a script is not supported by this server|",
        client.reply());
    String script =
        client.ask("EVAL \"return redis.call('migrate','127.0.0.1','1','key','0','1')\" 0");
    assertTrue(script.startsWith("-ERR MIGRATE inside MULTI or a script"), script);
    assertEquals("$5|value|", client.ask("GET key"));
    assertEquals("*2|$1|a|$1|b|", client.ask("COMMAND GETKEYS MIGRATE h 1 \"\" 0 1 KEYS a b"));
  }
}
