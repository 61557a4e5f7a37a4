package dev.varve.server.command.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Users as a file has them: {@code user NAME MODIFIER…}, one a line; what begins with a hash is a
 * remark. Pure functions.
 */
public final class UserLines {
  private static final String USER = "user";

  /**
   * A user of a file.
   *
   * @param where it is said, for who reads of an error
   */
  public record Line(String where, String name, List<String> modifiers) {}

  private UserLines() {}

  /**
   * The users in a text.
   *
   * @param file what errors call it
   * @throws RuleException naming the line that is none
   */
  public static List<Line> parse(String file, String text) throws RuleException {
    List<Line> found = new ArrayList<>();
    String[] lines = text.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file + ":" + (i + 1) + ": ";
      List<String> words = Arrays.asList(line.split("[ \t]+"));
      if (!words.get(0).equals(USER) || words.size() < 2) {
        throw new RuleException(where + "should start with user keyword followed by the username");
      }
      found.add(new Line(where, words.get(1), words.subList(2, words.size())));
    }
    return found;
  }

  /** The same as a text. */
  public static String format(Users users) {
    StringBuilder text = new StringBuilder();
    users.all().forEach(user -> text.append(user.line()).append('\n'));
    return text.toString();
  }
}
