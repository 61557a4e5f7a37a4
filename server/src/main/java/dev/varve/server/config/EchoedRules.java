package dev.varve.server.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Redis asks of the texts of parameters that have no meaning here, and how it shows them
 * again. Each takes the present value and a change, as {@link Parameter.Merge} does. Pure
 * functions, any thread.
 */
final class EchoedRules {
  private static final int OOM_SCORES = 3;
  private static final int OOM_SCORE_MAX = 2000;
  private static final int HOST_NAME_LENGTH_MAX = 255;

  /** In the order in which they are shown; the first is what none of the others is. */
  private static final List<String> SHUTDOWN_OPTIONS =
      List.of("default", "save", "nosave", "now", "force");

  /** What the parts of a title are in a server that has just started. */
  private static final Map<String, String> TITLE_PARTS =
      Map.of(
          "title", "",
          "listen-addr", "*:0",
          "server-mode", "",
          "port", "0",
          "tls-port", "0",
          "unixsocket", "",
          "config-file", "-");

  private static final String BAD_TITLE =
      "template format is invalid or contains unknown variables";

  private EchoedRules() {}

  /** Pairs of seconds and changes, or nothing. */
  static String saves(String before, String change) throws ConfigException {
    if (change.isEmpty()) {
      return change;
    }
    String[] words = change.split(" ", -1);
    String[] shown = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      Long number = number(words[i]);
      long least = i % 2 == 0 ? 1 : 0;
      if (words.length % 2 != 0 || number == null || number < least) {
        throw new ConfigException("Invalid save parameters");
      }
      shown[i] = number.toString();
    }
    return String.join(" ", shown);
  }

  /** Three numbers. */
  static String oomScores(String before, String change) throws ConfigException {
    String[] words = change.split(" ", -1);
    if (words.length != OOM_SCORES) {
      throw new ConfigException("wrong number of arguments");
    }
    for (int i = 0; i < words.length; i++) {
      Long number = number(words[i]);
      if (number == null || Math.abs(number) > OOM_SCORE_MAX) {
        throw new ConfigException(
            "Invalid oom-score-adj-values, elements must be between -2000 and 2000.");
      }
      words[i] = number.toString();
    }
    return String.join(" ", words);
  }

  /** As C reads it: nothing is 0. */
  private static @Nullable Long number(String word) {
    if (word.isEmpty()) {
      return 0L;
    }
    return word.matches("[+-]?\\d{1,18}") ? Long.valueOf(word) : null;
  }

  /** Some of a few words. */
  static String shutdownOptions(String before, String change) throws ConfigException {
    List<String> words = Arrays.asList(change.toLowerCase(Locale.ROOT).split(" ", -1));
    if (!SHUTDOWN_OPTIONS.containsAll(words)) {
      throw Parameter.notOneOf(SHUTDOWN_OPTIONS);
    }
    if (words.contains("save") && words.contains("nosave")) {
      throw new ConfigException("shutdown options SAVE and NOSAVE can't be used simultaneously");
    }
    List<String> shown = new ArrayList<>(SHUTDOWN_OPTIONS.subList(1, SHUTDOWN_OPTIONS.size()));
    shown.retainAll(words);
    return shown.isEmpty() ? SHUTDOWN_OPTIONS.get(0) : String.join(" ", shown);
  }

  /** A name in its file's directory. */
  static String fileName(String before, String change) throws ConfigException {
    if (change.contains("/")) {
      throw new ConfigException("dbfilename can't be a path, just a filename");
    }
    return change;
  }

  /** A host's name. */
  static String hostName(String before, String change) throws ConfigException {
    if (change.length() > HOST_NAME_LENGTH_MAX) {
      throw new ConfigException("Hostnames must be less than 256 characters");
    }
    if (!change.matches("[A-Za-z0-9.-]*")) {
      throw new ConfigException(
          "Hostnames may only contain alphanumeric characters, hyphens or dots");
    }
    return change;
  }

  /** A text with parts in braces, of which something has to be left in any server. */
  static String title(String before, String change) throws ConfigException {
    StringBuilder shown = new StringBuilder();
    int at = 0;
    for (int brace; (brace = change.indexOf('{', at)) >= 0; ) {
      shown.append(change, at, brace);
      if (change.startsWith("{{", brace)) {
        shown.append('{');
        at = brace + 2;
        continue;
      }
      int end = change.indexOf('}', brace);
      String part = end < 0 ? null : TITLE_PARTS.get(change.substring(brace + 1, end));
      if (part == null) {
        throw new ConfigException(BAD_TITLE);
      }
      shown.append(part);
      at = end + 1;
    }
    if (shown.append(change, at, change.length()).toString().replace(" ", "").isEmpty()) {
      throw new ConfigException(BAD_TITLE);
    }
    return change;
  }

  /** A size, or a share of maxmemory. */
  static String sizeOrShare(String before, String change) throws ConfigException {
    if (!change.matches("\\d+%")) {
      try {
        return Long.toString(MemorySize.parse(change));
      } catch (ConfigException notASize) {
        throw new ConfigException("argument must be a memory or percent value");
      }
    }
    String digits = change.substring(0, change.length() - 1).replaceFirst("^0+(?=\\d)", "");
    if (digits.length() > 3 || Integer.parseInt(digits) > 100) {
      throw new ConfigException("percentage argument must be less or equal to 100");
    }
    return digits.equals("0") ? digits : digits + '%';
  }

  /** Nothing, where anything would be missed. */
  static String nothing(String before, String change) throws ConfigException {
    if (!change.isEmpty()) {
      throw new ConfigException("must be empty: this server does not have it");
    }
    return change;
  }

  /** No background: whoever starts it knows how to put it there. */
  static String foreground(String before, String change) throws ConfigException {
    if (change.equalsIgnoreCase("yes")) {
      throw new ConfigException(
          "must be no: the server stays in the foreground, for systemd, a container or a shell's &");
    }
    return change;
  }

  /** No, where Redis takes yes, too. */
  static String no(String before, String change) throws ConfigException {
    if (change.equalsIgnoreCase("yes")) {
      throw new ConfigException("must be no: this server does not have it");
    }
    return change;
  }
}
