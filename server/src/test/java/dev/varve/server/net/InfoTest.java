package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What INFO says of the server itself. */
@Timeout(30)
class InfoTest {

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void readsAndWritesOfSocketsAreCountedAndNotRequests(String loops) throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("CONFIG RESETSTAT"));
      for (int i = 0; i < 10; i++) {
        assertEquals("+PONG|", client.ask("PING"));
      }
      // Its own bytes and those of the INFO that asks; the reply to RESETSTAT may be counted or
      // not.
      String info = client.ask("INFO stats");
      assertEquals(11, field(info, "total_reads_processed"), info);
      assertTrue(isOneOf(field(info, "total_writes_processed"), 10, 11), info);
      long written = field(info, "total_net_output_bytes");
      assertTrue(isOneOf(written, 10 * "+PONG\r\n".length(), 10 * 7 + "+OK\r\n".length()), info);

      client.send("PING|".repeat(100)).replies(100);
      long reads = field(client.ask("INFO stats"), "total_reads_processed");
      assertTrue(reads < 11 + 100, () -> reads + " reads");
    }
  }

  private static boolean isOneOf(long value, long one, long other) {
    return value == one || value == other;
  }

  @Test
  void allThatRedisResetsBeginsAtZeroAgain() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("SET key value PX 1"));
      fixture.aheadMillis.set(1000);
      Await.until(
          () -> field(client.ask("INFO stats"), "expired_keys") == 1, 20, () -> "never expired");
      client.send("GET key|NOSUCH|").replies(2);
      assertEquals("+OK|", client.ask("CONFIG RESETSTAT"));
      String info = client.ask("INFO everything");
      for (String name :
          List.of(
              "expired_keys",
              "evicted_keys",
              "evicted_clients",
              "keyspace_hits",
              "keyspace_misses",
              "total_connections_received",
              "rejected_connections",
              "total_error_replies")) {
        assertEquals(0, field(info, name), name);
      }
      assertTrue(field(info, "total_commands_processed") <= 1, info);
      assertTrue(!info.contains("errorstat_") && !info.contains("cmdstat_get"), info);
      assertTrue(!info.contains("latency_percentiles_usec_get"), info);
    }
  }

  @Test
  void aMasterThatNobodyReplicatesHasAnIdAndNoBacklog() throws IOException {
    try (ServerFixture fixture = new ServerFixture("repl-backlog-size", "32768")) {
      RawClient client = fixture.client();
      String info = client.ask("INFO replication");
      assertTrue(
          info.contains(
              "|master_replid2:0000000000000000000000000000000000000000|master_repl_offset:0"
                  + "|second_repl_offset:-1|repl_backlog_active:0|repl_backlog_size:32768"
                  + "|repl_backlog_first_byte_offset:0|repl_backlog_histlen:0|"),
          info);
      Matcher id = Pattern.compile("\\|master_replid:([0-9a-f]{40})\\|").matcher(info);
      assertTrue(id.find(), info);
      assertTrue(client.ask("INFO replication").contains(id.group()), "it changes");
      assertTrue(!client.ask("INFO server").contains(id.group(1)), "the run has the same");
    }
  }

  @Test
  void whatHzAsksForIsShownBesideWhatIsDone() throws IOException {
    try (ServerFixture fixture = new ServerFixture("hz", "50")) {
      assertTrue(fixture.client().ask("INFO server").contains("|hz:1|configured_hz:50|"));
    }
  }

  @Test
  void dataAndTheRestMakeUpTheMemoryInUse() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      String info = fixture.client().ask("INFO memory");
      assertEquals(
          field(info, "used_memory"),
          field(info, "used_memory_dataset") + field(info, "used_memory_overhead"));
    }
  }

  @Test
  void theThreadThatWritesHasProcessorTimeOfItsOwn() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      Pattern busy = Pattern.compile("used_cpu_(sys|user)_main_thread:(?!0\\.000000)");
      Await.until(() -> busy.matcher(client.ask("INFO cpu")).find(), 20, () -> "never busy");
    }
  }

  private static long field(String info, String name) {
    Matcher found = Pattern.compile("\\|" + name + ":(\\d+)\\|").matcher(info);
    assertTrue(found.find(), () -> name + " is not in " + info);
    return Long.parseLong(found.group(1));
  }
}
