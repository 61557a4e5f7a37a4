package dev.varve.server.surface;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client of two servers of which one is killed while it works, in two databases of its own. The
 * other is sent what the first has carried out: of the batch that was under way what was answered,
 * and then one request after the other until both have the same.
 *
 * <p>Used by one thread at a time, but for {@link #stop}.
 */
final class CutClient {
  private static final int BATCH_MAX = 24;

  /** A process that is killed in the midst of a sync ends when the disk is done. */
  private static final int END_MILLIS_MAX = 60_000;

  private static final int SHOWN_CHARS_MAX = 1_000;

  /** What a script is told that is not carried out, nor what comes behind it. */
  private static final String STOPS = "-ERR the server stops";

  private final int redisPort;
  private final OwnDatabases databases;
  private final SplittableRandom random;
  private final BatchReplies replies;

  /** Kept until both have the same: a transaction may be open there, keys be watched. */
  private @Nullable WireClient redis;

  private List<List<String>> batch = List.of();
  private final List<String> answers = new ArrayList<>();

  private boolean isStopped;

  /** How many were answered when it was told to stop. */
  private int answersAtStop;

  /** What redis replied to so much of the batch as it was sent, too. */
  private final List<String> carriedOut = new ArrayList<>();

  CutClient(int redisPort, OwnDatabases databases, SplittableRandom random) {
    this.redisPort = redisPort;
    this.databases = databases;
    this.random = random;
    this.replies = new BatchReplies(its -> databases + ":" + FormRequests.shown(its));
  }

  /** So many of them, each with databases of its own. */
  static List<CutClient> several(int count, int redisPort, SplittableRandom random)
      throws IOException {
    List<CutClient> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      OwnDatabases databases = new OwnDatabases(i, random.split());
      clients.add(new CutClient(redisPort, databases, random.split()));
    }
    return clients;
  }

  /** {@linkplain #settle Settles} all of them, the server being at that port. */
  static void settle(List<CutClient> clients, WireClient its, int port) throws IOException {
    try (WireClient ours = new WireClient("varve", port)) {
      for (CutClient client : clients) {
        client.settle(its, ours);
      }
    }
  }

  /**
   * Works until it is told to stop, or the server is gone.
   *
   * @return whether it is gone
   */
  boolean work(int varvePort) throws IOException {
    redis = new WireClient("redis", redisPort);
    try (WireClient varve = new WireClient("varve", varvePort, END_MILLIS_MAX)) {
      begin(List.of(List.of("HELLO", random.nextBoolean() ? "2" : "3"), databases.select()));
      boolean goesOn = true;
      while (goesOn) {
        varve.send(batch);
        while (answers.size() < batch.size()) {
          String answer = varve.read();
          if (answer.startsWith(STOPS)) {
            return true;
          }
          answered(answer);
        }
        goesOn = goesOn();
        if (goesOn) {
          carryOut(batch.size());
          goesOn = begin(FormRequests.batch(random, BATCH_MAX, databases::add));
        }
      }
      return false;
    } catch (EOFException | SocketException gone) {
      return true;
    }
  }

  /** From now on it sends nothing more. */
  synchronized void stop() {
    isStopped = true;
    answersAtStop = answers.size();
  }

  private synchronized boolean goesOn() {
    return !isStopped;
  }

  private synchronized void answered(String answer) {
    answers.add(answer);
  }

  private synchronized boolean begin(List<List<String>> next) {
    if (!isStopped) {
      batch = next;
      answers.clear();
      carriedOut.clear();
    }
    return !isStopped;
  }

  /** Has redis do what comes next of the batch, up to so many in all, and compares the replies. */
  private void carryOut(int count) {
    WireClient its = redis;
    if (its == null) {
      return;
    }
    try {
      carriedOut.addAll(its.ask(batch.subList(carriedOut.size(), count)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    int known = Math.min(count, answers.size());
    replies.compare(
        batch.subList(0, known),
        WirePair.Both.ofReplies(carriedOut.subList(0, known), answers.subList(0, known)));
  }

  /** Has redis do what was answered, and compares the replies. */
  void carryOutAnswered() {
    if (carriedOut.size() < answers.size()) {
      carryOut(answers.size());
    }
  }

  /** How many requests of the last batch were answered. */
  int answered() {
    return answers.size();
  }

  /** Forgets what was answered behind the moment at which it was told to stop. */
  void backToStop() {
    answers.subList(answersAtStop, answers.size()).clear();
  }

  /**
   * Has both the same again; fails where the server that was killed has forgotten what it answered,
   * has something done by half, or more than it was asked for.
   *
   * @param its redis
   * @param ours the server that was killed; where it ends in the midst of it, this may be tried
   *     again
   */
  void settle(WireClient its, WireClient ours) throws IOException {
    List<Content> contents = databases.contents(ours);
    List<String> found = new ArrayList<>();
    while (true) {
      String difference = databases.difference(its, contents);
      if (difference == null) {
        break;
      }
      found.add(carriedOut.size() + " carried out: " + shown(difference));
      if (carriedOut.size() == batch.size()) {
        throw new AssertionError(
            databases
                + FormRequests.shown(batch)
                + "\n"
                + answers.size()
                + " of them answered\n"
                + String.join("\n", found));
      }
      carryOut(carriedOut.size() + 1);
    }
    isStopped = false;
    begin(List.of());
    if (redis != null) {
      redis.close();
      redis = null;
    }
  }

  private static String shown(String difference) {
    return difference.length() <= SHOWN_CHARS_MAX
        ? difference
        : difference.substring(0, SHOWN_CHARS_MAX) + "…";
  }
}
