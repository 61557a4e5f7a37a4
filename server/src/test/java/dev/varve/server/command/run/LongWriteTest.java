package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes that would keep the keyspace loop from all who read. Here each is long of which it is
 * looked how long it takes.
 */
class LongWriteTest {
  private static final int ELEMENTS = 20_000;

  /** What reads for long to write, into "to" if anywhere. */
  private static final List<String> LITTLE_WRITTEN =
      List.of(
          "SINTERSTORE to set other",
          "SDIFFSTORE to set set",
          "ZINTERSTORE to 2 zset other",
          "SORT list LIMIT 0 3 ALPHA STORE to",
          "ZRANGESTORE to zset 0 3000",
          "GEOSEARCHSTORE to zset FROMLONLAT -179.9 -85 BYRADIUS 1000 km COUNT 3",
          "LREM list 1 nothing",
          "SADD to" + numbers(600),
          "ZADD to" + numbers(600),
          "DEL" + numbers(600));

  /** So that there is much to apply, too. */
  private static final List<String> MUCH_WRITTEN =
      List.of(
          "SUNIONSTORE to set other",
          "ZUNIONSTORE to 2 zset set",
          "COPY hash to",
          "COPY stream to",
          "SORT list ALPHA STORE to",
          "SPOP set " + (ELEMENTS - 1_000));

  @TempDir private Path directory;
  private TreeTester tester;
  private Session client;

  private void start() throws IOException {
    tester = TreeTester.roomy(directory);
    client = tester.session();
  }

  @BeforeEach
  void open() throws IOException {
    start();
    for (int i = 0; i < ELEMENTS; i++) {
      run("HSET hash m" + i + " v" + i);
      run("RPUSH list m" + i);
      run("SADD set m" + i);
      run("SADD other n" + i);
      run("ZADD zset " + i + " m" + i);
      run("XADD stream " + (i + 1) + " f m" + i);
    }
  }

  @AfterEach
  void close() throws IOException {
    tester.checkConsistent();
    tester.close();
  }

  private static String numbers(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 2 * count; i++) {
      text.append(' ').append(i);
    }
    return text.toString();
  }

  private static Args args(String request) {
    return Args.of(request.split(" "));
  }

  private String run(String request) throws IOException {
    return tester.run(client, args(request), Role.WRITER, 1);
  }

  /** The reply to a write, and what it has written. */
  private List<String> written(String write) throws IOException {
    return List.of(run(write), run("DUMP to"), run("SCARD set"), run("DEL to"));
  }

  private List<List<String>> written(List<String> writes) throws IOException {
    List<List<String>> all = new ArrayList<>();
    for (String write : writes) {
      all.add(written(write));
    }
    return all;
  }

  @Test
  void theyBeginAgainOnAWorkerAndDoTheSame() throws IOException {
    List<List<String>> wanted = written(LITTLE_WRITTEN);
    assertEquals(0, tester.longRuns());
    tester.writesAreLong();
    for (int i = 0; i < LITTLE_WRITTEN.size(); i++) {
      String write = LITTLE_WRITTEN.get(i);
      assertEquals(wanted.get(i), written(write), write);
      assertEquals(i + 1, tester.longRuns(), write);
      assertEquals(0, tester.appliedBeside(), write);
    }
    assertEquals(0, tester.appliedBeside());
  }

  @Test
  void whatIsMuchIsAppliedThereToo() throws IOException {
    List<List<String>> wanted = written(MUCH_WRITTEN);
    for (int i = 0; i < ELEMENTS; i++) {
      run("SADD set m" + i);
    }
    tester.writesAreLong();
    for (int i = 0; i < MUCH_WRITTEN.size(); i++) {
      String write = MUCH_WRITTEN.get(i);
      assertEquals(sorted(wanted.get(i)), sorted(written(write)), write);
      assertEquals(i + 1, tester.longRuns(), write);
      assertEquals(i + 1, tester.appliedBeside(), write);
    }
  }

  /** What SPOP takes first is its own affair. */
  private static List<String> sorted(List<String> replies) {
    return replies.get(0).startsWith("*")
        ? replies.get(0).lines().sorted().toList()
        : List.copyOf(replies);
  }

  @Test
  void transactionsLeaveAsAWhole() throws IOException {
    tester.writesAreLong();
    assertEquals("+OK\r\n", run("MULTI"));
    for (int i = 0; i < ELEMENTS; i++) {
      run("INCR n");
      run("SET key:" + i + " 1");
    }
    String reply = run("EXEC");
    assertEquals(":" + ELEMENTS + "\r\n+OK\r\n", reply.substring(reply.lastIndexOf(':')));
    assertEquals(1, tester.longRuns());
    assertEquals(1, tester.appliedBeside());
    assertEquals(":" + (ELEMENTS + 1) + "\r\n", run("INCR n"));
    assertEquals("$1\r\n1\r\n", run("GET key:" + (ELEMENTS - 1)));
  }

  @Test
  void whatIsPlainlyLongGoesThereAtOnce() throws IOException {
    String write = "SADD to" + numbers(20_000);
    assertEquals(":40000\r\n", run(write));
    assertEquals(0, tester.longRuns());
    tester.writesAreLongAfter(Long.MAX_VALUE / 1_000_000);
    assertEquals(":0\r\n", run(write));
    assertEquals(1, tester.longRuns());
    assertEquals(0, tester.appliedBeside());
    run("MULTI");
    for (int i = 0; i < 10_000; i++) {
      run("SREM to " + i);
    }
    run("EXEC");
    assertEquals(2, tester.longRuns());
    assertEquals(":30000\r\n", run("SCARD to"));
  }

  @Test
  void aRestartFindsAllOfIt() throws IOException {
    tester.writesAreLong();
    run("SUNIONSTORE to set other");
    assertEquals(1, tester.appliedBeside());
    String before = run("DUMP to");
    tester.close();
    start();
    assertEquals(before, run("DUMP to"));
  }

  @Test
  void whatTheKeyspaceLoopAloneCanDoStaysThere() throws IOException {
    tester.writesAreLong();
    assertEquals("+OK\r\n", run("MULTI"));
    run("SINTERSTORE to set other");
    run("T.ACT");
    assertEquals("*2\r\n:0\r\n+OK\r\n", run("EXEC"));
    assertEquals("+OK\r\n", run("MULTI"));
    run("SINTERSTORE to set other");
    tester.run(client, Args.of("EVAL", "return 1", "0"), Role.WRITER, 1);
    assertEquals("*2\r\n:0\r\n:1\r\n", run("EXEC"));
    assertEquals(0, tester.longRuns());
  }

  /** A string of that length is written in one step: what takes long is to look at its payload. */
  @Test
  void whatRestoreIsGivenIsReadThere() throws IOException {
    run("SET string " + "x".repeat(200_000));
    String dumped = run("DUMP string");
    int from = dumped.indexOf('\n') + 1;
    byte[] payload =
        dumped.substring(from, dumped.length() - 2).getBytes(StandardCharsets.ISO_8859_1);
    byte[][] restore = {bytes("RESTORE"), bytes("to"), bytes("0"), payload};
    tester.writesAreLong();
    assertEquals("+OK\r\n", tester.run(client, new Args(restore, restore.length), Role.WRITER, 1));
    assertEquals(1, tester.longRuns());
    assertEquals(run("GET string"), run("GET to"));
    run("DEL to");
    payload[payload.length - 1]++;
    assertEquals(
        "-ERR DUMP payload version or checksum are wrong\r\n",
        tester.run(client, new Args(restore, restore.length), Role.WRITER, 1));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Which of the watched keys are there now. */
  @Test
  void whatIsLookedAtBehindAWriteDoesNotBeginItAnew() throws IOException {
    tester.run(tester.session(), args("WATCH" + numbers(100)), Role.WRITER, 1);
    run("SET here 1");
    tester.writesAreLong();
    assertEquals("+OK\r\n", run("SWAPDB 0 1"));
    assertEquals("$-1\r\n", run("GET here"));
    run("MULTI");
    run("INCR count");
    run("SWAPDB 0 1");
    assertEquals("*2\r\n:1\r\n+OK\r\n", run("EXEC"));
    assertEquals("$-1\r\n", run("GET count"));
    assertEquals(0, tester.longRuns());
  }

  @Test
  void shortOnesAreDoneWhereTheyAre() throws IOException {
    tester.writesAreLong();
    for (String write :
        List.of("SADD set m1 m2", "HSET hash m1 v", "LPUSH list a", "DEL list", "SREM set m1")) {
      assertEquals(Outcome.DONE, tester.attempt(client, args(write), Role.WRITER).outcome(), write);
    }
    tester.commit();
  }
}
