package dev.varve.server.surface;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * One seed: batches of two clients that act, one of them in RESP3, with others that listen and
 * wait.
 *
 * <p>Single-threaded.
 */
final class SurfaceRun implements AutoCloseable {
  private static final int BATCH_MAX = 24;
  private static final int WAITING = 2;

  /** How the second client caches. */
  private static final List<List<String>> TRACKING =
      List.of(
          List.of("CLIENT", "TRACKING", "off"),
          List.of("CLIENT", "TRACKING", "on"),
          List.of("CLIENT", "TRACKING", "on", "NOLOOP"),
          List.of("CLIENT", "TRACKING", "on", "BCAST"),
          List.of("CLIENT", "TRACKING", "on", "BCAST", "PREFIX", "s", "PREFIX", "h"));

  private final long seed;
  private final SplittableRandom random;
  private final Words words;
  private final FormRequests requests;
  private final WirePair first;
  private final WirePair second;
  private final WirePair listener;
  private final List<Waiting> waiting = new ArrayList<>();
  private final BatchReplies replies = new BatchReplies(this::where);
  private final List<String> tracking;
  private final Runnable beforeBatch;
  private int step;
  private int sent;

  /** A pair that waits for keys, and what it has asked. */
  private static final class Waiting {
    final WirePair pair;
    List<String> request = List.of();

    Waiting(WirePair pair) {
      this.pair = pair;
    }
  }

  SurfaceRun(int redisPort, int varvePort, List<Form> forms, long seed, Runnable beforeBatch)
      throws IOException {
    this.seed = seed;
    this.beforeBatch = beforeBatch;
    this.random = new SplittableRandom(seed);
    boolean othersWait = random.nextBoolean();
    this.words = new Words(random, othersWait);
    this.tracking = TRACKING.get(random.nextInt(TRACKING.size()));
    this.requests =
        remembersReads()
            ? new FormRequests(
                forms.stream().filter(SurfaceRun::isTrackedAlike).toList(), words, false)
            : new FormRequests(forms, words, true);
    this.first = new WirePair(redisPort, varvePort, false);
    this.second = new WirePair(redisPort, varvePort, true);
    this.listener = new WirePair(redisPort, varvePort, random.nextBoolean());
    for (int i = 0; othersWait && i < WAITING; i++) {
      waiting.add(new Waiting(new WirePair(redisPort, varvePort, random.nextBoolean())));
    }
    begin();
  }

  /** Whether there is a client that is told only of keys that it has read. */
  private boolean remembersReads() {
    return tracking.contains("on") && !tracking.contains("BCAST");
  }

  /** Varve remembers more reads than Redis does: of keys that a script has not declared. */
  private static boolean isTrackedAlike(Form form) {
    return !form.has("EVAL") && !form.has("FCALL");
  }

  TreeSet<String> carriedOut() {
    return replies.carriedOut();
  }

  private void begin() throws IOException {
    String events = words.anyOf("", "KEA", "KEAmn", "KEAmn", "Kg$lshzt", "Em");
    first.ask(
        List.of(
            List.of("FLUSHALL"),
            List.of("FUNCTION", "FLUSH"),
            List.of("SCRIPT", "FLUSH"),
            List.of("CONFIG", "SET", "maxmemory-policy", "noeviction"),
            List.of("DEBUG", "SET-ACTIVE-EXPIRE", "1"),
            List.of("CONFIG", "SET", "notify-keyspace-events", events)));
    listener.listen("PSUBSCRIBE", "__key*", "ch[12]");
    second.ask(List.of(tracking));
    second.ask(List.of(List.of("ECHO", "")));
    second.listen();
  }

  void commands(int count) throws IOException {
    while (sent < count) {
      step++;
      List<List<String>> batch = new ArrayList<>();
      try {
        batch(random.nextBoolean() ? first : second, batch);
        serveWaiting();
      } catch (IOException e) {
        throw new AssertionError(where(batch), e);
      }
    }
    for (Waiting its : waiting) {
      if (!its.request.isEmpty()) {
        release(its);
      }
    }
  }

  private void batch(WirePair pair, List<List<String>> batch) throws IOException {
    int size = random.nextInt(BATCH_MAX) + 1;
    while (batch.size() < size) {
      // A transaction's changes count where it ends, so that it gives up keys that it has read.
      if (random.nextInt(30) == 0 && !(remembersReads() && pair == second)) {
        batch.add(List.of("MULTI"));
        for (int i = random.nextInt(6); i > 0; i--) {
          batch.addAll(requests.next());
        }
        batch.add(List.of(random.nextInt(5) == 0 ? "DISCARD" : "EXEC"));
      } else {
        batch.addAll(requests.next());
      }
    }
    // No transaction stays open.
    batch.add(List.of("EXEC"));
    sent += batch.size();
    String mark = "m" + step;
    beforeBatch.run();
    List<List<String>> marked = new ArrayList<>(batch);
    marked.add(WirePair.mark(mark));
    WirePair.Both both = pair.ask(marked);
    replies.compare(marked, both);
    WirePair.Both heard = listener.heard(mark);
    messages("listener", batch, heard.redis().messages(), heard.varve().messages());
    List<String> redisMessages = new ArrayList<>();
    List<String> varveMessages = new ArrayList<>();
    // What is broadcast may come behind the replies of the pass.
    for (WirePair.Both said :
        List.of(pair == second ? both : second.heard(mark), second.ask(List.of()))) {
      redisMessages.addAll(said.redis().messages());
      varveMessages.addAll(said.varve().messages());
    }
    messages("second", batch, redisMessages, varveMessages);
  }

  private void messages(
      String who, List<List<String>> batch, List<String> redis, List<String> varve) {
    String difference = Messages.difference(redis, varve);
    if (difference != null) {
      throw new AssertionError(where(batch) + "\nmessages to " + who + difference);
    }
  }

  // Those who wait -----------------------------------------------------------------------------

  private void serveWaiting() throws IOException {
    for (Waiting its : waiting) {
      if (!its.request.isEmpty()) {
        boolean isServed = its.pair.redis.hasInput();
        if (isServed || its.pair.varve.hasInput()) {
          compareServed(its);
        }
      }
      if (its.request.isEmpty() && random.nextInt(4) == 0) {
        List<String> request = waitingRequest();
        its.pair.send(List.of(request));
        its.request = request;
        settle();
      }
    }
  }

  private void compareServed(Waiting its) throws IOException {
    String expected = its.pair.redis.read();
    String actual = its.pair.varve.read();
    replies.compare(List.of(its.request), 0, its.request, expected, actual);
    its.request = List.of();
  }

  /** Until both servers have taken the request in: it waits, or its reply is there. */
  private void settle() throws IOException {
    WirePair.Both both;
    do {
      both = first.ask(List.of(List.of("INFO", "clients")));
    } while (!isSettled(both.redis(), false) || !isSettled(both.varve(), true));
  }

  private boolean isSettled(WirePair.Said said, boolean isVarve) throws IOException {
    int unanswered = 0;
    for (Waiting its : waiting) {
      WireClient client = isVarve ? its.pair.varve : its.pair.redis;
      unanswered += its.request.isEmpty() || client.hasInput() ? 0 : 1;
    }
    return said.replies().get(0).contains("\nblocked_clients:" + unanswered + "\r");
  }

  private void release(Waiting its) throws IOException {
    for (int i = 0; i < 40 && !its.pair.redis.hasInput(); i++) {
      first.ask(
          List.of(
              List.of("SELECT", "0"),
              List.of("DEL", "wait"),
              List.of("LPUSH", "wait", "1", "2"),
              List.of("DEL", "wait"),
              List.of("ZADD", "wait", "1", "m")));
    }
    compareServed(its);
  }

  private List<String> waitingRequest() {
    String list = words.awaited('l');
    String other = words.awaited('l');
    String zset = words.awaited('z');
    return switch (random.nextInt(6)) {
      case 0 -> List.of(words.anyOf("BLPOP", "BRPOP"), list, other, "wait", "0");
      case 1 -> List.of("BLMPOP", "0", "3", list, other, "wait", "LEFT", "COUNT", "3");
      case 2 -> List.of(words.anyOf("BZPOPMIN", "BZPOPMAX"), zset, "wait", "0");
      case 3 -> List.of("BZMPOP", "0", "2", zset, "wait", "MIN");
      default -> List.of("BLPOP", list, "wait", "0");
    };
  }

  private String where(List<List<String>> batch) {
    return "-Dvarve.differential.round=" + seed + " step " + step + ":" + FormRequests.shown(batch);
  }

  @Override
  public void close() throws IOException {
    List<WirePair> pairs = new ArrayList<>(List.of(first, second, listener));
    waiting.forEach(its -> pairs.add(its.pair));
    Collections.reverse(pairs);
    for (WirePair pair : pairs) {
      pair.close();
    }
  }
}
