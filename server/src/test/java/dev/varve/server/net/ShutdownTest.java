package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SHUTDOWN of a server that is followed: it ends once those who follow it have all. */
class ShutdownTest {
  private static final long SECONDS_MAX = 20;
  private static final int MORE_THAN_SOCKETS_HOLD = 16 << 20;

  private ServerFixture server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    server = new ServerFixture();
    client = server.client();
  }

  @AfterEach
  void stop() throws IOException {
    // None of the replicas here says anything any more.
    client.ask("CONFIG SET shutdown-timeout 0");
    server.close();
  }

  /** One that has not yet all that was written. */
  private FakeReplica behind() throws IOException {
    FakeReplica replica = new FakeReplica(server.client()).follow();
    Await.until(
        () -> client.ask("INFO replication").contains("state=online"),
        SECONDS_MAX,
        () -> "it is online");
    client.ask("SET a 1");
    assertEquals("SELECT 0", replica.next());
    assertEquals("SET a 1", replica.next());
    return replica;
  }

  private RawClient shutdown(String options) throws IOException {
    RawClient ending = server.client();
    ending.send("SHUTDOWN" + options + "|");
    return ending;
  }

  private void awaitShutdown() throws IOException {
    Await.until(() -> server.shutdowns.get() == 1, SECONDS_MAX, () -> "it ends");
  }

  @Test
  void endsAtOnceWhereNobodyFollows() throws IOException {
    assertFalse(client.ask("INFO server").contains("shutdown_in_milliseconds"));
    shutdown("");
    awaitShutdown();
  }

  @Test
  void endsOnceAReplicaHasAll() throws IOException {
    FakeReplica replica = behind();
    shutdown("");
    assertEquals("REPLCONF GETACK *", replica.next());
    RawClient writer = server.client();
    writer.send("SET a 2|");
    assertTrue(client.ask("INFO server").contains("shutdown_in_milliseconds:"));
    assertEquals(0, server.shutdowns.get());
    replica.acknowledge();
    awaitShutdown();
    assertEquals("$1|1|", client.ask("GET a"));
    assertFalse(writer.hasReply());
  }

  /** It says how far it is each second: that may cross with what it is sent last. */
  @Test
  void doesNotEndBeforeAReplicaWasSentAll() throws IOException {
    FakeReplica replica = behind();
    int bytes = MORE_THAN_SOCKETS_HOLD;
    client.ask("*3|$3|SET|$1|a|$" + bytes + "|" + "x".repeat(bytes) + "|");
    // Further than it is asked for.
    replica.link().send("REPLCONF ACK " + 2L * bytes + "|");
    shutdown("");
    Await.until(
        () -> client.ask("INFO server").contains("shutdown_in_milliseconds"),
        SECONDS_MAX,
        () -> "it is about to end");
    assertEquals(0, server.shutdowns.get());
    while (!replica.next().equals("REPLCONF GETACK *")) {}
    awaitShutdown();
  }

  @Test
  void aClientEndsItAndWritesGoOn() throws IOException {
    FakeReplica replica = behind();
    RawClient ending = shutdown("");
    assertEquals("REPLCONF GETACK *", replica.next());
    RawClient writer = server.client();
    writer.send("SET a 2|");
    assertEquals("+OK|", client.ask("SHUTDOWN ABORT"));
    assertEquals("-ERR Errors trying to SHUTDOWN. Check logs.|", ending.reply());
    assertEquals("+OK|", writer.reply());
    assertEquals("-ERR No shutdown in progress.|", client.ask("SHUTDOWN ABORT"));
    assertEquals("-ERR syntax error|", client.ask("SHUTDOWN ABORT NOW"));
    replica.acknowledge();
    assertFalse(client.ask("INFO server").contains("shutdown_in_milliseconds"));
    assertEquals(0, server.shutdowns.get());
  }

  @Test
  void noClientEndsTheStopOfAProcess() throws Exception {
    FakeReplica replica = behind();
    RespServer stopping = server.server;
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    Thread stop =
        new Thread(
            () -> {
              try {
                stopping.stop();
              } catch (IOException | RuntimeException failed) {
                failure.set(failed);
              }
            });
    stop.start();
    assertEquals("REPLCONF GETACK *", replica.next());
    RawClient writer = server.client();
    writer.send("SET a 2|");
    assertEquals("-ERR No shutdown in progress.|", client.ask("SHUTDOWN ABORT"));
    assertTrue(client.ask("INFO server").contains("shutdown_in_milliseconds:"));
    assertEquals("$1|1|", client.ask("GET a"));
    assertFalse(writer.hasReply());
    replica.acknowledge();
    stop.join();
    assertNull(failure.get());
    assertEquals("", client.untilClosed());
    start();
  }

  @Test
  void endsAtOnceForWhoSaysNow() throws IOException {
    behind();
    shutdown(" NOW");
    awaitShutdown();
  }

  @Test
  void endsWhenItHasTakenTooLong() throws IOException {
    client.ask("CONFIG SET shutdown-timeout 0");
    behind();
    shutdown("");
    awaitShutdown();
  }
}
