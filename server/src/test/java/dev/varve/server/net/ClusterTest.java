package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that follow one another, as clients see them that know clusters. */
class ClusterTest {
  private static final long SECONDS_MAX = 20;

  /** The slot of the key "a". */
  private static final int SLOT = 15_495;

  private ServerFixture master;
  private ServerFixture replica;
  private RawClient atMaster;
  private RawClient atReplica;
  private boolean isMasterGone;

  @BeforeEach
  void start() throws IOException {
    master = new ServerFixture("cluster-enabled", "yes");
    replica =
        new ServerFixture(
            "cluster-enabled", "yes", "replicaof", "127.0.0.1 " + master.server.port());
    atMaster = master.client();
    atReplica = replica.client();
    Await.until(
        () -> atMaster.ask("INFO replication").contains("state=online"),
        SECONDS_MAX,
        () -> "it follows");
  }

  @AfterEach
  void stop() throws IOException {
    replica.close();
    if (!isMasterGone) {
      master.close();
    }
  }

  private static String id(RawClient client) throws IOException {
    return client.ask("CLUSTER MYID").split("\\|")[1];
  }

  private static String moved(ServerFixture to) {
    return "-MOVED " + SLOT + " 127.0.0.1:" + to.server.port() + "|";
  }

  @Test
  void isOffWhereNobodyAskedForIt() throws IOException {
    try (ServerFixture alone = new ServerFixture()) {
      RawClient client = alone.client();
      for (String request :
          List.of("CLUSTER SLOTS", "CLUSTER ADDSLOTS 1", "READONLY", "READWRITE", "ASKING")) {
        assertEquals("-ERR This instance has cluster support disabled|", client.ask(request));
      }
      assertTrue(client.ask("INFO cluster").contains("cluster_enabled:0"));
      client.ask("REPLICAOF 127.0.0.1 1");
      assertEquals("$-1|", client.ask("GET a"));
    }
  }

  @Test
  void bothTellOfBoth() throws IOException {
    String slots =
        "*1|*4|:0|:16383|"
            + entry(master.server.port(), id(atMaster))
            + entry(replica.server.port(), id(atReplica));
    assertEquals(slots, atMaster.ask("CLUSTER SLOTS"));
    assertEquals(slots, atReplica.ask("CLUSTER SLOTS"));
    String nodes = atReplica.ask("CLUSTER NODES");
    assertTrue(nodes.contains(" master - 0 "), nodes);
    assertTrue(nodes.contains(" myself,slave " + id(atMaster) + " 0 0 0 connected"), nodes);
    String shards = atMaster.ask("CLUSTER SHARDS");
    assertTrue(shards.contains("|$4|role|$7|replica|$18|replication-offset|:"), shards);
    String replicas = atReplica.ask("CLUSTER REPLICAS " + id(atMaster));
    assertTrue(replicas.startsWith("*1|$"), replicas);
    assertTrue(replicas.contains(id(atReplica)), replicas);
    assertEquals(
        "-ERR The specified node is not a master|",
        atMaster.ask("CLUSTER REPLICAS " + id(atReplica)));
    assertTrue(atMaster.ask("CLUSTER INFO").contains("cluster_known_nodes:2"));
  }

  private static String entry(int port, String id) {
    return "*4|$9|127.0.0.1|:" + port + "|$40|" + id + "|*0|";
  }

  @Test
  void whoFollowsSendsClientsToItsMaster() throws IOException {
    assertEquals(moved(master), atReplica.ask("SET a 1"));
    assertEquals(moved(master), atReplica.ask("GET a"));
    assertEquals(moved(master), atReplica.ask("BLPOP a 0"));
    assertEquals(
        moved(master), atReplica.send(FakeMaster.request("EVAL", "return 1", "1", "a")).reply());
  }

  @Test
  void whoSaysReadOnlyReadsWhatIsThere() throws IOException {
    atMaster.ask("SET a 1");
    assertEquals("+OK|", atReplica.ask("READONLY"));
    Await.until(() -> atReplica.ask("GET a").equals("$1|1|"), SECONDS_MAX, () -> "it is there");
    assertEquals(moved(master), atReplica.ask("SET a 2"));
    assertEquals("+OK|+QUEUED|*1|$1|1|", atReplica.send("MULTI|GET a|EXEC|").replies(3));
    assertEquals("+OK|", atReplica.ask("READWRITE"));
    assertEquals(moved(master), atReplica.ask("GET a"));
    atReplica.ask("READONLY");
    atReplica.ask("RESET");
    assertEquals(moved(master), atReplica.ask("GET a"));
  }

  @Test
  void aMessageReachesThoseWhoListenAnywhere() throws IOException {
    RawClient listener = replica.client();
    listener.ask("SUBSCRIBE a");
    assertEquals(moved(master), atReplica.ask("PUBLISH a hello"));
    assertEquals(moved(master), atReplica.ask("SPUBLISH a hello"));
    atReplica.ask("READONLY");
    assertEquals(moved(master), atReplica.ask("PUBLISH a hello"));
    assertEquals(":0|", atMaster.ask("PUBLISH a hello"));
    assertEquals("*3|$7|message|$1|a|$5|hello|", listener.reply());
  }

  @Test
  void whatHasNoKeysRunsWhereItIsAsked() throws IOException {
    assertEquals("+PONG|", atReplica.ask("PING"));
    assertTrue(atReplica.ask("DBSIZE").startsWith(":"));
    assertEquals("+OK|+QUEUED|*1|+PONG|", atReplica.send("MULTI|PING|EXEC|").replies(3));
    assertEquals(
        "+OK|" + moved(master) + "-EXECABORT Transaction discarded because of previous errors.|",
        atReplica.send("MULTI|SET a 1|EXEC|").replies(3));
  }

  @Test
  void afterAFailoverTheOtherWay() throws IOException {
    assertEquals("+OK|", atMaster.ask("SET a 1"));
    // Begun where it may be written, and ended where it may not.
    RawClient between = master.client();
    assertEquals("+OK|+QUEUED|", between.send("MULTI|SET a 2|").replies(2));
    assertEquals("+OK|", atMaster.ask("FAILOVER"));
    Await.until(
        () -> atMaster.ask("GET a").equals(moved(replica)),
        SECONDS_MAX,
        () -> "they change places");
    assertEquals("$1|1|", atReplica.ask("GET a"));
    assertTrue(
        between.ask("EXEC").startsWith("-EXECABORT Transaction discarded because of: MOVED"));
    Await.until(
        () -> atReplica.ask("CLUSTER SLOTS").contains(id(atMaster)),
        SECONDS_MAX,
        () -> "the other follows");
    assertEquals(
        "*1|*4|:0|:16383|"
            + entry(replica.server.port(), id(atReplica))
            + entry(master.server.port(), id(atMaster)),
        atReplica.ask("CLUSTER SLOTS"));
  }

  @Test
  void aMasterThatIsGoneIsToldOf() throws IOException {
    isMasterGone = true;
    master.close();
    Await.until(
        () -> atReplica.ask("CLUSTER NODES").contains(" master,fail? - 0 "),
        SECONDS_MAX,
        () -> "it is gone");
    assertTrue(atReplica.ask("CLUSTER SHARDS").contains("$6|failed|"));
    assertEquals(moved(master), atReplica.ask("GET a"));
    atReplica.ask("REPLICAOF NO ONE");
    assertEquals("+OK|", atReplica.ask("SET a 1"));
  }

  @Test
  void tellsWhatItIsToAnnounce() throws IOException {
    atMaster.ask("CONFIG SET cluster-announce-ip 192.0.2.1 cluster-announce-port 7");
    assertTrue(atMaster.ask("CLUSTER SLOTS").contains("*4|$9|192.0.2.1|:7|$40|"));
    atMaster.ask("CONFIG SET cluster-announce-hostname db.example");
    String named = atMaster.ask("CLUSTER SLOTS");
    assertTrue(named.contains("|*2|$8|hostname|$10|db.example|"), named);
    assertTrue(atMaster.ask("CLUSTER NODES").contains(" 192.0.2.1:7@10007,db.example myself"));
    atMaster.ask("CONFIG SET cluster-preferred-endpoint-type hostname");
    named = atMaster.ask("CLUSTER SLOTS");
    assertTrue(named.contains("*4|$10|db.example|:7|$40|"), named);
    assertTrue(named.contains("|*2|$2|ip|$9|192.0.2.1|"), named);
    atMaster.ask("CONFIG SET cluster-preferred-endpoint-type unknown-endpoint");
    assertTrue(atMaster.ask("CLUSTER SLOTS").contains("*4|$-1|:7|$40|"));
    assertEquals(
        "-ERR CONFIG SET failed (possibly related to argument 'cluster-enabled') - can't set"
            + " immutable config|",
        atMaster.ask("CONFIG SET cluster-enabled no"));
  }

  @Test
  void slotsStayWhereTheyAre() throws IOException {
    for (String request :
        List.of(
            "ADDSLOTS 1",
            "DELSLOTS 1",
            "SETSLOT 1 STABLE",
            "FLUSHSLOTS",
            "MEET 127.0.0.1 7",
            "FORGET x",
            "REPLICATE x",
            "FAILOVER",
            "RESET")) {
      String reply = atMaster.ask("CLUSTER " + request);
      assertTrue(reply.startsWith("-ERR One server has all slots here"), reply);
    }
    assertFalse(atMaster.ask("COMMAND INFO cluster").isEmpty());
    assertEquals(
        "+OK|+QUEUED|*1|-ERR This command walks over all keys: it cannot be inside MULTI|",
        atMaster.send("MULTI|CLUSTER COUNTKEYSINSLOT 1|EXEC|").replies(3));
  }

  @Test
  void keysOfASlotAreThoseOfTheDatabaseThatIsThere() throws IOException {
    try (ServerFixture fixture = new ServerFixture("cluster-enabled", "yes")) {
      RawClient client = fixture.client();
      client.ask("SET before 1");
      String slot = client.ask("CLUSTER KEYSLOT before").substring(1).replace("|", "");
      RawClient other = fixture.client();
      AtomicBoolean isFlushed = new AtomicBoolean();
      fixture.engine.beforeBlockingView(
          () -> {
            if (isFlushed.compareAndSet(false, true)) {
              try {
                assertEquals("+OK|", other.ask("FLUSHDB"));
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            }
          });
      assertEquals("*0|", client.ask("CLUSTER GETKEYSINSLOT " + slot + " 10"));
      assertTrue(isFlushed.get());
    }
  }
}
