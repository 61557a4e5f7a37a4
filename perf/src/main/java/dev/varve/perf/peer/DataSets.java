package dev.varve.perf.peer;

import dev.varve.perf.server.RespConnection;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/** Writes what workloads read. Used by one thread. */
final class DataSets {
  static final int LIST_LENGTH = 10_000;
  static final long BOARD_MEMBERS = 1_000_000;

  private static final int PIPELINE = 200;
  private static final int AT_A_TIME = 50;
  private static final String VALUE = "v".repeat(100);

  /** Empties {@code peer} of what the harness keeps there, and writes the list and the board. */
  static void write(Peer peer) throws IOException {
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      connection.ask("DEL", "bench:list", "bench:board");
      String[] push = new String[2 + AT_A_TIME];
      push[0] = "RPUSH";
      push[1] = "bench:list";
      Arrays.fill(push, 2, push.length, VALUE);
      for (int i = 0; i < LIST_LENGTH; i += AT_A_TIME) {
        connection.ask(push);
      }
      board(connection);
    }
  }

  private static void board(RespConnection connection) throws IOException {
    int sent = 0;
    for (long i = 0; i < BOARD_MEMBERS; i += AT_A_TIME) {
      String[] add = new String[2 + 2 * AT_A_TIME];
      add[0] = "ZADD";
      add[1] = "bench:board";
      for (int j = 0; j < AT_A_TIME; j++) {
        // Scores are not in the order of the members, as nobody's are.
        long member = i + j;
        add[2 + 2 * j] = Long.toString(member * 7919 % BOARD_MEMBERS);
        add[3 + 2 * j] = String.format(Locale.ROOT, "member:%012d", member);
      }
      connection.send(add);
      if (++sent % PIPELINE == 0) {
        connection.flush();
        connection.skipReplies(PIPELINE);
      }
    }
    connection.flush();
    connection.skipReplies(sent % PIPELINE);
  }

  private DataSets() {}
}
