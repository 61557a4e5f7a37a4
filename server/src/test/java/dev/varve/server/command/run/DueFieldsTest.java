package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that meet a hash of which many fields are due and others are not. */
class DueFieldsTest {
  private static final int FIELDS = 3_000;
  private static final int STAY = 3;
  private static final long DUE_MILLIS = 1_000;

  private FailingStorageDirectory failing;
  private TreeTester tester;
  private Session client;

  /** Without a cache, so that each look into a table is cold. */
  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    failing = new FailingStorageDirectory(RealStorageDirectory.open(directory));
    tester =
        new TreeTester(
            failing,
            new TreeTester.Sizes(1 << 20, 512, 1 << 15, 0),
            PackedLimits.DEFAULT,
            1_700_000_000_000L);
    client = tester.session();
    List<String> set = new ArrayList<>(List.of("HSET", "h"));
    List<String> expire =
        new ArrayList<>(List.of("HPEXPIRE", "h", "" + DUE_MILLIS, "FIELDS", "" + FIELDS));
    for (int i = 0; i < FIELDS; i++) {
      set.addAll(List.of("due" + i, "v"));
      expire.add("due" + i);
    }
    for (int i = 0; i < STAY; i++) {
      set.addAll(List.of("stays" + i, "v"));
    }
    run(set.toArray(String[]::new));
    run(expire.toArray(String[]::new));
    assertEquals(":" + (FIELDS + STAY), run("HLEN", "h"));
    tester.nowMillis += DUE_MILLIS;
  }

  @AfterEach
  void close() throws IOException {
    tester.close();
  }

  private String run(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1).strip();
  }

  private Outcome attempt(String... request) throws IOException {
    Outcome outcome = tester.attempt(client, Args.of(request), Role.WRITER).outcome();
    tester.commit();
    return outcome;
  }

  @Test
  void aCommandIsDoneWhenAllOfThemAreDeletedAFewAtATime() throws IOException {
    int runs = 1;
    while (attempt("HLEN", "h") == Outcome.AGAIN) {
      runs++;
    }
    assertTrue(runs > FIELDS / 300, runs + " runs");
    assertEquals(":" + STAY, run("HLEN", "h"));
    tester.checkConsistent();
  }

  @Test
  void othersAreAnsweredInBetweenAndSeeNoneOfThem() throws IOException {
    assertEquals(Outcome.AGAIN, attempt("HLEN", "h"));
    assertEquals("+OK", run("SET", "other", "value"));
    Session second = tester.session();
    assertEquals(
        "$-1", tester.run(second, Args.of("HGET", "h", "due2999"), Role.READER, 1).strip());
    assertEquals(":" + STAY, run("HLEN", "h"));
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void whatIsOnDiskIsBroughtForIt(Role role) throws IOException {
    tester.flush();
    assertEquals(":" + STAY, tester.run(client, Args.of("HLEN", "h"), role, 1).strip());
    assertEquals(":1", run("HSET", "h", "due7", "again"));
    assertEquals(":" + (STAY + 1), run("HLEN", "h"));
    tester.checkConsistent();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void scriptsAndTransactionsDoWhatTheyDoOnce(boolean isScript) throws IOException {
    if (isScript) {
      String script =
          "redis.call('INCR', 'n') local found = redis.call('HLEN', 'h')"
              + " redis.call('INCR', 'n') return found";
      assertEquals(":" + STAY, run("EVAL", script, "0"));
    } else {
      run("MULTI");
      run("INCR", "n");
      run("HLEN", "h");
      run("INCR", "n");
      assertEquals("*3\r\n:1\r\n:" + STAY + "\r\n:2", run("EXEC"));
    }
    assertEquals("$1\r\n2", run("GET", "n"));
    tester.checkConsistent();
  }

  private void runsAFewTimes(String... request) throws IOException {
    int runs = 0;
    while (attempt(request) == Outcome.AGAIN) {
      assertTrue(++runs < FIELDS, "it runs again and again");
    }
  }

  @Test
  void aTransactionThatHasSwappedTheirDatabaseEnds() throws IOException {
    run("MULTI");
    run("SWAPDB", "0", "1");
    run("SELECT", "1");
    run("HLEN", "h");
    runsAFewTimes("EXEC");
    assertEquals(":" + STAY, run("HLEN", "h"));
    tester.checkConsistent();
  }

  @Test
  void aDiskThatFailsMeanwhileIsToldToTheClient() throws IOException {
    tester.flush();
    int failures = 0;
    for (int nth = 1; ; nth += 5) {
      failing.failCall(Kind.READ, nth, new IOException("the disk is broken"));
      String reply =
          tester.run(client, Args.of("HSET", "h", "stays0", "w"), Role.WORKER, 1).strip();
      if (reply.equals(":0")) {
        break;
      }
      assertTrue(reply.startsWith("-ERR") && reply.contains("broken"), reply);
      failures++;
    }
    failing.heal();
    assertTrue(failures > 3, failures + " failures");
    assertEquals(":" + STAY, run("HLEN", "h"));
    tester.checkConsistent();
  }

  @Test
  void whatMustRunOnlyOnceDoesSoWhereTheyBecomeDueBehindTheRehearsal() throws IOException {
    run("HLEN", "h");
    for (int before = 0; before < 10; before++) {
      String key = "h" + before;
      List<String> set = new ArrayList<>(List.of("HSET", key, "stays", "v"));
      List<String> expire = new ArrayList<>(List.of("HPEXPIRE", key, "1000", "FIELDS", "300"));
      for (int i = 0; i < 300; i++) {
        set.addAll(List.of("due" + i, "v"));
        expire.add("due" + i);
      }
      run(set.toArray(String[]::new));
      run(expire.toArray(String[]::new));
      run("MULTI");
      run("T.ACT");
      run("HLEN", key);
      tester.nowMillis += 1000 - before;
      tester.millisPerLook = 1;
      tester.acts = 0;
      String reply = run("EXEC");
      tester.millisPerLook = 0;
      assertTrue(reply.startsWith("*2\r\n+OK\r\n:"), reply);
      assertEquals(1, tester.acts, before + " ms before");
    }
  }

  @Test
  void whatATransactionDeletesItselfDoesNotEndItsWatch() throws IOException {
    tester.nowMillis -= DUE_MILLIS;
    run("WATCH", "h");
    run("MULTI");
    run("HLEN", "h");
    tester.nowMillis += DUE_MILLIS;
    assertEquals("*1\r\n:" + STAY, run("EXEC"));
    run("WATCH", "h");
    tester.run(tester.session(), Args.of("HDEL", "h", "stays0"), Role.WRITER, 1);
    run("MULTI");
    assertEquals("*-1", run("EXEC"));
  }
}
