package dev.varve.server.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a key is in Redis to one client alone: a string, or a list whose elements hold no comma. The
 * state is text, empty when there is no such key. Pure.
 */
final class KeyModel {
  private static final String OK = "+OK|";
  private static final String NIL = "$-1|";
  private static final String NOT_AN_INTEGER = "-ERR value is not an integer or out of range|";
  private static final String OVERFLOW = "-ERR increment or decrement would overflow|";

  /** What an operation makes of a state, and the reply to it. */
  record Step(String state, String reply) {}

  private KeyModel() {}

  /** One operation on a key in this state. */
  static Step step(String state, List<String> words) {
    return switch (words.get(0)) {
      case "GET" -> new Step(state, bulk(state));
      case "SET" -> new Step(words.get(1), OK);
      case "SETNX" -> state.isEmpty() ? new Step(words.get(1), OK) : new Step(state, NIL);
      case "GETDEL" -> new Step("", bulk(state));
      case "DEL" -> new Step("", integer(state.isEmpty() ? 0 : 1));
      case "INCR" -> increment(state);
      case "APPEND" -> {
        String longer = state + words.get(1);
        yield new Step(longer, integer(longer.length()));
      }
      case "CAS" ->
          state.equals(words.get(1))
              ? new Step(words.get(2), integer(1))
              : new Step(state, integer(0));
      case "SWAP" -> new Step(words.get(1), "*2|" + bulk(state) + OK);
      case "LPUSH" -> pushed(state.isEmpty() ? words.get(1) : words.get(1) + "," + state);
      case "RPUSH" -> pushed(state.isEmpty() ? words.get(1) : state + "," + words.get(1));
      case "LPOP" -> pop(state, true);
      case "RPOP" -> pop(state, false);
      case "LLEN" -> new Step(state, integer(elements(state).size()));
      case "LRANGE" -> new Step(state, array(elements(state)));
      default -> throw new IllegalArgumentException("unknown: " + words);
    };
  }

  private static Step increment(String state) {
    long value;
    try {
      value = state.isEmpty() ? 0 : Long.parseLong(state);
    } catch (NumberFormatException tooLong) {
      return new Step(state, NOT_AN_INTEGER);
    }
    if (!state.isEmpty() && !Long.toString(value).equals(state)) {
      return new Step(state, NOT_AN_INTEGER);
    }
    if (value == Long.MAX_VALUE) {
      return new Step(state, OVERFLOW);
    }
    return new Step(Long.toString(value + 1), integer(value + 1));
  }

  private static Step pushed(String state) {
    return new Step(state, integer(elements(state).size()));
  }

  private static Step pop(String state, boolean left) {
    List<String> elements = new ArrayList<>(elements(state));
    if (elements.isEmpty()) {
      return new Step(state, NIL);
    }
    String popped = elements.remove(left ? 0 : elements.size() - 1);
    return new Step(String.join(",", elements), bulk(popped));
  }

  private static List<String> elements(String state) {
    return state.isEmpty() ? List.of() : Arrays.asList(state.split(",", -1));
  }

  private static String integer(long value) {
    return ":" + value + "|";
  }

  private static String bulk(String value) {
    return value.isEmpty() ? NIL : "$" + value.length() + "|" + value + "|";
  }

  private static String array(List<String> values) {
    StringBuilder text = new StringBuilder("*" + values.size() + "|");
    values.forEach(value -> text.append(bulk(value)));
    return text.toString();
  }
}
