package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Replies;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.Args;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The same requests get the same replies whatever the sizes and limits are, and whenever memtables
 * are flushed, tables merged, expired keys swept and the server restarted.
 *
 * <p>{@code -Dvarve.seed=…} repeats a run, {@code -Dvarve.option.sets=…} tries more, {@code
 * -Dvarve.option.set=…} only that one.
 */
class MetamorphicTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int OPTION_SETS = Integer.getInteger("varve.option.sets", 120);
  private static final int ONLY = Integer.getInteger("varve.option.set", -1);
  private static final int REQUESTS = Integer.getInteger("varve.metamorphic.requests", 10_000);
  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final int SHOWN = 16;

  /**
   * Now and then a draw lacks one of the {@link #KINDS}; ten in a row do only when one cannot come.
   */
  private static final int DRAWS_MAX = 10;

  /** Requests are drawn anew until there is one of each of these that is no error. */
  private static final Set<String> KINDS =
      Set.of(
          ("SET SETBIT BITCOUNT BITFIELD BITOP HSET HPEXPIRE HPTTL HGETEX RPUSH SADD ZADD XADD"
                  + " XREADGROUP XACK PFADD PFCOUNT PFMERGE GEOADD GEOSEARCH GEODIST RENAME COPY"
                  + " PEXPIRE SWAPDB EXEC")
              .split(" "));

  /**
   * One request, when it is made, and what of its reply is in no order.
   *
   * @param groups per reply as {@link RedisModel#orderGroup} says; of EXEC those of its requests
   */
  private record Step(String[] request, Args args, long nowMillis, List<Integer> groups) {}

  @Test
  void repliesDependOnNothingThatMayBeChosen() throws IOException {
    System.out.println("MetamorphicTest -Dvarve.seed=" + SEED);
    SplittableRandom draws = new SplittableRandom(SEED);
    List<Step> steps;
    List<String> expected;
    Set<String> missing;
    int drawn = 0;
    do {
      steps = steps(draws.split());
      expected = new Run(OptionSet.PLAIN, new SplittableRandom(SEED)).replies(steps);
      missing = missing(steps, expected);
      drawn++;
    } while (!missing.isEmpty() && drawn < DRAWS_MAX);
    assertEquals(Set.of(), missing, "no one of these in the last draw");
    long merges = 0;
    int errors = (int) expected.stream().filter(reply -> reply.startsWith("-")).count();
    assertTrue(errors < REQUESTS / 2, () -> "mostly errors: " + errors);
    for (int set = 0; set < OPTION_SETS; set++) {
      if (ONLY < 0 || set == ONLY) {
        SplittableRandom random = new SplittableRandom(SEED + 1 + set);
        OptionSet options = OptionSet.any(random);
        String where = "seed " + SEED + " set " + set + " " + options;
        try {
          Run run = new Run(options, random);
          compare(steps, expected, run.replies(steps), where);
          merges += run.merges;
        } catch (RuntimeException | AssertionError failure) {
          throw new AssertionError(where + ": " + failure.getMessage(), failure);
        }
      }
    }
    System.out.println("MetamorphicTest " + OPTION_SETS + " option sets, " + merges + " merges");
    assertTrue(merges > 0, "nothing was ever merged");
  }

  /** The kinds of which no command does what it is for. */
  private static Set<String> missing(List<Step> steps, List<String> replies) {
    Set<String> missing = new HashSet<>(KINDS);
    for (int i = 0; i < steps.size(); i++) {
      if (!replies.get(i).startsWith("-")) {
        missing.remove(steps.get(i).request()[0]);
      }
    }
    return missing;
  }

  private static List<Step> steps(SplittableRandom random) {
    long[] nowMillis = {START_MILLIS};
    RandomRequests requests =
        new RandomRequests(
            random, RandomRequests.Oracle.REDIS, () -> nowMillis[0], TreeTester.DATABASES);
    RandomBadRequests badRequests = new RandomBadRequests(random, requests);
    RandomRedisRequests redisRequests = new RandomRedisRequests(requests);
    RandomFurtherRequests furtherRequests = new RandomFurtherRequests(requests);
    List<Step> steps = new ArrayList<>();
    int queuedLeft = -1;
    List<Integer> queued = new ArrayList<>();
    while (steps.size() < REQUESTS) {
      nowMillis[0] += random.nextInt(20) == 0 ? random.nextInt(2_000) : random.nextInt(3);
      String[] request;
      if (queuedLeft == 0) {
        request = RandomRequests.request("EXEC");
      } else if (queuedLeft < 0 && random.nextInt(60) == 0) {
        request = RandomRequests.request("MULTI");
        queuedLeft = 1 + random.nextInt(6);
      } else {
        request =
            switch (random.nextInt(30)) {
              case 0, 1, 2 -> badRequests.next();
              case 3, 4, 5 -> redisRequests.next();
              case 6, 7 -> expiry(random, requests.words());
              case 8, 9 -> furtherRequests.next();
              default -> requests.next();
            };
      }
      List<Integer> groups = List.of(RedisModel.orderGroup(request[0]));
      if (request[0].equals("EXEC")) {
        groups = List.copyOf(queued);
        queued.clear();
        queuedLeft = -1;
      } else if (queuedLeft > 0 && !request[0].equals("MULTI")) {
        queued.addAll(groups);
        queuedLeft--;
      }
      steps.add(new Step(request, Server.args(request), nowMillis[0], groups));
    }
    return steps;
  }

  /** The clock is the test's own, so that keys can expire on the way. */
  private static String[] expiry(SplittableRandom random, RandomWords words) {
    String key = words.anyKey();
    return switch (random.nextInt(4)) {
      case 0 -> RandomRequests.request("PTTL", key);
      case 1 ->
          RandomRequests.request(
              "SET", words.key('s'), words.value(), "PX", "" + (1 + random.nextInt(9_000)));
      default -> RandomRequests.request("PEXPIRE", key, "" + random.nextInt(20_000));
    };
  }

  private static void compare(
      List<Step> steps, List<String> expected, List<String> actual, String where) {
    for (int i = 0; i < steps.size(); i++) {
      if (!expected.get(i).equals(actual.get(i))) {
        Step step = steps.get(i);
        int at = i;
        assertEquals(
            inOrder(step, expected.get(i)),
            inOrder(step, actual.get(i)),
            () -> where + " step " + at + ": " + shown(step.request()));
      }
    }
  }

  private static String shown(String[] request) {
    return Arrays.asList(request).subList(0, Math.min(request.length, SHOWN)).toString();
  }

  /** A reply with what is in no order sorted. */
  private static String inOrder(Step step, String reply) {
    if (!step.request()[0].equals("EXEC")) {
      return inOrder(step.groups().get(0), reply);
    }
    if (!reply.startsWith("*")) {
      return reply;
    }
    List<String> elements = Replies.elements(reply);
    // A bad request was not queued, and EXEC refused then: otherwise there is one reply for each.
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < elements.size(); i++) {
      text.append(inOrder(step.groups().get(i), elements.get(i)));
    }
    return text.toString();
  }

  private static String inOrder(int group, String reply) {
    return group > 0 && reply.startsWith("*") ? Replies.sorted(reply, group) : reply;
  }

  /** A server with one set of options. */
  private static final class Run {
    private final OptionSet set;
    private final SplittableRandom random;
    private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
    private TreeTester tester;
    private Session client;
    private final List<String[]> queued = new ArrayList<>();
    private boolean isQueueing;
    private long merges;
    private String[] lastSelect = {"SELECT", "0"};

    Run(OptionSet set, SplittableRandom random) throws IOException {
      this.set = set;
      this.random = random;
      this.tester = tester(START_MILLIS);
      this.client = tester.session();
    }

    private TreeTester tester(long nowMillis) throws IOException {
      TreeTester started = new TreeTester(directory, set.options(), set.limits(), nowMillis);
      if (set.joinsPasses()) {
        started.joinPasses(random);
      }
      return started;
    }

    List<String> replies(List<Step> steps) throws IOException {
      List<String> replies = new ArrayList<>(steps.size());
      for (Step step : steps) {
        tester.nowMillis = step.nowMillis();
        switch (step.request()[0]) {
          // Keys count until they are swept, as in Redis.
          case "DBSIZE", "EXEC" -> tester.sweep();
          default -> {}
        }
        Role first = random.nextInt(3) == 0 ? Role.READER : Role.WRITER;
        String reply = tester.run(client, step.args(), first, random.nextLong());
        replies.add(reply);
        note(step.request(), reply);
        beneath();
      }
      tester.commit();
      tester.checkConsistent();
      close();
      return replies;
    }

    private void close() throws IOException {
      merges += tester.statistic("compaction_merges_total");
      tester.close();
    }

    private void note(String[] request, String reply) {
      if (reply.equals(Wire.QUEUED)) {
        queued.add(request);
        return;
      }
      switch (request[0]) {
        case "MULTI" -> isQueueing |= reply.equals(Wire.OK);
        case "EXEC" -> {
          isQueueing = false;
          List<String> elements = reply.startsWith("*") ? Replies.elements(reply) : List.of();
          for (int i = 0; i < elements.size(); i++) {
            noteSelected(queued.get(i), elements.get(i));
          }
          queued.clear();
        }
        default -> noteSelected(request, reply);
      }
    }

    private void noteSelected(String[] request, String reply) {
      if (request[0].equals("SELECT") && reply.equals(Wire.OK)) {
        lastSelect = request;
      }
    }

    private boolean happens(int oneIn) {
      return oneIn > 0 && random.nextInt(oneIn) == 0;
    }

    private void beneath() throws IOException {
      OptionSet.Intervals oneIn = set.oneIn();
      if (happens(oneIn.flush())) {
        tester.flush();
      }
      if (happens(oneIn.work())) {
        tester.work();
      }
      if (happens(oneIn.manyWork())) {
        for (int i = 0; i < 50 && tester.work(); i++) {
          continue;
        }
      }
      if (happens(oneIn.sweep())) {
        tester.sweep();
      }
      if (happens(oneIn.retire())) {
        tester.retire();
      }
      // The client would lose what it has queued.
      if (happens(oneIn.restart()) && !isQueueing) {
        tester.commit();
        close();
        tester = tester(tester.nowMillis);
        client = tester.session();
        tester.run(client, Server.args(lastSelect), Role.WRITER, 1);
      }
    }
  }
}
