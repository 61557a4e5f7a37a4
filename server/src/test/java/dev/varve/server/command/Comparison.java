package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Sends the same requests to the commands under test and to a redis-server, and fails where their
 * replies differ in more than an order that nobody promises.
 *
 * <p>Single-threaded.
 */
public final class Comparison {
  public final CommandTester tester;
  public final RedisOracle redis;

  /** Starts with both empty. */
  public Comparison(RedisOracle redis) {
    this(redis, PackedLimits.DEFAULT);
  }

  /** As the other one, with other limits for what is kept in one piece. */
  public Comparison(RedisOracle redis, PackedLimits limits) {
    this.redis = redis;
    this.tester = new CommandTester((table, keyspace) -> {}, limits);
    tester.nowMillis = System.currentTimeMillis();
    redis.run("FLUSHALL");
  }

  /** Lets both talk RESP3. */
  public void useResp3() {
    redis.run("HELLO", "3");
    tester.client().protocol(3);
  }

  /**
   * Sends one request a line to both, which start empty.
   *
   * @param directory for the redis-server
   * @param protocol of RESP, 2 or 3
   */
  public static void sameLines(Path directory, int protocol, String requests) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison comparison = new Comparison(redis);
      if (protocol == 3) {
        comparison.useResp3();
      }
      comparison.sameLines(requests);
    }
  }

  /** Sends one request a line, parts separated by spaces, and then says which differed. */
  public void sameLines(String requests) {
    List<String> differences = new ArrayList<>();
    for (String line : requests.split("\n", -1)) {
      if (!line.isBlank()) {
        try {
          same(line, Replies.parts(line));
        } catch (AssertionError difference) {
          differences.add(difference.getMessage());
        }
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  /** Sends one request; {@code where} says in a failure which one. Returns the reply. */
  public String same(String where, String... request) {
    String reply = tester.run(request);
    String expected = redis.run(request);
    int group =
        switch (request[0].toUpperCase(Locale.ROOT)) {
          case "SMEMBERS", "SINTER", "SUNION", "SDIFF", "HKEYS", "HVALS" -> 1;
          case "HGETALL" -> 2;
          default -> 0;
        };
    boolean hasTimes =
        request[0].equalsIgnoreCase("XINFO") || request[0].equalsIgnoreCase("XPENDING");
    if (hasTimes) {
      assertEquals(Replies.timeless(expected), Replies.timeless(reply), where);
    } else if (group == 0 || reply.equals(expected)) {
      assertEquals(expected, reply, where);
    } else {
      assertEquals(Replies.sorted(expected, group), Replies.sorted(reply, group), where);
    }
    return reply;
  }

  /**
   * Scans a key to the end on both sides.
   *
   * @param group how many elements belong together
   */
  public void sameScan(String where, int group, String command, String key, String... options) {
    assertEquals(
        new TreeSet<>(scan(false, group, command, key, options)),
        new TreeSet<>(scan(true, group, command, key, options)),
        where);
  }

  private List<String> scan(
      boolean isTested, int group, String command, String key, String... options) {
    List<String> found = new ArrayList<>();
    String cursor = "0";
    do {
      List<String> request = new ArrayList<>(List.of(command, key, cursor));
      request.addAll(List.of(options));
      String[] parts = request.toArray(String[]::new);
      String reply = isTested ? tester.run(parts) : redis.run(parts);
      if (reply.startsWith("-")) {
        return List.of(reply);
      }
      List<String> page = Replies.elements(reply);
      found.addAll(Replies.groups(Replies.elements(page.get(1)), group));
      cursor = Replies.text(page.get(0));
    } while (!cursor.equals("0"));
    return found;
  }
}
