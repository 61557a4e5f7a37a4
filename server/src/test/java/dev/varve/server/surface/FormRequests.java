package dev.varve.server.surface;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Requests of random forms, sometimes with something wrong in them or called by a script.
 *
 * <p>Single-threaded.
 */
final class FormRequests {
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
          // Each server takes what it likes, and what is left is deleted.
          "SPOP",
          // From 7.2 on they may have a fourth word, and say syntax error to a wrong one.
          "ZRANK",
          "ZREVRANK");

  private static final int SHOWN_REQUESTS_MAX = 40;
  private static final int SHOWN_WORDS_MAX = 12;
  private static final String CALLED = "(unpack(ARGV))";
  private static final List<String> CALL = List.of("EVAL", "", "0");

  private final List<Form> forms;
  private final Words words;
  private final SplittableRandom random;
  private final boolean callsAny;

  /**
   * @param callsAny whether a script calls some of them
   */
  FormRequests(List<Form> forms, Words words, boolean callsAny) {
    this.forms = forms;
    this.words = words;
    this.random = words.random();
    this.callsAny = callsAny;
  }

  /** What one form makes: requests that belong together. */
  List<List<String>> next() {
    List<List<String>> requests = forms.get(random.nextInt(forms.size())).make(words);
    List<String> first = requests.get(0);
    if (random.nextInt(12) == 0 && !mustStay(first)) {
      spoil(first);
    }
    if (first.get(0).startsWith("XREAD")) {
      // From 7.4 on this is an id: before, an error of a request that looks up no more keys.
      first.replaceAll(word -> word.equals("+") ? "-" : word);
    }
    if (callsAny && random.nextInt(20) == 0) {
      List<String> script = new ArrayList<>(CALL);
      script.set(1, "return redis." + words.anyOf("call", "pcall") + CALLED);
      script.addAll(first);
      requests.set(0, script);
    }
    return requests;
  }

  /**
   * A batch, some of it in transactions, none of which stays open.
   *
   * @param more adds some requests that belong together, or none
   */
  static List<List<String>> batch(
      SplittableRandom random, int sizeMax, Consumer<List<List<String>>> more) {
    List<List<String>> batch = new ArrayList<>();
    int size = random.nextInt(sizeMax) + 1;
    while (batch.size() < size) {
      boolean isTransaction = random.nextInt(20) == 0;
      if (isTransaction) {
        batch.add(List.of("MULTI"));
      }
      for (int i = random.nextInt(6); i >= 0; i--) {
        more.accept(batch);
      }
      if (isTransaction) {
        batch.add(List.of(random.nextInt(5) == 0 ? "DISCARD" : "EXEC"));
      }
    }
    batch.add(List.of("EXEC"));
    return batch;
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

  /** What a script calls that was made here, else the request itself. */
  static List<String> called(List<String> request) {
    boolean isCalled = request.size() > CALL.size() && request.get(1).endsWith(CALLED);
    return isCalled ? request.subList(CALL.size(), request.size()) : request;
  }

  /** The last of them, a line each, for a message. */
  static String shown(List<List<String>> requests) {
    StringBuilder text = new StringBuilder();
    int from = Math.max(0, requests.size() - SHOWN_REQUESTS_MAX);
    for (List<String> request : requests.subList(from, requests.size())) {
      text.append("\n  ").append(request.subList(0, Math.min(SHOWN_WORDS_MAX, request.size())));
    }
    return text.toString().replace("\r\n", "|");
  }
}
