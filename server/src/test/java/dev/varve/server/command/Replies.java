package dev.varve.server.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Takes encoded replies apart, so that those in no particular order can be compared. */
public final class Replies {
  private Replies() {}

  /**
   * A reply of XINFO or XPENDING without moments, which two servers have each their own, and
   * without the sizes of a tree that only one of them has.
   */
  public static String timeless(String reply) {
    return reply
        .replaceAll("(radix-tree-(?:keys|nodes)|seen-time|idle)\r\n:\\d+", "$1")
        .replaceAll("(\\*4\r\n\\$\\d+\r\n[0-9-]+\r\n\\$\\d+\r\n[^\r]*\r\n):\\d+", "$1")
        .replaceAll("(\\*3\r\n\\$\\d+\r\n[0-9-]+\r\n):\\d+", "$1");
  }

  /** The elements of an aggregate, each still encoded. */
  public static List<String> elements(String reply) {
    List<String> elements = new ArrayList<>();
    int at = reply.indexOf('\n') + 1;
    while (at < reply.length()) {
      int end = end(reply, at);
      elements.add(reply.substring(at, end));
      at = end;
    }
    return elements;
  }

  private static int end(String reply, int begin) {
    int line = reply.indexOf('\n', begin) + 1;
    String rest = reply.substring(begin + 1, line - 2);
    switch (reply.charAt(begin)) {
      case '$', '=' -> {
        int length = Integer.parseInt(rest);
        return length < 0 ? line : line + length + 2;
      }
      case '*', '~', '%' -> {
        int end = line;
        int each = reply.charAt(begin) == '%' ? 2 : 1;
        for (int left = each * Integer.parseInt(rest); left > 0; left--) {
          end = end(reply, end);
        }
        return end;
      }
      default -> {
        return line;
      }
    }
  }

  /** The text of a bulk string. */
  public static String text(String bulk) {
    return bulk.substring(bulk.indexOf('\n') + 1, bulk.length() - 2);
  }

  /**
   * An aggregate with its elements in order, {@code group} of them staying together; any other
   * reply as it is.
   */
  public static String sorted(String reply, int group) {
    if ("*~%".indexOf(reply.charAt(0)) < 0) {
      return reply;
    }
    List<String> groups = groups(elements(reply), group);
    Collections.sort(groups);
    return reply.substring(0, reply.indexOf('\n') + 1) + String.join("", groups);
  }

  /** Elements in groups of so many, each group one string. */
  public static List<String> groups(List<String> elements, int group) {
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < elements.size(); i += group) {
      groups.add(String.join("", elements.subList(i, i + group)));
    }
    return groups;
  }

  /** The parts of a request in one line; "" is an empty part. */
  public static String[] parts(String line) {
    return Arrays.stream(line.strip().split(" ", -1))
        .map(part -> part.equals("\"\"") ? "" : part)
        .toArray(String[]::new);
  }
}
