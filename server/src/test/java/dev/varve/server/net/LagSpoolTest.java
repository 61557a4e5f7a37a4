package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a replica that lags behind has yet to be sent: on the disk, and nothing of it is lost. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LagSpoolTest {
  private static final String ID = "a".repeat(40);
  private static final long SECONDS_MAX = 60;
  private static final int VALUE_BYTES = 500_000;

  /** More than stays in memory, and than sockets hold. */
  private static final int VALUES = 160;

  /** More than go into one file, and into two. */
  private static final int VALUES_IN_FILE = 150;

  private static final int VALUES_IN_FILES = 320;

  private static final int VALUES_AT_ONCE = 10;
  private static final int LATER_VALUES = 400;

  /** Less than what may be in memory. */
  private static final long BEHIND_MAX = 40 << 20;

  @TempDir private Path path;

  private FailingStorageDirectory directory;
  private RespServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    directory = new FailingStorageDirectory(RealStorageDirectory.open(path));
    server =
        RespServer.start(
            ServerFixture.settings(
                "client-output-buffer-limit", "replica 48mb 0 0", "repl-backlog-size", "1mb"),
            TreeEngine.open(directory, TreeOptions.builder(), new OffHeap(), 16),
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    client = new RawClient(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.stop();
  }

  private FakeReplica replica() throws IOException {
    FakeReplica replica = new FakeReplica(new RawClient(server.port())).follow();
    Await.until(
        () -> client.ask("INFO replication").contains("state=online"),
        SECONDS_MAX,
        () -> "it is online");
    return replica;
  }

  private static String value(int number) {
    return ("value " + number + " ").repeat(VALUE_BYTES / 8).substring(0, VALUE_BYTES);
  }

  private void write(int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      client.send(FakeMaster.request("SET", "key", value(i))).reply();
    }
  }

  /** More than may be in memory, no faster than the disk takes it. */
  private void writeMuch() throws IOException {
    writeMuch(VALUES);
  }

  private void writeMuch(int values) throws IOException {
    for (int i = 0; i < values; i += VALUES_AT_ONCE) {
      write(i, i + VALUES_AT_ONCE);
      long wanted = (long) (i + VALUES_AT_ONCE) * VALUE_BYTES - BEHIND_MAX;
      Await.until(() -> spooled() >= wanted, SECONDS_MAX, () -> "it is on the disk: " + wanted);
    }
  }

  private static void assertReads(FakeReplica replica, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      assertEquals("SET key " + value(i), replica.nextWrite());
    }
  }

  private long spooled() throws IOException {
    String info = client.ask("INFO replication");
    int from = info.indexOf("replica_spool_bytes:") + "replica_spool_bytes:".length();
    return Long.parseLong(info.substring(from, info.indexOf('|', from)));
  }

  private long spoolFiles() throws IOException {
    return directory.list().stream().filter(name -> name.startsWith("SPOOL-")).count();
  }

  @Test
  void aReplicaThatLagsBehindByMoreThanItMayInMemoryGetsAll() throws IOException {
    FakeReplica replica = replica();
    writeMuch();
    assertTrue(spoolFiles() > 0);
    FakeReplica other = replica();
    write(VALUES, VALUES + 5);
    assertEquals("SELECT 0", replica.nextWrite());
    assertReads(replica, 0, VALUES);
    assertEquals("SELECT 0", replica.nextWrite());
    assertReads(replica, VALUES, VALUES + 5);
    assertEquals("SELECT 0", other.nextWrite());
    assertReads(other, VALUES, VALUES + 5);
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    assertReads(replica, 0, 5);
    // And again.
    writeMuch();
    assertReads(replica, 0, 5);
  }

  /** Whoever holds a block holds all that come behind it. */
  @Test
  void whatComesLaterIsNotKeptByASpoolThatIsOver() throws Exception {
    FakeReplica replica = replica();
    writeMuch();
    Thread reading = new Thread(() -> drain(replica), "reading");
    reading.start();
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    long before = usedBytes();
    write(0, LATER_VALUES);
    long kept = usedBytes() - before;
    assertTrue(kept < (long) LATER_VALUES * VALUE_BYTES / 2, () -> kept + " bytes more are used");
    replica.link().close();
    reading.join();
  }

  private static void drain(FakeReplica replica) {
    try {
      while (true) {
        replica.nextWrite();
      }
    } catch (IOException closed) {
      // That is its end.
    }
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private FakeReplica back(FakeReplica from) throws IOException {
    FakeReplica replica = new FakeReplica(new RawClient(server.port()));
    replica.goOn(from);
    return replica;
  }

  private void awaitAbsent(int count) throws IOException {
    Await.until(
        () -> client.ask("INFO replication").contains("|absent_replicas:" + count + "|"),
        SECONDS_MAX,
        () -> "absent: " + count);
  }

  @Test
  void whoWasAwayGoesOnHoweverMuchWasWritten() throws IOException {
    FakeReplica replica = replica();
    replica.link().close();
    awaitAbsent(1);
    writeMuch();
    FakeReplica again = back(replica);
    awaitAbsent(0);
    assertEquals("SELECT 0", again.nextWrite());
    assertReads(again, 0, VALUES / 2);
    // It has not said so: all that may have been lost on the way comes again.
    again.link().close();
    awaitAbsent(1);
    FakeReplica third = back(replica);
    assertEquals("SELECT 0", third.nextWrite());
    assertReads(third, 0, VALUES);
    third.acknowledge();
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    assertReads(third, 0, 5);
    third.link().close();
  }

  @Test
  void whoDoesNotComeBackInTimeLeavesNothingThere() throws IOException {
    FakeReplica replica = replica();
    writeMuch();
    replica.link().close();
    awaitAbsent(1);
    assertTrue(spooled() > 0);
    client.ask("CONFIG SET repl-backlog-ttl 1");
    awaitAbsent(0);
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
  }

  @Test
  void whoIsAwayIsNotKeptForWhereTheDiskTakesNothing() throws IOException {
    directory.failAll(
        call -> call.kind() == Kind.CREATE && call.file().startsWith("SPOOL"),
        new IOException("no space left"));
    FakeReplica replica = replica();
    replica.link().close();
    awaitAbsent(1);
    write(0, VALUES);
    awaitAbsent(0);
    FakeReplica again = new FakeReplica(new RawClient(server.port()));
    again.loadAll("PSYNC " + replica.history() + " " + (replica.offset() + 1));
    again.link().close();
  }

  @Test
  void aBacklogMayBeLargerThanMemory() throws Exception {
    client.ask("CONFIG SET repl-backlog-size 200mb");
    FakeReplica replica = replica();
    long from = replica.offset();
    Thread reading = new Thread(() -> drain(replica), "reading");
    reading.start();
    write(0, VALUES);
    // Nobody has waited for this one.
    FakeReplica another = new FakeReplica(new RawClient(server.port()), 8);
    another.goOn(replica.history(), from);
    assertEquals("SELECT 0", another.nextWrite());
    assertReads(another, 0, VALUES);
    another.acknowledge();
    assertTrue(spooled() > 0);
    client.ask("CONFIG SET repl-backlog-size 1mb");
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    another.link().close();
    replica.link().close();
    reading.join();
  }

  @Test
  void whoTakesOverExpectsTheFormerMaster() throws IOException {
    try (FakeMaster former = new FakeMaster()) {
      client.ask("REPLICAOF " + former.address());
      RawClient link = former.acceptUpTo("?", -1);
      FakeMaster.sendAll(link, ID, 0, FakeMaster.dump("a", "1"));
      String more = FakeMaster.request("SET", "a", "2");
      link.send(more);
      Await.until(() -> client.ask("GET a").equals("$1|2|"), SECONDS_MAX, () -> "it is there");
      client.ask("REPLICAOF NO ONE");
      // It, and those that followed it, of which nobody knows the names.
      awaitAbsent(2);
      writeMuch();
      FakeReplica again = new FakeReplica(new RawClient(server.port()), former.port());
      again.goOnInAnother(ID, more.length());
      assertEquals("SELECT 0", again.nextWrite());
      assertReads(again, 0, VALUES);
      awaitAbsent(1);
      again.link().close();
    }
  }

  @Test
  void aFileThatCannotBeDeletedTakesNothingElseAway() throws IOException {
    FakeReplica replica = replica();
    writeMuch(VALUES_IN_FILES);
    assertTrue(spoolFiles() > 1);
    AtomicBoolean isTried = new AtomicBoolean();
    directory.failMatching(
        call -> {
          boolean isMeant = call.kind() == Kind.DELETE && call.file().startsWith("SPOOL");
          isTried.compareAndSet(false, isMeant);
          return isMeant;
        },
        1,
        new IOException("Input/output error"));
    assertEquals("SELECT 0", replica.nextWrite());
    assertReads(replica, 0, VALUES_IN_FILE);
    write(VALUES_IN_FILES, VALUES_IN_FILES + 1);
    Await.until(isTried::get, SECONDS_MAX, () -> "it was to be deleted");
    assertReads(replica, VALUES_IN_FILE, VALUES_IN_FILES + 1);
    write(0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    assertReads(replica, 0, 5);
    replica.link().close();
  }

  /** A replica that lags, whose rest cannot be read, and which then comes back. */
  private FakeReplica loadsAllBehindWhatCannotBeRead() throws IOException {
    FakeReplica replica = replica();
    writeMuch();
    directory.failAll(
        call -> call.kind() == Kind.READ && call.file().startsWith("SPOOL"),
        new IOException("Input/output error"));
    drain(replica);
    Await.until(
        () -> client.ask("INFO replication").contains("connected_slaves:0"),
        SECONDS_MAX,
        () -> "it is closed");
    FakeReplica again = new FakeReplica(new RawClient(server.port()));
    again.loadAll("PSYNC " + replica.history() + " " + (replica.offset() + 1));
    return again;
  }

  /** Else it would ask for the same each second, and never get it. */
  @Test
  void whoseRestCannotBeReadIsSentAllData() throws IOException {
    FakeReplica again = loadsAllBehindWhatCannotBeRead();
    again.acknowledge();
    write(0, 5);
    assertEquals("SELECT 0", again.nextWrite());
    assertReads(again, 0, 5);
    Await.until(() -> spooled() == 0 && spoolFiles() == 0, SECONDS_MAX, () -> "nothing is left");
    again.link().close();
  }

  /** Whoever else may ask for it. */
  @Test
  void whatCannotBeReadIsKeptForNobody() throws IOException {
    client.ask("CONFIG SET repl-backlog-size 200mb");
    FakeReplica again = loadsAllBehindWhatCannotBeRead();
    again.link().close();
  }

  @Test
  void whoFollowsAnotherKeepsForNobody() throws IOException {
    FakeReplica replica = replica();
    replica.link().close();
    awaitAbsent(1);
    client.ask("REPLICAOF 127.0.0.1 1");
    awaitAbsent(0);
  }

  @Test
  void whereItMayNotBeOnTheDiskWhoIsTooFarBehindIsClosed() throws IOException {
    client.ask("CONFIG SET replica-spool-size 0");
    FakeReplica replica = replica();
    write(0, VALUES);
    Await.until(
        () -> client.ask("INFO replication").contains("connected_slaves:0"),
        SECONDS_MAX,
        () -> "it is closed");
    assertEquals(0, spoolFiles());
    replica.link().close();
  }

  @Test
  void whereTheDiskTakesNothingWhoIsTooFarBehindIsClosed() throws IOException {
    directory.failAll(
        call -> call.kind() == Kind.CREATE && call.file().startsWith("SPOOL"),
        new IOException("no space left"));
    FakeReplica replica = replica();
    write(0, VALUES);
    Await.until(
        () -> client.ask("INFO replication").contains("connected_slaves:0"),
        SECONDS_MAX,
        () -> "it is closed");
    assertEquals("$500000|" + value(VALUES - 1) + "|", client.ask("GET key"));
    replica.link().close();
  }

  @Test
  void aStopDoesNotWaitForWhatIsThere() throws IOException {
    FakeReplica replica = replica();
    client.ask("CONFIG SET shutdown-timeout 0");
    writeMuch();
    server.stop();
    assertEquals(0, spoolFiles());
    replica.link().close();
    start();
  }
}
