package dev.varve.server.surface;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What requests of one kind look like: words that stand for themselves, and in between
 *
 * <pre>
 *   &lt;kind&gt;       a word of that kind, as {@link Words} chooses it
 *   { a | b c }   one of these; one may be empty
 *   [ a b ]       perhaps
 *   ( a b )       once, some times, or now and then very often
 *   ;             the end of one request and the begin of another, which belongs to it
 * </pre>
 *
 * In a word, &#x25cf; is a space and {@code \n} the end of a line.
 *
 * <p>Immutable.
 */
final class Form {
  private static final int MANY = 200;
  private static final String SPACE = "\u25cf";
  private static final String LINE_END = "\\n";

  /** Adds words to requests. */
  private interface Part {
    void addTo(List<List<String>> requests, Words words);
  }

  private final List<Part> parts;
  private final String line;

  private Form(String line) {
    this.line = line;
    List<String> tokens = new ArrayList<>(List.of(line.trim().split(" +")));
    this.parts = sequence(tokens, "");
    if (!tokens.isEmpty()) {
      throw new IllegalArgumentException(line);
    }
  }

  /** The forms of a text, one a line; lines that begin with # say what follows. */
  static List<Form> all(String text) {
    List<Form> forms = new ArrayList<>();
    for (String line : text.split("\n")) {
      if (!line.isBlank() && !line.startsWith("#")) {
        forms.add(new Form(line));
      }
    }
    return forms;
  }

  /** Requests of this form that belong together. */
  List<List<String>> make(Words words) {
    List<List<String>> requests = new ArrayList<>();
    requests.add(new ArrayList<>());
    parts.forEach(part -> part.addTo(requests, words));
    return requests;
  }

  /** Whether it names this word. */
  boolean has(String word) {
    return List.of(line.split(" +")).contains(word);
  }

  private static List<Part> sequence(List<String> tokens, String ends) {
    List<Part> parts = new ArrayList<>();
    while (!tokens.isEmpty() && (ends.isEmpty() || !ends.contains(tokens.get(0)))) {
      parts.add(part(tokens));
    }
    return parts;
  }

  private static Part part(List<String> tokens) {
    String token = tokens.remove(0);
    switch (token) {
      case "{" -> {
        List<List<Part>> choices = new ArrayList<>();
        do {
          choices.add(sequence(tokens, "|}"));
        } while (tokens.remove(0).equals("|"));
        return (requests, words) ->
            all(choices.get(words.random().nextInt(choices.size())), requests, words);
      }
      case "[" -> {
        List<Part> inner = until(tokens, "]");
        return (requests, words) -> {
          if (words.random().nextInt(3) == 0) {
            all(inner, requests, words);
          }
        };
      }
      case "(" -> {
        List<Part> inner = until(tokens, ")");
        return (requests, words) -> {
          for (int i = times(words.random()); i > 0; i--) {
            all(inner, requests, words);
          }
        };
      }
      case ";" -> {
        return (requests, words) -> requests.add(new ArrayList<>());
      }
      default -> {
        boolean isKind = token.startsWith("<") && token.endsWith(">");
        String kind =
            isKind
                ? token.substring(1, token.length() - 1)
                : token.replace(SPACE, " ").replace(LINE_END, "\n");
        return (requests, words) ->
            requests.get(requests.size() - 1).add(isKind ? words.next(kind) : kind);
      }
    }
  }

  private static List<Part> until(List<String> tokens, String end) {
    List<Part> inner = sequence(tokens, end);
    tokens.remove(0);
    return inner;
  }

  private static int times(SplittableRandom random) {
    return random.nextInt(40) == 0 ? random.nextInt(MANY) + 1 : random.nextInt(4) + 1;
  }

  private static void all(List<Part> parts, List<List<String>> requests, Words words) {
    parts.forEach(part -> part.addTo(requests, words));
  }

  @Override
  public String toString() {
    return line;
  }
}
