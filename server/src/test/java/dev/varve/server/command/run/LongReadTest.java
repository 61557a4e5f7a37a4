package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.server.command.Session;
import dev.varve.server.command.TrackingState;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyCutShortException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads that would keep a loop from all others, however short their replies are. Here each is long
 * of which it is looked how long it takes.
 */
class LongReadTest {
  private static final int ELEMENTS = 20_000;

  /** What reads for long, and replies little. */
  private static final List<String> READS =
      List.of(
          "KEYS *nothing",
          "SCAN 0 MATCH *nothing COUNT 100000",
          "HGETALL hash",
          "HSCAN hash 0 MATCH *nothing COUNT 100000",
          "LPOS list nothing",
          "SINTERCARD 2 set other",
          "SDIFF set other",
          "SORT list LIMIT 0 3 ALPHA DESC",
          "SORT list BY nothing GET key:*",
          "SORT_RO list LIMIT 0 3 ALPHA",
          "ZINTERCARD 2 zset set",
          "GEOSEARCH zset FROMMEMBER m1 BYRADIUS 1000 km COUNT 1",
          "GEORADIUS zset -179.9 -85 1000 km COUNT 1",
          "GEORADIUSBYMEMBER zset m1 1000 km COUNT 1",
          "XRANGE stream - + COUNT 100000",
          "XREAD STREAMS stream nothing 0 0",
          "EXISTS" + " key:1".repeat(ELEMENTS),
          "MGET" + " nothing".repeat(ELEMENTS));

  /** What these read that has less to do. */
  private static final List<String> SHORT_READS =
      List.of(
          "HGET hash m1",
          "LRANGE list 0 99",
          "SISMEMBER set m1",
          "ZRANGE zset 0 99",
          "SORT short LIMIT 0 3 ALPHA DESC",
          "GEORADIUS short:z 0 0 1 m",
          "XRANGE stream - + COUNT 10",
          "XREAD COUNT 10 STREAMS stream 0");

  private TreeTester tester;
  private Session client;

  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    tester = TreeTester.roomy(directory);
    client = tester.session();
    for (int i = 0; i < ELEMENTS; i++) {
      run("SET key:" + i + " v" + i);
      run("HSET hash m" + i + " v" + i);
      run("RPUSH list m" + i);
      run("SADD set m" + i);
      run("SADD other n" + i);
      run("ZADD zset " + i + " m" + i);
      run("XADD stream * f m" + i);
    }
    run("RPUSH short a b c");
    run("GEOADD short:z 0 0 here");
  }

  @AfterEach
  void close() throws IOException {
    tester.close();
  }

  private static Args args(String request) {
    return Args.of(request.split(" "));
  }

  private String run(String request) throws IOException {
    return tester.run(client, args(request), Role.WRITER, 1);
  }

  private Outcome attempt(String request, Role role) {
    return tester.attempt(client, args(request), role).outcome();
  }

  @Test
  void theyBeginAgainWhereTheyHoldUpNobodyAndSayTheSame() throws IOException {
    List<String> replies = new ArrayList<>();
    for (String read : READS) {
      replies.add(run(read));
    }
    tester.readsAreLong();
    long before = tester.longReads();
    for (int i = 0; i < READS.size(); i++) {
      String read = READS.get(i);
      for (Role role : Role.values()) {
        assertEquals(
            new TreeTester.Attempt(Outcome.TO_STREAM, 0),
            tester.attempt(client, args(read), role),
            () -> read + " on " + role);
      }
      assertEquals(replies.get(i), String.join("", tester.stream(client, args(read))), read);
    }
    assertEquals(before + (long) READS.size() * Role.values().length, tester.longReads());
  }

  @Test
  void shortOnesAreDoneWhereTheyAre() {
    tester.readsAreLong();
    for (String read : SHORT_READS) {
      for (Role role : Role.values()) {
        assertEquals(Outcome.DONE, attempt(read, role), () -> read + " on " + role);
      }
    }
    assertEquals(0, tester.longReads());
  }

  @Test
  void whatNobodyElseCanDoIsDoneOnTheKeyspaceLoop() throws IOException {
    String sorted = run("SORT list ALPHA");
    tester.readsAreLong();
    assertEquals(":" + ELEMENTS + "\r\n", run("SORT list ALPHA STORE sorted"));
    assertEquals(Outcome.TO_KEYSPACE, attempt("SORT list ALPHA STORE sorted", Role.READER));
    assertEquals(":0\r\n", run("GEORADIUS zset 0 0 1 m STORE found"));
    assertEquals("+OK\r\n", run("MULTI"));
    run("SORT list ALPHA");
    assertEquals("*1\r\n" + sorted, run("EXEC"));
    client.tracking().begin(TrackingState.Mode.ALL_READS, 0, false);
    assertEquals(Outcome.DONE, attempt("SORT list ALPHA", Role.WRITER));
    assertEquals(Outcome.DONE, attempt("KEYS *nothing", Role.WRITER));
    assertEquals(0, tester.longReads());
  }

  @Test
  void theyEndWhenTheirClientHasGone() {
    assertThrows(
        ReplyCutShortException.class,
        () -> tester.streamToNobody(client, args("SINTERCARD 2 set other")));
  }

  @Test
  void withoutAThresholdTheyTakeAsLongAsTheyLike() {
    for (String read : READS) {
      assertEquals(Outcome.DONE, attempt(read, Role.READER), read);
    }
  }
}
