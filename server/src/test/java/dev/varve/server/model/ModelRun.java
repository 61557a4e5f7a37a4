package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Replies;
import dev.varve.server.command.TreeTester;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One seed: a server and the model do the same things, and must never differ.
 *
 * <p>What happens is chosen by one random source, and where and when things are stored by another,
 * so that the same clients' requests can be given to servers of other sizes.
 */
final class ModelRun {
  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long TEN_YEARS_MILLIS = 10 * 365 * 24 * HOUR_MILLIS;
  private static final long EARLIEST_MILLIS = START_MILLIS - 2 * TEN_YEARS_MILLIS;
  private static final int CLIENTS = 2;
  private static final int UNSYNCED_REQUESTS_MAX = 25;
  private static final int UNSYNCED_CALLS_MAX = 80;

  /** To find the step that went wrong, which may be long before anybody notices. */
  private static final boolean COMPARES_ALWAYS = Boolean.getBoolean("varve.model.compare");

  private final long seed;
  private final SplittableRandom requestRandom;
  private final SplittableRandom storageRandom;
  private final Server server;
  private final RandomRequests requests;
  private final List<ModelClient> clients = new ArrayList<>();
  private final List<String> replies = new ArrayList<>();
  private RedisModel model;
  private boolean losesUnsynced;
  private int step;

  ModelRun(
      long seed,
      long storageSeed,
      TreeTester.Sizes sizes,
      PackedLimits limits,
      RandomRequests.Oracle oracle)
      throws IOException {
    this.seed = seed;
    this.requestRandom = new SplittableRandom(seed);
    this.storageRandom = new SplittableRandom(storageSeed);
    this.model = new RedisModel(TreeTester.DATABASES, START_MILLIS);
    this.server = new Server(sizes, limits, START_MILLIS);
    if (storageRandom.nextBoolean()) {
      server.joinPasses(storageRandom.split());
    }
    if (storageRandom.nextBoolean()) {
      server.someAreLong(storageRandom.split());
    }
    this.requests =
        new RandomRequests(requestRandom, oracle, () -> model.nowMillis(), TreeTester.DATABASES);
    connect();
  }

  /**
   * Lets the power fail too while something is not synced: the model goes on from what survived,
   * which depends on how things were stored.
   */
  ModelRun losingUnsynced() {
    losesUnsynced = true;
    return this;
  }

  /** The replies so far, those in no particular order sorted. */
  List<String> replies() {
    return replies;
  }

  private void connect() {
    model.forgetClients();
    clients.clear();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(model.newClient());
    }
  }

  /** Goes on for so many steps, stops the server and returns what its parts have done. */
  String run(int steps) throws IOException {
    for (int end = step + steps; step < end; step++) {
      try {
        happen();
        beneath();
        if (COMPARES_ALWAYS) {
          compareContent();
        }
      } catch (RuntimeException | AssertionError failure) {
        throw new AssertionError(
            "seed " + seed + " step " + step + ": " + failure.getMessage(), failure);
      }
    }
    compareAll();
    String statistics = server.tester().statistics();
    server.tester().close();
    return statistics;
  }

  /** What clients notice. */
  private void happen() throws IOException {
    switch (requestRandom.nextInt(400)) {
      case 0 -> jump(HOUR_MILLIS);
      case 1 -> jump(requestRandom.nextBoolean() ? -HOUR_MILLIS : -2 * HOUR_MILLIS);
      case 2 -> jump(requestRandom.nextBoolean() ? TEN_YEARS_MILLIS : -TEN_YEARS_MILLIS);
      case 3 -> {
        server.tester().commit();
        server.restart();
        connect();
        compareAll();
      }
      case 4 -> {
        server.tester().commit();
        server.tester().sync();
        server.crash(storageRandom);
        connect();
        compareAll();
      }
      case 5 -> {
        server.tester().commit();
        server.kill();
        connect();
        compareAll();
      }
      case 6 -> compareAll();
      case 23 -> {
        if (losesUnsynced) {
          failPower();
        }
      }
      case 7, 8 -> scan();
      case 9, 10, 11, 12, 13, 14, 15, 16 -> moveClock(requestRandom.nextInt(1, 4_000));
      case 17, 18, 19, 20, 21, 22 -> transaction(requestRandom.nextInt(CLIENTS));
      default -> request(requestRandom.nextInt(CLIENTS), requests.next());
    }
  }

  /** What clients do not notice. */
  private void beneath() throws IOException {
    TreeTester tester = server.tester();
    switch (storageRandom.nextInt(80)) {
      case 0 -> tester.flush();
      case 1, 2, 3, 4, 5, 6 -> tester.work();
      case 7 -> {
        for (int i = 0; i < 50 && tester.work(); i++) {
          continue;
        }
      }
      case 8, 9 -> tester.sweep();
      case 10 -> tester.retire();
      case 11 -> tester.sync();
      case 12 -> {
        if (storageRandom.nextInt(10) == 0) {
          tester.commit();
          tester.checkConsistent();
        }
      }
      default -> {}
    }
  }

  /*
   * Lets the power fail inside one of the next changes of the directory, or else after some requests:
   * what is found must be the state after one of them, none of those in the middle missing.
   */
  private void failPower() throws IOException {
    server.tester().commit();
    server.tester().sync();
    List<RedisModel> states = new ArrayList<>(List.of(model.copy()));
    int client = requestRandom.nextInt(CLIENTS);
    server.failPowerAt(storageRandom.nextInt(1, UNSYNCED_CALLS_MAX), storageRandom);
    String[] request = {};
    try {
      for (int i = requestRandom.nextInt(UNSYNCED_REQUESTS_MAX); i >= 0; i--) {
        request = requests.nextWithoutChoice();
        request(client, request);
        states.add(model.copy());
        request = new String[] {};
        beneath();
      }
    } catch (SimulatedCrash wanted) {
      if (request.length > 0) {
        // It may be there although nobody was told.
        RedisModel after = model.copy();
        ModelClient its = after.newClient();
        its.database = clients.get(client).database;
        after.answer(its, request, "");
        states.add(after);
      }
    }
    server.crash(storageRandom);
    List<String> found = server.dump();
    for (RedisModel state : states) {
      if (ModelDump.of(state).equals(found)) {
        model = state;
        connect();
        compareAll();
        return;
      }
    }
    StringBuilder text = new StringBuilder("none of these states survived");
    for (RedisModel state : states) {
      text.append("\n").append(difference(ModelDump.of(state), found));
    }
    throw new AssertionError(text.toString());
  }

  /** What was expected and is not there, and what is there and was not expected. */
  private static String difference(List<String> expected, List<String> found) {
    List<String> missing = new ArrayList<>(expected);
    List<String> wrong = new ArrayList<>(found);
    wrong.removeAll(new HashSet<>(missing));
    missing.removeAll(new HashSet<>(found));
    return missing + " but " + wrong;
  }

  private void moveClock(long millis) {
    model.nowMillis(Math.max(EARLIEST_MILLIS, model.nowMillis() + millis));
    server.tester().nowMillis = model.nowMillis();
  }

  /** Jumps back only after the sweeper has seen the later time, which takes it 0.1 s. */
  private void jump(long millis) throws IOException {
    if (millis < 0) {
      server.tester().sweep();
    }
    moveClock(millis);
  }

  private void request(int client, String[] request) throws IOException {
    switch (request[0]) {
      // Keys count until they are swept, as in Redis, and are passed over when one is chosen.
      case "DBSIZE", "EXEC", "RANDOMKEY" -> server.tester().sweep();
      default -> {}
    }
    String reply = server.run(client, request, requestRandom);
    int group = RedisModel.orderGroup(request[0]);
    replies.add(group > 0 ? Replies.sorted(reply, group) : reply);
    int shown = Math.min(request.length, 12);
    model.check(
        clients.get(client),
        request,
        reply,
        "client " + client + " " + Arrays.asList(request).subList(0, shown));
  }

  /** One client's WATCH, MULTI, some requests, EXEC, with the other's requests in between. */
  private void transaction(int client) throws IOException {
    int other = 1 - client;
    if (requestRandom.nextBoolean()) {
      String[] watch = {"WATCH", requests.words().anyKey(), requests.words().anyKey()};
      request(client, watch);
      if (requestRandom.nextInt(4) == 0) {
        request(client, requests.next());
      }
      if (requestRandom.nextInt(10) == 0) {
        request(client, RandomRequests.request("UNWATCH"));
      }
    }
    request(client, RandomRequests.request("MULTI"));
    for (int i = requestRandom.nextInt(8); i >= 0; i--) {
      request(client, requests.nextQueued());
      switch (requestRandom.nextInt(30)) {
        case 0, 1, 2, 3, 4, 5 -> request(other, requests.next());
        case 6 -> request(client, RandomRequests.request("GET"));
        case 7 -> moveClock(requestRandom.nextInt(3_000));
        default -> {}
      }
    }
    String end = requestRandom.nextInt(8) == 0 ? "DISCARD" : "EXEC";
    request(client, RandomRequests.request(end));
  }

  /** Scans in small pages, at rest or while clients go on. */
  private void scan() throws IOException {
    ModelScan scan = new ModelScan(server, model);
    int database = requestRandom.nextInt(TreeTester.DATABASES);
    if (requestRandom.nextBoolean()) {
      scan.atRest(database);
      return;
    }
    server.tester().sweep();
    ModelScan.Target target = scanTarget();
    scan.whileChanging(
        database,
        target,
        () -> {
          if (requestRandom.nextInt(30) == 0) {
            server.tester().commit();
            server.restart();
            connect();
          }
          request(requestRandom.nextInt(CLIENTS), requests.next());
          beneath();
          // Keys fill a page until they are swept, and how many pages there are is how often this
          // runs.
          server.tester().sweep();
        });
  }

  private ModelScan.Target scanTarget() {
    RandomWords words = requests.words();
    return switch (requestRandom.nextInt(6)) {
      case 0 -> new ModelScan.Target("SSCAN", words.key('S'));
      case 1 -> new ModelScan.Target("HSCAN", words.key('h'));
      case 2 -> new ModelScan.Target("ZSCAN", words.key('z'));
      default -> ModelScan.Target.KEYS;
    };
  }

  /** Every key of every database, its expiry and what it holds. */
  private void compareContent() throws IOException {
    assertEquals("[] but []", difference(ModelDump.of(model), server.dump()), "what keys hold");
  }

  /** That, and how many there are, and whether everything stored fits together. */
  private void compareAll() throws IOException {
    compareContent();
    server.tester().sweep();
    for (int database = 0; database < TreeTester.DATABASES; database++) {
      server.look("SELECT", Integer.toString(database));
      assertEquals(Wire.integer(model.database(database).size()), server.look("DBSIZE"), "DBSIZE");
    }
    server.tester().checkConsistent();
  }
}
