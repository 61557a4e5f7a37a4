package dev.varve.server.net;

import static dev.varve.server.net.FakeMaster.dump;
import static dev.varve.server.net.FakeMaster.request;
import static dev.varve.server.net.FakeMaster.sendAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A master that says what a test tells it to, and a server that is to follow it. */
abstract class FollowedMaster {
  static final long SECONDS_MAX = 20;
  static final String ID = "a".repeat(40);

  FakeMaster master;
  ServerFixture server;
  RawClient client;

  @BeforeEach
  void start() throws IOException {
    master = new FakeMaster();
    server = new ServerFixture("enable-debug-command", "yes");
    client = server.client();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    master.close();
  }

  void follow() throws IOException {
    assertEquals("+OK|", client.ask("REPLICAOF " + master.address()));
  }

  /** Follows the master, whose data these keys are. */
  RawClient follow(long offset, String... keysAndValues) throws IOException {
    follow();
    RawClient link = master.acceptUpTo("?", -1);
    sendAll(link, ID, offset, dump(keysAndValues));
    assertAcknowledged(link, offset);
    return link;
  }

  /** Reads up to a request that tells that it is so far. */
  static void assertAcknowledged(RawClient link, long offset) throws IOException {
    String digits = Long.toString(offset);
    String wanted = "|$8|REPLCONF|$3|ACK|$" + digits.length() + "|" + digits + "|";
    String last = link.reply();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    // How far it has synced may follow.
    while (!last.startsWith(wanted, 2)) {
      assertTrue(System.nanoTime() < deadline, last);
      last = link.reply();
    }
  }

  void await(String request, String reply) throws IOException {
    await(client, request, reply);
  }

  static void await(RawClient who, String request, String reply) throws IOException {
    Await.until(() -> who.ask(request).equals(reply), SECONDS_MAX, () -> request + ": " + reply);
  }

  String info(String section, String field) throws IOException {
    for (String line : client.ask("INFO " + section).split("\\|")) {
      if (line.startsWith(field + ":")) {
        return line.substring(field.length() + 1);
      }
    }
    throw new AssertionError(field);
  }

  String role() throws IOException {
    return client.ask("ROLE");
  }

  /** Waits until all of a dump has come. */
  void awaitAll(String dump) throws IOException {
    String wanted = "|master_sync_read_bytes:" + dump.length() + "|";
    Await.until(() -> client.ask("INFO replication").contains(wanted), SECONDS_MAX, () -> wanted);
  }
}
