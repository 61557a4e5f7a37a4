package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
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
  private static final int SHOWN_MAX = 8;
  private static final int SHOWN_REQUESTS_MAX = 40;
  private static final int WAITING = 2;
  private static final List<String> UNSPOILT =
      List.of(
          "COMMAND",
          "WAIT",
          "SLAVEOF",
          "REPLICAOF",
          "DEBUG",
          "SCAN",
          "SSCAN",
          "HSCAN",
          "ZSCAN",
          "PFADD",
          // From 7.2 on they may have a fourth word, and say syntax error to a wrong one.
          "ZRANK",
          "ZREVRANK");

  /** How the second client caches. */
  private static final List<List<String>> TRACKING =
      List.of(
          List.of("CLIENT", "TRACKING", "off"),
          List.of("CLIENT", "TRACKING", "on"),
          List.of("CLIENT", "TRACKING", "on", "NOLOOP"),
          List.of("CLIENT", "TRACKING", "on", "BCAST"),
          List.of("CLIENT", "TRACKING", "on", "BCAST", "PREFIX", "s", "PREFIX", "h"));

  private static final String INVALIDATE = ">2\r\n$10\r\ninvalidate\r\n";
  private static final String CALLED = "(unpack(ARGV))";
  private static final List<String> CALL = List.of("EVAL", "", "0");

  private final long seed;
  private final SplittableRandom random;
  private final Words words;
  private final List<Form> forms;
  private final WirePair first;
  private final WirePair second;
  private final WirePair listener;
  private final List<Waiting> waiting = new ArrayList<>();
  private final TreeSet<String> carriedOut = new TreeSet<>();
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
    this.forms =
        remembersReads() ? forms.stream().filter(SurfaceRun::isTrackedAlike).toList() : forms;
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
    return carriedOut;
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
          batch.addAll(requests());
        }
        batch.add(List.of(random.nextInt(5) == 0 ? "DISCARD" : "EXEC"));
      } else {
        batch.addAll(requests());
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
    replies(pair, marked, both);
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

  /** What one form makes, sometimes with something wrong in it or called by a script. */
  private List<List<String>> requests() {
    List<List<String>> requests = forms.get(random.nextInt(forms.size())).make(words);
    List<String> first = requests.get(0);
    if (random.nextInt(12) == 0 && !mustStay(first)) {
      spoil(first);
    }
    if (first.get(0).startsWith("XREAD")) {
      // From 7.4 on this is an id: before, an error of a request that looks up no more keys.
      first.replaceAll(word -> word.equals("+") ? "-" : word);
    }
    if (!remembersReads() && random.nextInt(20) == 0) {
      List<String> script = new ArrayList<>(CALL);
      script.set(1, "return redis." + words.anyOf("call", "pcall") + CALLED);
      script.addAll(first);
      requests.set(0, script);
    }
    return requests;
  }

  /** Whether it would wait for long, or mean something else, if its words were others. */
  private static boolean mustStay(List<String> request) {
    String name = request.get(0);
    return name.startsWith("BL")
        || name.startsWith("BR")
        || name.startsWith("BZ")
        || request.contains("BLOCK")
        || UNSPOILT.contains(name)
        // Of a set it looks the keys up in the set's own order.
        || name.equals("SORT") && request.contains("GET")
        // Where scores differ, a range of names is of any members.
        || name.equals("ZADD") && request.contains("lex");
  }

  private void spoil(List<String> request) {
    switch (random.nextInt(6)) {
      case 0 -> request.remove(request.size() - 1);
      case 1 -> request.add(words.bad());
      case 2 -> request.add(random.nextInt(request.size()), request.get(0));
      default -> {
        if (request.size() > 1) {
          request.set(random.nextInt(1, request.size()), words.bad());
        }
      }
    }
    if (request.isEmpty()) {
      request.add("nonsense");
    }
  }

  private void replies(WirePair pair, List<List<String>> batch, WirePair.Both both) {
    List<String> expected = both.redis().replies();
    List<String> actual = both.varve().replies();
    if (expected.size() != batch.size() || actual.size() != batch.size()) {
      throw new AssertionError(where(batch) + "\n" + expected + "\n" + actual);
    }
    List<List<String>> queued = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      List<String> request = batch.get(i);
      if (expected.get(i).equals("+QUEUED\r\n")) {
        queued.add(request);
      } else if (request.get(0).equals("EXEC") || request.get(0).equals("DISCARD")) {
        transaction(batch, i, queued, expected.get(i), actual.get(i));
        queued.clear();
        continue;
      }
      reply(batch, i, request, expected.get(i), actual.get(i));
    }
  }

  private void transaction(
      List<List<String>> batch, int at, List<List<String>> queued, String expected, String actual) {
    String head = "*" + queued.size() + "\r\n";
    if (!queued.isEmpty() && expected.startsWith(head) && actual.startsWith(head)) {
      List<String> its = Replies.elements(expected);
      List<String> ours = Replies.elements(actual);
      for (int i = 0; i < its.size(); i++) {
        reply(batch, at, queued.get(i), its.get(i), ours.get(i));
      }
    } else {
      reply(batch, at, batch.get(at), expected, actual);
    }
  }

  private void reply(
      List<List<String>> batch, int at, List<String> request, String expected, String actual) {
    boolean isCalled = request.size() > CALL.size() && request.get(1).endsWith(CALLED);
    List<String> its = isCalled ? request.subList(CALL.size(), request.size()) : request;
    if (!Likeness.isSame(its, expected, actual)) {
      throw new AssertionError(
          where(batch.subList(0, at + 1))
              + ("\nrequest " + request + "\nredis " + expected + "\nvarve " + actual)
                  .replace("\r\n", "|"));
    }
    if (!expected.startsWith("-") && !expected.startsWith("+QUEUED")) {
      String name = its.get(0).toLowerCase(Locale.ROOT);
      carriedOut.add(name);
      if (its.size() > 1) {
        carriedOut.add(name + "|" + its.get(1).toLowerCase(Locale.ROOT));
      }
    }
  }

  private void messages(
      String who, List<List<String>> batch, List<String> redis, List<String> varve) {
    List<String> expected = inOrder(redis);
    List<String> actual = inOrder(varve);
    // A client that caches may be told of too much, and never of too little.
    TreeSet<String> untold = invalidated(redis);
    untold.removeAll(invalidated(varve));
    expected.addAll(untold);
    if (!expected.equals(actual)) {
      StringBuilder text = new StringBuilder(where(batch)).append("\nmessages to ").append(who);
      int at = 0;
      while (at < expected.size()
          && at < actual.size()
          && expected.get(at).equals(actual.get(at))) {
        at++;
      }
      text.append(" from ").append(at);
      text.append("\nredis ").append(shown(expected, at));
      text.append("\nvarve ").append(shown(actual, at));
      throw new AssertionError(text.toString());
    }
  }

  private static String shown(List<String> messages, int from) {
    return messages
        .subList(from, Math.min(from + SHOWN_MAX, messages.size()))
        .toString()
        .replaceAll("\\$\\d+\r\n", "")
        .replace("\r\n", " ");
  }

  /** Keyspace events in their order, and behind them what was published. */
  private static List<String> inOrder(List<String> messages) {
    List<String> ordered = new ArrayList<>();
    List<String> published = new ArrayList<>();
    for (String message : messages) {
      if (message.contains("$4\r\nmark\r\n") || message.startsWith(INVALIDATE)) {
        continue;
      }
      if (message.contains("__key")) {
        ordered.add(message);
      } else {
        // What a transaction publishes leaves at its end.
        published.add(message);
      }
    }
    ordered.addAll(published);
    return ordered;
  }

  /** The keys that clients who cache are told of; a null for all of them. */
  private static TreeSet<String> invalidated(List<String> messages) {
    TreeSet<String> keys = new TreeSet<>();
    for (String message : messages) {
      if (message.startsWith(INVALIDATE)) {
        String its = message.substring(INVALIDATE.length());
        keys.addAll(its.startsWith("*") ? Replies.elements(its) : List.of(its));
      }
    }
    return keys;
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
    reply(List.of(its.request), 0, its.request, expected, actual);
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
    List<List<String>> shown =
        batch.subList(Math.max(0, batch.size() - SHOWN_REQUESTS_MAX), batch.size());
    StringBuilder text =
        new StringBuilder("-Dvarve.differential.round=" + seed + " step " + step + ":");
    for (List<String> request : shown) {
      text.append("\n  ").append(request.subList(0, Math.min(12, request.size())));
    }
    return text.toString().replace("\r\n", "|");
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
