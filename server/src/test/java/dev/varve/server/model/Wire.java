package dev.varve.server.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replies in RESP2, as text. */
final class Wire {
  static final String OK = "+OK\r\n";
  static final String QUEUED = "+QUEUED\r\n";
  static final String NULL = "$-1\r\n";
  static final String NULL_ARRAY = "*-1\r\n";
  static final String EMPTY_ARRAY = "*0\r\n";

  private Wire() {}

  static String integer(long value) {
    return ":" + value + "\r\n";
  }

  static String flag(boolean value) {
    return integer(value ? 1 : 0);
  }

  static String bulk(@Nullable String text) {
    return text == null ? NULL : "$" + text.length() + "\r\n" + text + "\r\n";
  }

  static String status(String text) {
    return "+" + text + "\r\n";
  }

  static String error(String text) {
    return "-" + text + "\r\n";
  }

  /** An array of replies. */
  static String array(List<String> replies) {
    return "*" + replies.size() + "\r\n" + String.join("", replies);
  }

  /** An array of bulk strings. */
  static String bulks(List<? extends @Nullable String> texts) {
    StringBuilder reply = new StringBuilder("*" + texts.size() + "\r\n");
    texts.forEach(text -> reply.append(bulk(text)));
    return reply.toString();
  }

  /** A score, of those that the tests use: quarters below a million. */
  static String score(double score) {
    return score == Math.rint(score) ? Long.toString((long) score) : Double.toString(score);
  }
}
