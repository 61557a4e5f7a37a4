package dev.varve.perf.peer;

import dev.varve.perf.server.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Writes what workloads read. Used by one thread. */
final class DataSets {
  static final int LIST_LENGTH = 10_000;
  static final long BOARD_MEMBERS = 1_000_000;

  /** Of a hash, a set, a sorted set and a list each: six million rows. */
  static final int COLLECTIONS = 300;

  static final int COLLECTION_MEMBERS = 5_000;

  /** A collection of each type, and keys beside them: see {@link #writeWhole}. */
  static final String WHOLE_SET = "whole:set";

  static final String WHOLE_OTHER_SET = "whole:other";
  static final String WHOLE_ZSET = "whole:zset";
  static final String WHOLE_LIST = "whole:list";
  static final String WHOLE_HASH = "whole:hash";

  private static final int PIPELINE = 200;
  private static final int AT_A_TIME = 50;
  private static final int LEFT_OF_POPPED = 1_000;
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
    Pushes pushes = new Pushes(connection);
    for (long i = 0; i < BOARD_MEMBERS; i += AT_A_TIME) {
      // Scores are not in the order of the members, as nobody's are.
      pushes.add("ZADD", "bench:board", i, member -> member * 7919 % BOARD_MEMBERS);
    }
    pushes.end();
  }

  /** Writes {@link #COLLECTIONS} of each type. */
  static void writeLarge(Peer peer) throws IOException {
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      Pushes pushes = new Pushes(connection);
      for (int i = 0; i < COLLECTIONS; i++) {
        String name = String.format(Locale.ROOT, ":%012d", i);
        for (long member = 0; member < COLLECTION_MEMBERS; member += AT_A_TIME) {
          pushes.addFields(Workload.LARGE + "hash" + name, member);
          pushes.add("SADD", Workload.LARGE + "set" + name, member, null);
          pushes.add("ZADD", Workload.LARGE + "zset" + name, member, LongUnaryOperator.identity());
          pushes.add("RPUSH", Workload.LARGE + "list" + name, member, null);
        }
      }
      pushes.end();
    }
  }

  /** Writes a large one of each type, and as many keys. The sets have nothing in common. */
  static void writeWhole(Peer peer, long members) throws IOException {
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      Pushes pushes = new Pushes(connection);
      for (long member = 0; member < members; member += AT_A_TIME) {
        pushes.addKeys(member);
        pushes.add("SADD", WHOLE_SET, member, null);
        pushes.add("SADD", WHOLE_OTHER_SET, members + member, null);
        pushes.add("ZADD", WHOLE_ZSET, member, LongUnaryOperator.identity());
        pushes.add("RPUSH", WHOLE_LIST, member, null);
        pushes.addFields(WHOLE_HASH, member);
      }
      pushes.end();
    }
  }

  /**
   * Writes what a workload finds where the one that leaves it does not run: all keys, or fields,
   * below {@code range}.
   */
  static void writeLeft(Peer peer, Workload.Data data, long range, int valueBytes)
      throws IOException {
    String value = "v".repeat(valueBytes);
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      Pushes pushes = new Pushes(connection);
      for (long i = 0; i < range; i++) {
        String number = String.format(Locale.ROOT, "%012d", i);
        switch (data) {
          case KEYS -> pushes.send(List.of("SET", Workload.KEY + number, value));
          case FIELDS ->
              pushes.send(List.of("HSET", Workload.HASH, Workload.FIELD + number, value));
          default -> throw new IllegalArgumentException("nobody leaves " + data);
        }
      }
      pushes.end();
    }
  }

  /** Writes a queue of {@code length}, where there is nobody to push it. */
  static void writeQueue(Peer peer, long length, int valueBytes) throws IOException {
    String value = "v".repeat(valueBytes);
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      connection.ask("DEL", Workload.QUEUE);
      Pushes pushes = new Pushes(connection);
      for (long i = 0; i < length; i++) {
        pushes.send(List.of("LPUSH", Workload.QUEUE, value));
      }
      pushes.end();
    }
  }

  /** Whether {@link #write} writes it, for all runs. */
  static boolean isWrittenOnce(Workload.Data data) {
    return data == Workload.Data.LIST || data == Workload.Data.BOARD;
  }

  /** Writes what a run pops, if it does: members at random, of which some are left in the end. */
  static void fillToPop(Peer peer, Workload.Data data, long pops) throws IOException {
    if (data != Workload.Data.SET_TO_POP && data != Workload.Data.ZSET_TO_POP) {
      return;
    }
    try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
      connection.ask("DEL", Workload.POPPED);
      Pushes pushes = new Pushes(connection);
      for (long i = 0; i < pops + LEFT_OF_POPPED; i += AT_A_TIME) {
        if (data == Workload.Data.SET_TO_POP) {
          pushes.add("SADD", Workload.POPPED, i, null);
        } else {
          pushes.add("ZADD", Workload.POPPED, i, member -> member * 1_000_003 % 10_000_019);
        }
      }
      pushes.end();
    }
  }

  /** Sends {@link #AT_A_TIME} members a request, {@link #PIPELINE} requests at a time. */
  private static final class Pushes {
    private final RespConnection connection;
    private int sent;

    Pushes(RespConnection connection) {
      this.connection = connection;
    }

    /**
     * @param scores of members, or null where they have none
     */
    void add(String command, String key, long first, @Nullable LongUnaryOperator scores)
        throws IOException {
      List<String> words = new ArrayList<>(List.of(command, key));
      for (long member = first; member < first + AT_A_TIME; member++) {
        if (scores != null) {
          words.add(Long.toString(scores.applyAsLong(member)));
        }
        words.add(member(member));
      }
      send(words);
    }

    /** Members are fields, whose values are the same. */
    void addFields(String key, long first) throws IOException {
      List<String> words = new ArrayList<>(List.of("HSET", key));
      for (long member = first; member < first + AT_A_TIME; member++) {
        words.add(member(member));
        words.add(member(member));
      }
      send(words);
    }

    /** Members are keys, whose values are the same. */
    void addKeys(long first) throws IOException {
      List<String> words = new ArrayList<>(List.of("MSET"));
      for (long member = first; member < first + AT_A_TIME; member++) {
        words.add(member(member));
        words.add(member(member));
      }
      send(words);
    }

    private static String member(long number) {
      return String.format(Locale.ROOT, "member:%012d", number);
    }

    private void send(List<String> words) throws IOException {
      connection.send(words.toArray(String[]::new));
      if (++sent % PIPELINE == 0) {
        connection.flush();
        connection.skipReplies(PIPELINE);
      }
    }

    void end() throws IOException {
      connection.flush();
      connection.skipReplies(sent % PIPELINE);
    }
  }

  private DataSets() {}
}
