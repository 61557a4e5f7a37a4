package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribing and publishing over sockets, with one event loop and with several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PubSubTest {

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void messagesReachChannelsAndPatterns(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient publisher = fixture.client();
      RawClient old = fixture.client();
      RawClient modern = fixture.client();
      modern.ask("HELLO 3");
      old.send("SUBSCRIBE news chat|");
      assertEquals("*3|$9|subscribe|$4|news|:1|*3|$9|subscribe|$4|chat|:2|", old.replies(2));
      modern.send("PSUBSCRIBE n*|SSUBSCRIBE news|");
      assertEquals(">3|$10|psubscribe|$2|n*|:1|>3|$10|ssubscribe|$4|news|:1|", modern.replies(2));
      assertEquals(":2|", publisher.ask("PUBLISH news hello"));
      assertEquals("*3|$7|message|$4|news|$5|hello|", old.reply());
      assertEquals(">4|$8|pmessage|$2|n*|$4|news|$5|hello|", modern.reply());
      assertEquals(":1|", publisher.ask("SPUBLISH news shard"));
      assertEquals(">3|$8|smessage|$4|news|$5|shard|", modern.reply());
      assertEquals("*2|$4|chat|$4|news|", sorted(publisher, "PUBSUB CHANNELS"));
      assertEquals("*4|$4|news|:1|$1|x|:0|", publisher.ask("PUBSUB NUMSUB news x"));
      assertEquals(":1|", publisher.ask("PUBSUB NUMPAT"));
      assertEquals("*1|$4|news|", publisher.ask("PUBSUB SHARDCHANNELS"));
      // RESP3 lets a subscriber do everything, and RESP2 almost nothing.
      assertEquals("+PONG|", modern.ask("PING"));
      assertEquals("*2|$4|pong|$0||", old.ask("PING"));
      assertEquals(
          "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET"
              + " are allowed in this context|",
          old.ask("GET a"));
      old.send("UNSUBSCRIBE|");
      old.replies(2);
      assertEquals("$-1|", old.ask("GET a"));
      assertEquals("*3|$11|unsubscribe|$-1|:0|", old.ask("UNSUBSCRIBE"));
      old.close();
      modern.close();
      String count = ":1|";
      while (!count.equals(":0|")) {
        count = publisher.ask("PUBLISH news gone");
      }
    }
  }

  @Test
  void noStarMatchesTheChannelWithoutAName() throws IOException {
    try (ServerFixture fixture = server("1")) {
      RawClient publisher = fixture.client();
      RawClient listener = fixture.client();
      // As in Redis 7.0.
      listener.ask("PSUBSCRIBE *");
      assertEquals(":0|", publisher.ask("PUBLISH \"\" hello"));
      listener.ask("SUBSCRIBE \"\"");
      assertEquals(":1|", publisher.ask("PUBLISH \"\" hello"));
      assertEquals("*1|$0||", publisher.ask("PUBSUB CHANNELS"));
      assertEquals("*0|", publisher.ask("PUBSUB CHANNELS *"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aKilledSubscriberIsGoneFromTheReplyOn(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient killer = fixture.client();
      for (int i = 0; i < 60; i++) {
        RawClient listener = fixture.client();
        String id = listener.ask("CLIENT ID").replaceAll("\\D", "");
        listener.ask("SUBSCRIBE news");
        listener.ask("PSUBSCRIBE n*");
        assertEquals(":2|", killer.ask("PUBLISH news hello"));
        killer.send("CLIENT KILL ID " + id + "|PUBLISH news nobody|PUBSUB NUMSUB news|");
        assertEquals(":1|:0|*2|$4|news|:0|", killer.replies(3));
        assertEquals("$0||", killer.ask("CLIENT LIST ID " + id));
        assertFalse(listener.untilClosed().contains("nobody"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void clientListShowsWhatAClientLeavesUnreadAndWhatItHasQueued(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient publisher = fixture.client();
      RawClient listener = fixture.client();
      String id = listener.ask("CLIENT ID").replaceAll("\\D", "");
      String none = " multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 ";
      assertTrue(publisher.ask("CLIENT LIST ID " + id).contains(none));
      listener.ask("MULTI");
      listener.ask("SET key value");
      assertTrue(publisher.ask("CLIENT LIST ID " + id).contains("multi-mem=11 "));
      listener.ask("DISCARD");
      listener.ask("SUBSCRIBE news");
      publisher.ask("SETRANGE long 2000000 x");
      String line = "";
      while (!line.matches("(?s).* oll=1 omem=[1-9]\\d* tot-mem=[1-9]\\d* events=rw .*")) {
        publisher.ask("EVAL \"return redis.call('PUBLISH','news',redis.call('GET','long'))\" 0");
        line = publisher.ask("CLIENT LIST ID " + id);
      }
    }
  }

  private static String sorted(RawClient client, String request) throws IOException {
    String reply = client.ask(request);
    return reply.equals("*2|$4|news|$4|chat|") ? "*2|$4|chat|$4|news|" : reply;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoSubscribesToWhatItPublishesHasTheMessageBeforeTheReply(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient client = fixture.client();
      client.ask("HELLO 3");
      client.send("SUBSCRIBE c|PSUBSCRIBE c*|SSUBSCRIBE s|").replies(3);
      String messages = ">3|$7|message|$1|c|$1|m|>4|$8|pmessage|$2|c*|$1|c|$1|m|";
      client.send("PUBLISH c m|SET k v|PUBLISH c m|SPUBLISH s m|");
      assertEquals(
          messages + ":2|+OK|" + messages + ":2|>3|$8|smessage|$1|s|$1|m|:1|", client.replies(9));
      client.send("CLIENT REPLY SKIP|PUBLISH c m|PING|");
      assertEquals(messages + "+PONG|", client.replies(3));
      // Redis 7.0 puts them into the middle of the array, where RESP3 has no place for them.
      client.send("MULTI|PUBLISH c m|EXEC|");
      assertEquals("+OK|+QUEUED|*1|:2|" + messages, client.replies(5));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void messagesKeepTheirOrder(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient subscriber = fixture.client();
      subscriber.ask("SUBSCRIBE c");
      RawClient publisher = fixture.client();
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 500; i++) {
        // Writes between them, so that some wait for a sync and others do not.
        requests.append(i % 3 == 0 ? "t.set k v|" : "").append("PUBLISH c ").append(i).append('|');
      }
      publisher.send(requests.toString());
      for (int i = 0; i < 500; i++) {
        String text = Integer.toString(i);
        assertEquals("*3|$7|message|$1|c|$" + text.length() + "|" + text + "|", subscriber.reply());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void eventsOfKeysArePublishedAsChosen(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("CONFIG SET notify-keyspace-events Kg$lE"));
      assertEquals(
          "*2|$22|notify-keyspace-events|$5|g$lKE|",
          client.ask("CONFIG GET notify-keyspace-events"));
      RawClient subscriber = fixture.client();
      subscriber.ask("PSUBSCRIBE __key*");
      client.send("SET k v|SADD s m|DEL k|").replies(3);
      String by = "*4|$8|pmessage|$6|__key*|";
      assertEquals(
          by + "$16|__keyspace@0__:k|$3|set|" + by + "$18|__keyevent@0__:set|$1|k|",
          subscriber.replies(2));
      assertEquals(
          by + "$16|__keyspace@0__:k|$3|del|" + by + "$18|__keyevent@0__:del|$1|k|",
          subscriber.replies(2));
      assertTrue(client.ask("CONFIG SET notify-keyspace-events KQ").startsWith("-ERR CONFIG SET"));
    }
  }

  @Test
  void aSubscriberThatDoesNotReadIsClosed() throws IOException {
    try (ServerFixture fixture =
        new ServerFixture("client-output-buffer-limit", "pubsub 1mb 0 0")) {
      RawClient slow = fixture.client();
      slow.ask("SUBSCRIBE c");
      RawClient publisher = fixture.client();
      String publish = "PUBLISH c " + "x".repeat(60_000);
      Await.until(() -> !publisher.ask(publish).equals(":1|"), 30, () -> "still there");
    }
  }

  @Test
  void aSubscriberThatDoesNotReadForLongIsClosedThoughNothingFollows() throws IOException {
    try (ServerFixture fixture =
        new ServerFixture("client-output-buffer-limit", "pubsub 0 1mb 1")) {
      fixture.client().ask("SUBSCRIBE c");
      RawClient publisher = fixture.client();
      String message = "x".repeat(60_000);
      // More than the sockets on both sides take.
      for (int i = 0; i < 400; i++) {
        assertEquals(":1|", publisher.ask("PUBLISH c " + message));
      }
      Await.until(
          () -> publisher.ask("PUBSUB NUMSUB c").equals("*2|$1|c|:0|"), 30, () -> "still there");
    }
  }

  @Test
  void whatALoneConnectionIsForIsRefusedInATransaction() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      assertEquals(
          "+OK|+QUEUED|+QUEUED|*2|-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client|"
              + "-ERR MONITOR isn't allowed for DENY BLOCKING client|",
          fixture.client().send("MULTI|SSUBSCRIBE s|MONITOR|EXEC|").replies(4));
    }
  }
}
