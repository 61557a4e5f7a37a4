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
      // One by one, as in Redis: what is between two is a word without a letter, or a name.
      List<String> words = Arrays.asList(line.split("[ \t]"));
      if (!words.get(0).equals(USER) || words.size() < 2) {
        throw new RuleException(where + "should start with user keyword followed by the username");
      }
      found.add(new Line(where, words.get(1), words.subList(2, words.size())));
    }
    return found;
  }

  /**
   * The users of a configuration, without the word {@code user}.
   *
   * @param text what is behind that word, one a line; each char is a byte
   */
  public static List<Line> ofConfiguration(String text) {
    List<Line> found = new ArrayList<>();
    for (String line : text.split("\n")) {
      List<String> words = Arrays.asList(line.split(" "));
      if (!line.isEmpty()) {
        String where = "user " + words.get(0) + ": ";
        found.add(new Line(where, words.get(0), words.subList(1, words.size())));
      }
    }
    return found;
  }

  /**
   * The same for a configuration: all users, each in words; none where there is nobody but the
   * default user, and its password is all that was said of that.
   *
   * @param password what that configuration has for the default user's, or "" for none
   */
  public static List<List<String>> words(Users users, String password) {
    List<List<String>> words = new ArrayList<>();
    if (!users.areAsAtFirst(password)) {
      for (User user : users.all()) {
        words.add(Arrays.asList(user.line().substring(USER.length() + 1).split(" ")));
      }
    }
    return words;
  }

  /** The same as a text. */
  public static String format(Users users) {
    StringBuilder text = new StringBuilder();
    users.all().forEach(user -> text.append(user.line()).append('\n'));
    return text.toString();
  }
}
