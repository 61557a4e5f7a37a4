package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.PackedLimits;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.command.Message;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.TrackingState;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The log fails under commands: what clients are shown, and that writing resumes. */
class LogFailureTest {
  private static final IOException BROKEN = new IOException("Input/output error");
  private static final PackedLimits SPREAD = new PackedLimits(4, 16, 4, 16, 4, 16, 4, 100);
  private static final int TURNS_MAX = 20;

  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());
  private TreeTester tester = open();
  private Session client = tester.session();

  LogFailureTest() throws IOException {}

  private TreeTester open() throws IOException {
    return new TreeTester(
        directory, new TreeTester.Sizes(1 << 20, 4096, 1 << 20, 1 << 20), SPREAD, 1_000_000);
  }

  private void reopen() throws IOException {
    tester.close();
    tester = open();
    client = tester.session();
  }

  private String run(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1);
  }

  @Test
  void aFailedSyncIsGotOverAlsoWhenCollectionsHaveDied() throws IOException {
    // More members than stay in one piece, so that their death is recorded and reclaimed later.
    run("SADD", "set", "a", "b", "c", "d", "e", "f", "g");
    run("DEL", "set");
    run("SET", "key", "value");
    directory.failCall(Kind.SYNC_FILE, 1, BROKEN);
    assertThrows(IOException.class, tester::sync);
    String reply = "";
    for (int turn = 0; turn < TURNS_MAX && !reply.equals("+OK\r\n"); turn++) {
      tester.upkeep();
      workIfPossible();
      assertEquals("$5\r\nvalue\r\n", run("GET", "key"));
      reply = run("SET", "other", "1");
    }
    assertEquals("+OK\r\n", reply);
    tester.checkConsistent();
    tester.close();
  }

  private void workIfPossible() throws IOException {
    try {
      tester.work();
    } catch (ReadFailure measuring) {
      // Compaction looks for what died, which needs a log that can be synced.
      assertTrue(measuring.toString().contains("is being replaced"));
    }
  }

  @Test
  void whatCouldNotBeCommittedIsNotShownBeforeItCan() throws IOException {
    run("SET", "key", "before");
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    assertTrue(run("SET", "key", "refused").startsWith("-MISCONF "));
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"));
    directory.heal();
    tester.upkeep();
    assertEquals("$5\r\nafter\r\n", run("GET", "key"));
    assertEquals("+OK\r\n", run("SET", "key", "new"));
    tester.close();
  }

  /** A script had run on that worker before. */
  @Test
  void aWriteThatTakesLongIsRefusedWhereWhatCameBeforeItCouldNotBeCommitted() throws IOException {
    tester.scriptsAreLongAfterAMillisecond();
    assertEquals("$-1\r\n", run("EVAL", "for i = 1, 3000000 do end", "0"));
    assertEquals(1, tester.longRuns());
    tester.writesAreLong();
    tester.joinPasses(new SplittableRandom(1));
    assertEquals("+OK\r\n", run("SET", "key", "value"));
    failLog();
    String[] request = new String[1 + (16 << 10)];
    Arrays.setAll(request, i -> i == 0 ? "MSET" : "word" + i);
    String reply = run(request);
    assertTrue(reply.startsWith("-MISCONF "), reply);
    assertEquals(2, tester.longRuns());
    directory.heal();
    tester.upkeep();
    assertEquals("$-1\r\n", run("GET", "word1"));
    tester.close();
  }

  @Test
  void aDatabaseThatMayNotHaveBeenFlushedIsShownAsItWas() throws IOException {
    run("SET", "key", "before");
    failLog();
    assertThrows(IOException.class, () -> run("FLUSHDB"));
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"));
    assertEquals("$6\r\nbefore\r\n", readElsewhere("GET", "key"));
    assertEquals("*1\r\n$3\r\nkey\r\n", run("KEYS", "*"));
    directory.heal();
    tester.upkeep();
    assertEquals("$-1\r\n", run("GET", "key"));
    assertEquals("$-1\r\n", readElsewhere("GET", "key"));
    assertEquals("+OK\r\n", run("SET", "key", "new"));
    tester.checkConsistent();
    tester.close();
  }

  @Test
  void databasesThatMayNotHaveBeenSwappedAreShownAsTheyWere() throws IOException {
    run("SET", "key", "first");
    assertEquals("+OK\r\n", run("SWAPDB", "0", "1"));
    run("SET", "key", "second");
    failLog();
    assertThrows(IOException.class, () -> run("SWAPDB", "0", "1"));
    assertEquals("$6\r\nsecond\r\n", run("GET", "key"));
    assertEquals("$6\r\nsecond\r\n", readElsewhere("GET", "key"));
    run("SELECT", "1");
    assertEquals("$5\r\nfirst\r\n", run("GET", "key"));
    directory.heal();
    tester.upkeep();
    assertEquals("$6\r\nsecond\r\n", run("GET", "key"));
    run("SELECT", "0");
    assertEquals("$5\r\nfirst\r\n", readElsewhere("GET", "key"));
    tester.close();
  }

  @Test
  void aFlushThatIsSafeStaysWhenALaterWriteIsInDoubt() throws IOException {
    run("SET", "key", "before");
    assertEquals("+OK\r\n", run("FLUSHDB"));
    failLog();
    assertThrows(IOException.class, () -> run("SET", "other", "1"));
    assertEquals("$-1\r\n", run("GET", "key"));
    assertEquals("$-1\r\n", readElsewhere("GET", "other"));
    directory.heal();
    tester.upkeep();
    assertEquals("$1\r\n1\r\n", run("GET", "other"));
    tester.close();
  }

  @Test
  void aFlushThatIsLostLeavesTheDatabaseThatIsStored() throws IOException {
    run("SET", "key", "before");
    loses("FLUSHDB");
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"), "it was closed without a reply");
    writingResumes();
    assertEquals("+OK\r\n", run("SET", "other", "after"));
    tester.checkConsistent();
    reopen();
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"));
    assertEquals("$5\r\nafter\r\n", run("GET", "other"), "it was acknowledged");
    tester.close();
  }

  @Test
  void aLibraryThatIsLostIsThereNoMore() throws IOException {
    String library = "#!lua name=lib\nredis.register_function('f', function() return 1 end)";
    loses("FUNCTION", "LOAD", library);
    writingResumes();
    assertTrue(run("FCALL", "f", "0").startsWith("-ERR Function not found"));
    tester.close();
  }

  /** A request is carried out, and what it wrote is lost: the log cannot be written any more. */
  private void loses(String... request) throws IOException {
    run("SET", "any", "1");
    assertEquals(Outcome.DONE, tester.attempt(client, Args.of(request), Role.WRITER).outcome());
    directory.failCall(Kind.SYNC_FILE, 1, BROKEN);
    assertThrows(IOException.class, tester::sync);
    tester.upkeep();
    assertThrows(IOException.class, tester::commit);
  }

  private void writingResumes() throws IOException {
    String reply = "";
    for (int turn = 0; turn < TURNS_MAX && !reply.equals("+OK\r\n"); turn++) {
      tester.upkeep();
      workIfPossible();
      reply = run("SET", "any", "2");
    }
    assertEquals("+OK\r\n", reply);
  }

  /** On another loop than the keyspace loop. */
  private void failLog() {
    directory.failAll(call -> call.file().endsWith(".log"), BROKEN);
  }

  private String readElsewhere(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.READER, 1);
  }

  @Test
  void aReadThatMeetsDueFieldsIsAnsweredWhileTheLogFails() throws IOException {
    run("HSET", "h", "a", "1", "b", "2");
    run("HPEXPIRE", "h", "100", "FIELDS", "1", "a");
    tester.nowMillis += 200;
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    assertEquals("*2\r\n$1\r\nb\r\n$1\r\n2\r\n", run("HGETALL", "h"));
    assertEquals(":1\r\n", run("EVAL", "return redis.call('HLEN', 'h')", "0"));
    run("MULTI");
    run("EVAL", "return redis.call('HLEN', 'h')", "0");
    assertEquals("*1\r\n:1\r\n", run("EXEC"));
    directory.heal();
    tester.upkeep();
    tester.close();
  }

  @Test
  void aReadThatMeetsDueFieldsDoesNotUndoWhatIsInDoubt() throws IOException {
    run("HSET", "h", "a", "1", "b", "2");
    run("HPEXPIRE", "h", "100", "FIELDS", "1", "a");
    failLog();
    assertThrows(IOException.class, () -> run("HSET", "h", "c", "3", "d", "4"));
    directory.heal();
    tester.nowMillis += 200;
    // No upkeep between: it comes ten times a second.
    tester.attempt(client, Args.of("HGETALL", "h"), Role.WRITER);
    tester.commit();
    tester.upkeep();
    assertEquals(":3\r\n", run("HLEN", "h"));
    tester.checkConsistent();
    tester.close();
  }

  @Test
  void countingASketchIsAnsweredWhileTheLogFails() throws IOException {
    run("PFADD", "p", "a", "b", "c");
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    assertTrue(run("SET", "key", "refused").startsWith("-MISCONF "));
    assertEquals(":3\r\n", run("PFCOUNT", "p"));
    assertEquals(":3\r\n", run("PFCOUNT", "p"));
    run("MULTI");
    run("PFCOUNT", "p");
    assertEquals("*1\r\n:3\r\n", run("EXEC"));
    directory.heal();
    tester.upkeep();
    tester.close();
  }

  @Test
  void countingASketchDoesNotUndoHalfOfWhatIsInDoubt() throws IOException {
    run("PFADD", "p", "a", "b", "c");
    failLog();
    run("MULTI");
    run("PFADD", "p", "d", "e");
    run("SET", "both", "1");
    assertThrows(IOException.class, () -> run("EXEC"));
    directory.heal();
    tester.attempt(client, Args.of("PFCOUNT", "p"), Role.WRITER);
    tester.commit();
    tester.upkeep();
    assertEquals("$1\r\n1\r\n", run("GET", "both"));
    assertEquals(":5\r\n", run("PFCOUNT", "p"));
    tester.close();
  }

  @Test
  void whatTakesLongBehindWhatIsLostIsRefusedAndItsTransactionOver() throws IOException {
    List<String> many = new ArrayList<>(List.of("SADD", "set"));
    for (int i = 0; i < 1_200; i++) {
      many.add(Integer.toString(i));
    }
    run(many.toArray(String[]::new));
    tester.writesAreLong();
    run("MULTI");
    run("SUNIONSTORE", "to", "set");
    // Written, and not committed.
    Session other = tester.session();
    tester.attempt(other, Args.of("SET", "key", "value"), Role.WRITER);
    directory.failCall(Kind.WRITE, 1, BROKEN);
    assertEquals(
        "-MISCONF Errors writing to the log: what was written before could not be\r\n",
        run("EXEC"));
    assertFalse(client.queue().isOpen());
  }

  @Test
  void whoWatchesWhatIsInDoubtFindsItChangedOnceItIsShown() throws IOException {
    run("SET", "key", "before");
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    run("WATCH", "key");
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"));
    directory.heal();
    tester.upkeep();
    run("MULTI");
    run("SET", "key", "other");
    assertEquals("*-1\r\n", run("EXEC"));
    assertEquals("$5\r\nafter\r\n", run("GET", "key"));
    tester.close();
  }

  @Test
  void whoHasReadWhatIsInDoubtIsToldOnceItIsShown() throws IOException {
    AtomicInteger told = new AtomicInteger();
    client.connection(
        new NoConnection() {
          @Override
          public void push(Message message) {
            told.incrementAndGet();
          }
        });
    assertTrue(run("HELLO", "3").startsWith("%7\r\n"));
    client.tracking().begin(TrackingState.Mode.ALL_READS, 0, false);
    tester.listeners().tracking().begin(client, List.of());
    run("SET", "key", "before");
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    assertEquals("$6\r\nbefore\r\n", run("GET", "key"));
    int before = told.get();
    directory.heal();
    tester.upkeep();
    assertEquals(before + 1, told.get());
    tester.close();
  }

  @Test
  void whoBeginsToWaitForWhatIsInDoubtIsServedOnceItIsShown() throws IOException {
    failLog();
    assertThrows(IOException.class, () -> run("XADD", "stream", "1-0", "field", "value"));
    assertEquals(
        Outcome.BLOCKED,
        tester
            .attempt(client, Args.of("XREAD", "BLOCK", "0", "STREAMS", "stream", "0"), Role.WRITER)
            .outcome());
    assertFalse(tester.listeners().blocked().isServeNeeded());
    directory.heal();
    tester.upkeep();
    assertTrue(tester.listeners().blocked().isServeNeeded());
    tester.close();
  }

  @Test
  void aWorkerLeavesTheWatchesToTheKeyspaceLoop() throws IOException {
    run("SET", "key", "1");
    failLog();
    assertThrows(IOException.class, () -> run("SET", "key", "after"));
    run("WATCH", "key");
    run("MULTI");
    Args set = Args.of("SET", "key", "2");
    client.queue().add(tester.find(set), set);
    assertTrue(tester.listeners().watches().isListening());
    tester.attempt(client, Args.of("EXEC"), Role.WORKER);
    assertTrue(tester.listeners().watches().isListening());
    directory.heal();
    tester.upkeep();
    tester.close();
  }
}
