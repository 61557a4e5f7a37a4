package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.util.List;
import java.util.Locale;

/** How like two replies to the same request have to be. Pure functions. */
final class Likeness {
  private static final long NEAR_SECONDS = 10;
  private static final long NEAR_MILLIS = NEAR_SECONDS * 1000;

  private Likeness() {}

  /** Whether both servers gave the same reply, as far as Redis promises it. */
  static boolean isSame(List<String> request, String expected, String actual) {
    if (expected.equals(actual)) {
      return true;
    }
    if (request.isEmpty()) {
      return false;
    }
    String name = request.get(0).toUpperCase(Locale.ROOT);
    if (expected.charAt(0) != actual.charAt(0)) {
      return false;
    }
    if (expected.startsWith("-")) {
      return false;
    }
    return switch (name) {
      case "SMEMBERS",
          "SINTER",
          "SUNION",
          "SDIFF",
          "HKEYS",
          "HVALS",
          "KEYS",
          "PUBSUB",
          "SORT",
          "SORT_RO" ->
          isSameSet(1, expected, actual);
      case "HGETALL" -> isSameSet(expected.startsWith("%") ? 1 : 2, expected, actual);
      case "SCAN", "SSCAN" -> isSamePage(1, expected, actual);
      case "HSCAN", "ZSCAN" -> isSamePage(2, expected, actual);
      case "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER", "SPOP", "RANDOMKEY" ->
          expected.startsWith("$")
              ? expected.startsWith("$-1") == actual.startsWith("$-1")
              : firstLine(expected).equals(firstLine(actual));
      case "TTL", "EXPIRETIME" -> isNear(NEAR_SECONDS, expected, actual);
      case "PTTL", "PEXPIRETIME" -> isNear(NEAR_MILLIS, expected, actual);
      case "XINFO", "XPENDING" -> Replies.timeless(expected).equals(Replies.timeless(actual));
      // Of each server's own: the time, sizes, names, pictures.
      case "TIME", "LASTSAVE", "MEMORY", "DUMP", "LOLWUT", "HELLO", "DEBUG", "INFO" -> true;
      case "COMMAND" ->
          isWord(request, "LIST") && isSameSet(1, expected, actual)
              || isWord(request, "INFO") && withoutNotes(expected).equals(withoutNotes(actual))
              || request.size() == 2;
      case "CLIENT" -> isWord(request, "ID");
      // Words by chance; who was refused, from where and how long ago.
      case "ACL" ->
          isWord(request, "LOG")
              || (isWord(request, "GENPASS") && firstLine(expected).equals(firstLine(actual)));
      case "OBJECT" -> isWord(request, "IDLETIME") || isWord(request, "REFCOUNT");
      // Compressed there and not here; each reads the other's.
      case "FUNCTION" ->
          isWord(request, "DUMP") || (isWord(request, "LIST") && isSameSet(1, expected, actual));
      default -> false;
    };
  }

  /** What COMMAND INFO says in words is of each server's own. */
  private static String withoutNotes(String reply) {
    return reply.replaceAll("(?<=\\$5\r\nnotes\r\n)\\$\\d+\r\n[^\r]*", "");
  }

  private static boolean isWord(List<String> request, String word) {
    return request.size() > 1 && request.get(1).equalsIgnoreCase(word);
  }

  private static boolean isSameSet(int group, String expected, String actual) {
    return "*~%".indexOf(expected.charAt(0)) >= 0
        && firstLine(expected).equals(firstLine(actual))
        && Replies.sorted(expected, group).equals(Replies.sorted(actual, group));
  }

  private static boolean isSamePage(int group, String expected, String actual) {
    if (!expected.startsWith("*2") || !actual.startsWith("*2")) {
      return false;
    }
    List<String> its = Replies.elements(expected);
    List<String> ours = Replies.elements(actual);
    return its.get(0).equals(ours.get(0)) && isSameSet(group, its.get(1), ours.get(1));
  }

  private static boolean isNear(long distanceMax, String expected, String actual) {
    if (!expected.startsWith(":")) {
      return false;
    }
    long its = Long.parseLong(firstLine(expected).substring(1));
    long ours = Long.parseLong(firstLine(actual).substring(1));
    return its >= 0 && ours >= 0 && Math.abs(its - ours) <= distanceMax;
  }

  private static String firstLine(String reply) {
    return reply.substring(0, reply.indexOf('\r'));
  }
}
