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
 * A client of two servers, of which one has a disk that fails now and then. Of what that one does
 * not answer but by closing the connection, it does not know whether it is done: it waits until the
 * disk is written to again, looks, and has the other server do the same. What is refused is not
 * done.
 *
 * <p>Single-threaded.
 */
final class DoubtingClient implements AutoCloseable {
  private static final List<String> EXEC = List.of("EXEC");
  private static final String NOT_DONE = "not done";
  private static final int TRANSACTION_MAX = 6;
  private static final long SECONDS_MAX = 60;
  private static final int LOOKS_MAX = 20;
  private static final int REST_MILLIS = 50;
  private static final int UNDER_WAY_MILLIS_MAX = 200;
  private static final int LATEST_MAX = 12;

  private final int redisPort;
  private final OwnDatabases databases;
  private final SplittableRandom random;
  private final BatchReplies replies;
  private final int varvePort;
  private WirePair pair;

  /** What may be done, or not. */
  private List<List<String>> inDoubt = List.of();

  /** Looks, without selecting a database for what {@link #pair} does. */
  private WirePair looks;

  private final Deque<String> latest = new ArrayDeque<>();
  private int refused;
  private int unanswered;
  private int doneThough;
  private int unread;

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

  /**
   * The same client of another server, which goes on where that one has been killed; this one is
   * closed then. Where that one is gone too, there may be a third.
   */
  DoubtingClient of(int nextPort) throws Exception {
    DoubtingClient next = new DoubtingClient(redisPort, nextPort, databases, random);
    try {
      next.latest.addAll(latest);
      next.note(inDoubt, "killed, " + next.settle(inDoubt, pair.redis));
    } catch (EOFException | SocketException gone) {
      next.close();
      throw gone;
    }
    close();
    return next;
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

  /** How many of those that were not answered were done. */
  int doneThough() {
    return doneThough;
  }

  /** Works until it is over, or the server is gone: EOFException or SocketException. */
  void work(BooleanSupplier isOver) throws Exception {
    carryOut(List.of(databases.select()));
    while (!isOver.getAsBoolean()) {
      carryOut(next());
    }
    settle(List.of(), pair.redis);
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
    for (int i = random.nextInt(TRANSACTION_MAX); i >= 0; i--) {
      databases.add(unit);
    }
    // It ends where it ends.
    unit.removeIf(request -> request.equals(EXEC) || request.get(0).equals("DISCARD"));
    unit.add(0, List.of("MULTI"));
    unit.add(EXEC);
    return unit;
  }

  private void carryOut(List<List<String>> unit) throws Exception {
    inDoubt = unit;
    List<String> answers;
    try {
      answers = pair.varve.ask(unit);
    } catch (EOFException | SocketException closed) {
      unanswered++;
      // What it has asked for may be under way, where it was not the disk that had it closed.
      Thread.sleep(UNDER_WAY_MILLIS_MAX);
      note(unit, "not answered, " + settle(unit, pair.redis));
      pair.close();
      pair = connect(random.nextBoolean());
      carryOut(List.of(databases.select()));
      return;
    }
    if (answers.stream().anyMatch(FailingDisk::isRefusal)) {
      refused++;
      String outcome = settle(unit, pair.redis);
      note(unit, answers + ", " + outcome);
      if (!outcome.equals(NOT_DONE)) {
        throw new AssertionError(where(List.of()) + "\nrefused, and " + outcome);
      }
      // A transaction may have selected another one, here or there.
      carryOut(List.of(databases.select()));
    } else {
      carriedOut(unit, answers);
    }
  }

  private void carriedOut(List<List<String>> unit, List<String> answers) throws Exception {
    CarriedOut carriedOut = CarriedOut.of(unit, answers);
    List<String> theirs = pair.redis.ask(carriedOut.requests());
    inDoubt = List.of();
    replies.compare(carriedOut.requests(), WirePair.Both.ofReplies(theirs, carriedOut.replies()));
    if (answers.stream().noneMatch(FailingDisk::isUnread)) {
      note(unit, "");
      return;
    }
    unread++;
    note(unit, answers.toString());
    // To look takes long, and fails as well.
    String difference =
        random.nextInt(4) > 0 ? null : databases.difference(looks.redis, contents());
    if (difference != null) {
      throw new AssertionError(where(List.of()) + "\ndone in part: " + difference);
    }
  }

  /** In how many requests, or transactions, something could not be read. */
  int unread() {
    return unread;
  }

  /** Has redis do what is done, and not what is not. */
  private String settle(List<List<String>> unit, WireClient redis) throws Exception {
    List<Content> contents = contents();
    String notDone = databases.difference(looks.redis, contents);
    if (notDone == null) {
      if (unit.contains(EXEC)) {
        // Also one that is refused ends what is watched.
        redis.ask(List.of(List.of("UNWATCH")));
      }
      inDoubt = List.of();
      return NOT_DONE;
    }
    redis.ask(unit);
    inDoubt = List.of();
    doneThough++;
    String done = databases.difference(looks.redis, contents);
    if (done != null) {
      throw new AssertionError(where(unit) + "\nnot done: " + notDone + "\ndone: " + done);
    }
    return "done";
  }

  private List<Content> contents() throws IOException, InterruptedException {
    for (int i = 0; ; i++) {
      try {
        Await.untilNone(() -> FailingDisk.failure(looks.varve), SECONDS_MAX);
        return databases.contents(looks.varve);
      } catch (Content.UnreadException failure) {
        Thread.sleep(REST_MILLIS);
        i = 0;
      } catch (EOFException | SocketException closed) {
        if (i == LOOKS_MAX) {
          throw closed;
        }
        looks.close();
        looks = connect(false);
      }
    }
  }

  @Override
  public void close() throws IOException {
    pair.close();
    looks.close();
  }
}
