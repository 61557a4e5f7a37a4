package dev.varve.perf.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What workloads find in the servers that they are run on. */
@Timeout(120)
class ServerCommandTest {
  private static final int MEMBERS_A_COMMAND = 50;

  /** Two rounds, from a generator whose requests can be counted. */
  private static void run(CountingServer server, String workloads) throws IOException {
    ServerCommand command = new ServerCommand();
    List<String> words = new ArrayList<>(List.of("--workloads", workloads));
    words.addAll(List.of("--generator", "own", "--pipelines", "4", "--clients", "3"));
    words.addAll(List.of("--warm-up", "1", "--rounds", "1", "--seconds", "1"));
    words.addAll(List.of("--keys", "70", "--value-bytes", "10000"));
    new CommandLine(command).parseArgs(words.toArray(String[]::new));
    Peer peer = server.peer();
    command.compare(List.of(peer), new PeerResults(List.of("varve", peer.name())));
  }

  @Test
  void whoPopsPopsAsMuchAsWasPushed() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n")) {
      run(server, "lpush,rpop");

      assertTrue(server.count("RPOP") > 0);
      assertEquals(server.count("LPUSH"), server.count("RPOP"));
    }
  }

  @Test
  void whatIsPoppedIsThereWhereNobodyPushes() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n")) {
      run(server, "rpop");

      assertTrue(server.count("RPOP") > 0);
      assertTrue(server.count("LPUSH") >= server.count("RPOP"));
    }
  }

  @Test
  void membersThatArePoppedSufficeForBothLoads() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n")) {
      run(server, "spop");

      assertTrue(server.count("SPOP") > 0);
      assertTrue(MEMBERS_A_COMMAND * server.count("SADD") >= server.count("SPOP"));
    }
  }

  @Test
  void whatIsReadIsThereWhereNobodyWrites() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n")) {
      run(server, "get,hget");

      assertEquals(70, server.count("SET"));
      assertEquals(70, server.count("HSET"));
    }
  }
}
