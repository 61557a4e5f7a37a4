package dev.varve.server.net;

import static dev.varve.server.net.FakeMaster.dump;
import static dev.varve.server.net.FakeMaster.request;
import static dev.varve.server.net.FakeMaster.sendAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.MasterPosition;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.follow.Follower;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A server that follows another one, and what becomes of its writes: on a full disk, after a lost
 * commit.
 */
class FollowStorageTest extends FollowedMaster {
  @Test
  void whatTheDiskRefusesIsAskedForAgain() throws IOException {
    RawClient link = follow(0, "a", "1");
    server.engine.writeRefusal("MISCONF the disk is full");
    String write = request("SET", "b", "2");
    link.send(request("PING") + write + request("SET", "c", "3"));
    long offset = request("PING").length() + 1;
    master.acceptUpTo(ID, offset).send("+CONTINUE|" + write);
    RawClient next = master.acceptUpTo(ID, offset);
    // That there is no position any more would have to be written.
    assertEquals("-MISCONF the disk is full|", client.ask("REPLICAOF NO ONE"));
    server.engine.writeRefusal(null);
    next.send("+CONTINUE|" + write);
    await("GET b", "$1|2|");
    assertEquals(":2|", client.ask("DBSIZE"));
    assertEquals("0", info("replication", "master_requests_failed"));
  }

  @Test
  void whatCannotBeReadForIsAskedForAgain() throws IOException {
    RawClient link = follow(0, "a", "1");
    cannotBeRead();
    String write = request("APPEND", "a", "2");
    link.send(request("PING") + write + request("SET", "c", "3"));
    long offset = request("PING").length() + 1;
    RawClient next = master.acceptUpTo(ID, offset);
    server.engine.beforeBlockingRead(key -> {});
    next.send("+CONTINUE|" + write);
    await("GET a", "$2|12|");
    assertEquals(":1|", client.ask("DBSIZE"));
    assertEquals("0", info("replication", "master_requests_failed"));
  }

  @Test
  void whereItCannotBeReadForLongAllDataComes() throws IOException {
    RawClient link = follow(0, "a", "1");
    cannotBeRead();
    link.send(request("APPEND", "a", "2"));
    RawClient again = master.acceptUpTo(ID, 1);
    for (int i = 1; i < Follower.ATTEMPTS_MAX - 1; i++) {
      server.server.keyspace().following().notCarriedOut();
    }
    again.send("+CONTINUE|" + request("APPEND", "a", "2"));
    RawClient last = master.acceptUpTo("?", -1);
    server.engine.beforeBlockingRead(key -> {});
    sendAll(last, ID, 31, dump("a", "12"));
    assertAcknowledged(last, 31);
    assertEquals("$2|12|", client.ask("GET a"));
  }

  private void cannotBeRead() {
    server.engine.makeCold();
    server.engine.beforeBlockingRead(
        key -> {
          throw new ReadFailure(new IOException("a disk that fails"));
        });
  }

  @Test
  void dataThatTheDiskRefusesLeavesWhatIsHere() throws IOException {
    client.ask("SET mine 1");
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    server.engine.writeRefusal("MISCONF the disk is full");
    sendAll(link, ID, 0, dump("a", "1"));
    RawClient next = master.acceptUpTo("?", -1);
    assertEquals("$1|1|", client.ask("GET mine"));
    server.engine.writeRefusal(null);
    sendAll(next, ID, 0, dump("a", "1"));
    await("GET a", "$1|1|");
    assertEquals(":1|", client.ask("DBSIZE"));
  }

  @Test
  void whereACommitIsLostAllDataComesAgain() throws IOException {
    RawClient link = follow(0, "a", "1");
    server.engine.commitFails(true);
    link.send(request("SET", "b", "2"));
    RawClient next = master.acceptUpTo("?", -1);
    server.engine.commitFails(false);
    sendAll(next, ID, 9, dump("a", "1", "b", "2"));
    assertAcknowledged(next, 9);
    assertEquals("$1|2|", client.ask("GET b"));
  }

  @Test
  void whatIsNotInMemoryIsBroughtForItToo() throws IOException {
    client.ask("SET a old");
    client.ask("RPUSH b old");
    server.engine.makeCold();
    RawClient link = follow(0, "a", "1", "b", "2");
    server.engine.makeCold();
    link.send(request("APPEND", "a", "x") + request("APPEND", "b", "x"));
    await("GET b", "$2|2x|");
    assertEquals("$2|1x|", client.ask("GET a"));
  }

  @Test
  void dataWaitsWhileWritesAreStopped() throws IOException {
    server.engine.writeDelayMillis(Engine.WRITES_STOPPED);
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    sendAll(link, ID, 0, dump("a", "1"));
    server.engine.writeDelayMillis(1);
    assertAcknowledged(link, 0);
    assertEquals("$1|1|", client.ask("GET a"));
  }

  @Test
  void dataThatIsNoLongerWantedIsNotWritten() throws IOException {
    client.ask("SET mine 1");
    server.engine.writeDelayMillis(Engine.WRITES_STOPPED);
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    sendAll(link, ID, 0, dump("a", "1"));
    awaitAll(dump("a", "1"));
    assertEquals("+OK|", client.ask("REPLICAOF NO ONE"));
    server.engine.writeDelayMillis(0);
    follow();
    // Not before the worker has ended.
    master.acceptUpTo("?", -1);
    assertEquals("*1|$4|mine|", client.ask("KEYS *"));
  }

  @Test
  void theServerStopsWhileDataWaits() throws IOException {
    server.engine.writeDelayMillis(Engine.WRITES_STOPPED);
    follow();
    sendAll(master.acceptUpTo("?", -1), ID, 0, dump("a", "1"));
    awaitAll(dump("a", "1"));
    server.close();
    assertTrue(server.engine.isClosed());
    server = new ServerFixture();
  }

  @Test
  void whereItIsIsStoredWithWhatItWrites() throws IOException {
    RawClient link = follow(1000, "a", "1");
    assertEquals(new MasterPosition(ID, 1000, 0), stored());
    String silent = request("SELECT", "2") + request("PING");
    link.send(silent);
    assertAcknowledged(link, 1000 + silent.length());
    assertEquals(new MasterPosition(ID, 1000, 0), stored());
    String transaction =
        request("MULTI") + request("SET", "b", "2") + request("SELECT", "1") + request("EXEC");
    String more = request("INCR", "b") + request("GET", "b") + request("INCR", "b", "wrong");
    link.send(silent + transaction + more);
    long all = 1000L + 2 * silent.length() + transaction.length();
    assertAcknowledged(link, all + more.length());
    all += request("INCR", "b").length();
    assertEquals(new MasterPosition(ID, all, 1), stored());
    link.close();
    all += more.length() - request("INCR", "b").length();
    master.acceptUpTo(ID, all + 1);
    assertEquals("+OK|", client.ask("REPLICAOF NO ONE"));
    assertEquals(new MasterPosition(ID, all, 1), stored());
    assertEquals("+OK|", client.ask("SET mine 1"));
    MasterPosition ours = stored();
    assertNotNull(ours);
    assertNotEquals(ID, ours.history());
    assertTrue(ours.offset() > all);
  }

  private @Nullable MasterPosition stored() {
    return MasterPosition.stored(server.engine.store());
  }
}
