package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** MULTI, EXEC and WATCH of clients on several loops, over data that are not in memory too. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServerTransactionsTest {

  @Test
  void aTransactionIsAtomicAcrossLoops() throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", "2")) {
      RawClient one = fixture.client();
      RawClient two = fixture.client();
      assertEquals("+OK|", one.ask("watch key"));
      assertEquals("+OK|", one.ask("multi"));
      assertEquals("+QUEUED|", one.ask("t.add key 1"));
      assertEquals("+OK|", two.ask("t.set key 5"));
      assertEquals("*-1|", one.ask("exec"));
      one.send("multi|t.add key 1|t.add key 1|exec|t.get key|");
      assertEquals("+OK|", one.reply());
      assertEquals("+QUEUED|", one.reply());
      assertEquals("+QUEUED|", one.reply());
      assertEquals("*2|:6|:7|", one.reply());
      assertEquals("$1|7|", one.reply());
    }
  }

  @Test
  void whatATransactionDoesBesidesDataItDoesOnceAlsoIfItsDataChangeWhileTheyAreRead()
      throws Exception {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      RawClient other = fixture.client();
      client.ask("MSET pointer one one 1 two 2");
      fixture.engine.makeCold();
      CountDownLatch reads = new CountDownLatch(1);
      CountDownLatch mayRead = new CountDownLatch(1);
      fixture.engine.beforeBlockingRead(
          key -> {
            if (key[key.length - 1] == 'e' && key[key.length - 2] == 'n') {
              reads.countDown();
              try {
                mayRead.await(20, TimeUnit.SECONDS);
              } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
              }
            }
          });
      client.send("MULTI|t.act|");
      client.send("EVAL \"return redis.call('get',redis.call('get',KEYS[1]))\" 1 pointer|EXEC|");
      assertTrue(reads.await(20, TimeUnit.SECONDS), "nothing was cold");
      assertEquals("+OK|", other.ask("SET pointer two"));
      mayRead.countDown();
      assertEquals("+OK|+QUEUED|+QUEUED|", client.replies(3));
      assertEquals("*2|:1|$1|2|", client.reply());
    }
  }

  @Test
  void aSwapEndsTheWatchOnlyOfKeysThatAreThereBeforeOrAfterwards() throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", "2")) {
      RawClient other = fixture.client();
      assertEquals("+OK|", other.ask("SELECT 1"));
      other.ask("SET there 1");
      other.ask("SET expired 1 PX 1000");
      other.ask("SET both 1");
      assertEquals("+OK|", other.ask("SELECT 0"));
      other.ask("SET here 1");
      other.ask("SET both 1");
      fixture.aheadMillis.set(2000);
      String ran = "*1|+PONG|";
      for (String[] watched :
          new String[][] {
            {"nowhere", ran},
            {"nowhere none", ran},
            {"expired", ran},
            {"here", "*-1|"},
            {"there", "*-1|"},
            {"both", "*-1|"},
            {"nowhere there", "*-1|"}
          }) {
        RawClient client = fixture.client();
        assertEquals("+OK|", client.ask("WATCH " + watched[0]));
        assertEquals("+OK|", other.ask("SWAPDB 0 1"));
        assertEquals("+OK|+QUEUED|", client.send("MULTI|PING|").replies(2));
        assertEquals(watched[1], client.ask("EXEC"), watched[0]);
        // A database that has nothing to do with it.
        assertEquals("+OK|", client.ask("WATCH " + watched[0]));
        assertEquals("+OK|", other.ask("SWAPDB 2 1"));
        assertEquals("+OK|+QUEUED|", client.send("MULTI|PING|").replies(2));
        assertEquals(ran, client.ask("EXEC"), watched[0]);
        assertEquals("+OK|", other.ask("SWAPDB 2 1"));
        assertEquals("+OK|", other.ask("SWAPDB 0 1"));
      }
    }
  }

  @Test
  void anExecThatFailsIsOverAndSoIsItsWatch() throws IOException {
    for (String loops : new String[] {"1", "3"}) {
      try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
        RawClient client = fixture.client();
        RawClient other = fixture.client();
        assertEquals("+OK|", client.ask("SET key value"));
        assertEquals("+OK|", client.ask("WATCH watched"));
        assertEquals("+OK|", client.ask("MULTI"));
        assertEquals("+QUEUED|", client.ask("GET key"));
        assertEquals("+QUEUED|", client.ask("SET other 1"));
        fixture.engine.beforeBlockingRead(
            key -> {
              throw new IllegalStateException("the disk is gone");
            });
        fixture.engine.makeCold();
        String reply = client.ask("EXEC");
        assertTrue(reply.startsWith("-ERR internal error"), reply);
        fixture.engine.beforeBlockingRead(key -> {});
        assertEquals("$-1|", client.ask("GET other"), "not queued, and not done");
        assertEquals("+OK|", other.ask("SET watched changed"));
        assertEquals("+OK|", client.ask("MULTI"));
        assertEquals("+QUEUED|", client.ask("GET key"));
        assertEquals("*1|$5|value|", client.ask("EXEC"));
      }
    }
  }
}
