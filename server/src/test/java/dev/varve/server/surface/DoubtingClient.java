package dev.varve.server.surface;

import dev.varve.server.Await;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A client of two servers, of which one has a disk that fails now and then. Of what that one
 * refuses, or does not answer but by closing the connection, it does not know whether it is done:
 * it waits until the disk is written to again, looks, and has the other server do the same.
 *
 * <p>Single-threaded.
 */
final class DoubtingClient implements AutoCloseable {
  /** In what says that the disk fails. */
  private static final String REFUSAL = "MISCONF";

  private static final int TRANSACTION_MAX = 6;
  private static final long SECONDS_MAX = 60;
  private static final int LOOKS_MAX = 20;
  private static final int LATEST_MAX = 12;

  private final int redisPort;
  private final int varvePort;
  private final OwnDatabases databases;
  private final SplittableRandom random;
  private final BatchReplies replies;
  private WirePair pair;

  /** Looks, without selecting a database for what {@link #pair} does. */
  private WirePair looks;

  private final Deque<String> latest = new ArrayDeque<>();
  private int refused;
  private int unanswered;
  private int doneThough;

  DoubtingClient(int redisPort, int varvePort, OwnDatabases databases, SplittableRandom random)
      throws IOException {
    this.redisPort = redisPort;
    this.varvePort = varvePort;
    this.databases = databases;
    this.random = random;
    this.replies = new BatchReplies(this::where);
    this.pair = connect(random.nextBoolean());
    this.looks = connect(false);
  }

  /** What it has done last, and what came of it. */
  private String where(List<List<String>> unit) {
    return databases + ":" + String.join("", latest) + FormRequests.shown(unit);
  }

  private void note(List<List<String>> unit, String outcome) {
    latest.add(FormRequests.shown(unit) + "  // " + outcome);
    if (latest.size() > LATEST_MAX) {
      latest.remove();
    }
  }

  /** What it is told may have to wait for others' changes, of which nobody knows what becomes. */
  private WirePair connect(boolean isResp3) throws IOException {
    for (int i = 0; ; i++) {
      try {
        return new WirePair(redisPort, varvePort, isResp3);
      } catch (EOFException | SocketException closed) {
        if (i == LOOKS_MAX) {
          throw closed;
        }
      }
    }
  }

  /** How many requests, or transactions, were not answered. */
  int unanswered() {
    return unanswered;
  }

  /** How many requests, or transactions, were refused. */
  int refused() {
    return refused;
  }

  /** How many of those were done all the same. */
  int doneThough() {
    return doneThough;
  }

  void work(BooleanSupplier isOver) throws Exception {
    carryOut(List.of(databases.select()));
    while (!isOver.getAsBoolean()) {
      carryOut(next());
    }
    settle(List.of());
  }

  /** A request, or a transaction. */
  private List<List<String>> next() {
    List<List<String>> unit = new ArrayList<>();
    if (random.nextInt(8) > 0) {
      while (unit.isEmpty()) {
        databases.add(unit);
      }
      return unit;
    }
    unit.add(List.of("MULTI"));
    for (int i = random.nextInt(TRANSACTION_MAX); i >= 0; i--) {
      databases.add(unit);
    }
    unit.add(List.of("EXEC"));
    return unit;
  }

  private void carryOut(List<List<String>> unit) throws Exception {
    List<String> answers;
    try {
      answers = pair.varve.ask(unit);
    } catch (EOFException | SocketException closed) {
      unanswered++;
      note(unit, "not answered, " + settle(unit));
      pair.close();
      pair = connect(random.nextBoolean());
      carryOut(List.of(databases.select()));
      return;
    }
    if (String.join("", answers).contains(REFUSAL)) {
      refused++;
      note(unit, answers + ", " + settle(unit));
      // A transaction may have selected another one, here or there.
      carryOut(List.of(databases.select()));
    } else {
      replies.compare(unit, WirePair.Both.ofReplies(pair.redis.ask(unit), answers));
      note(unit, "");
    }
  }

  /** Has redis do what is done, and not what is not. */
  private String settle(List<List<String>> unit) throws Exception {
    List<Content> contents = contents();
    String notDone = databases.difference(looks.redis, contents);
    if (notDone == null) {
      if (unit.contains(List.of("EXEC"))) {
        // Also one that is refused ends what is watched.
        pair.redis.ask(List.of(List.of("UNWATCH")));
      }
      return "not done";
    }
    pair.redis.ask(unit);
    doneThough++;
    String done = databases.difference(looks.redis, contents);
    if (done != null) {
      throw new AssertionError(where(unit) + "\nnot done: " + notDone + "\ndone: " + done);
    }
    return "done";
  }

  private List<Content> contents() throws IOException {
    for (int i = 0; ; i++) {
      try {
        Await.untilNone(this::failure, SECONDS_MAX);
        return databases.contents(looks.varve);
      } catch (EOFException | SocketException closed) {
        if (i == LOOKS_MAX) {
          throw closed;
        }
        looks.close();
        looks = connect(false);
      }
    }
  }

  private String failure() throws IOException {
    String info = Copies.ask(looks.varve, "INFO", "persistence");
    return info.contains("aof_last_write_status:ok") ? "" : info;
  }

  @Override
  public void close() throws IOException {
    pair.close();
    looks.close();
  }
}
