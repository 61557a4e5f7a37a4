package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the words of ACL SETUSER and of files of users, see
 * https://redis.io/docs/management/security/acl/. Texts of errors are Redis's.
 *
 * <p>Pure functions of the rules they change.
 */
final class Modifiers {
  private static final String SYNTAX = "Syntax error";
  private static final String UNKNOWN = "Unknown command or category name in ACL";
  private static final String AFTER_ALL_KEYS =
      "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have"
          + " any effect. Try 'resetkeys' to start with an empty list of patterns";
  private static final String AFTER_ALL_CHANNELS =
      "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not"
          + " have any effect. Try 'resetchannels' to start with an empty list of channels";
  private static final String NO_SUCH_PASSWORD =
      "The password you are trying to remove from the user does not exist";
  private static final String BAD_DIGEST =
      "The password hash must be exactly 64 characters and contain only lowercase hexadecimal"
          + " characters";
  private static final String ARGUMENT_OF_SUBCOMMAND =
      "Allowing first-arg of a subcommand is not supported";

  private Modifiers() {}

  /**
   * Applies them one after the other.
   *
   * @throws RuleException naming the first that cannot be, by Redis's sentence
   */
  static void apply(UserRules rules, List<String> words) throws RuleException {
    for (String word : merged(words)) {
      String why = apply(rules, word);
      if (why != null) {
        throw new RuleException("Error in ACL SETUSER modifier '" + word + "': " + why);
      }
    }
  }

  /** What is in parentheses is one modifier. */
  static List<String> merged(List<String> words) throws RuleException {
    List<String> merged = new ArrayList<>();
    StringBuilder open = null;
    String opening = "";
    for (String word : words) {
      if (open == null && word.startsWith("(") && !word.endsWith(")")) {
        open = new StringBuilder(word);
        opening = word;
      } else if (open != null) {
        open.append(' ').append(word);
        if (word.endsWith(")")) {
          merged.add(open.toString());
          open = null;
        }
      } else {
        merged.add(word);
      }
    }
    if (open != null) {
      throw new RuleException(
          "Unmatched parenthesis in acl selector starting at '" + opening + "'.");
    }
    return merged;
  }

  /** Why it cannot be, or null. */
  private static @Nullable String apply(UserRules rules, String word) {
    switch (word.toLowerCase(Locale.ROOT)) {
      case "on" -> rules.enable(true);
      case "off" -> rules.enable(false);
      case "nopass" -> rules.needNoPassword();
      case "resetpass" -> rules.resetPasswords();
      case "sanitize-payload", "skip-sanitize-payload" ->
          rules.sanitize(word.toLowerCase(Locale.ROOT));
      case "clearselectors" -> rules.clearSelectors();
      case "reset" -> reset(rules);
      // As in Redis, nothing is a modifier that changes nothing.
      case "" -> {}
      default -> {
        return applyMore(rules, word);
      }
    }
    return null;
  }

  private static void reset(UserRules rules) {
    rules.resetPasswords();
    Selector root = rules.root();
    root.allowNoKeys();
    if (rules.newSelector().areAllChannels()) {
      root.allowAllChannels();
    } else {
      root.allowNoChannels();
    }
    rules.enable(false);
    rules.sanitize("sanitize-payload");
    rules.clearSelectors();
    root.commands().allowNone();
  }

  private static @Nullable String applyMore(UserRules rules, String word) {
    String rest = word.substring(1);
    switch (word.charAt(0)) {
      case '>' -> rules.addPassword(digest(rest));
      case '#' -> {
        if (!isDigest(rest)) {
          return BAD_DIGEST;
        }
        rules.addPassword(rest);
      }
      case '<' -> {
        return rules.removePassword(digest(rest)) ? null : NO_SUCH_PASSWORD;
      }
      case '!' -> {
        if (!isDigest(rest)) {
          return BAD_DIGEST;
        }
        return rules.removePassword(rest) ? null : NO_SUCH_PASSWORD;
      }
      case '(' -> {
        return addSelector(rules, word);
      }
      default -> {
        return apply(rules.root(), rules.catalog(), word);
      }
    }
    return null;
  }

  private static @Nullable String addSelector(UserRules rules, String word) {
    if (!word.endsWith(")")) {
      return SYNTAX;
    }
    Selector selector = rules.newSelector();
    for (String each : word.substring(1, word.length() - 1).split(" ")) {
      String why = each.isEmpty() ? null : apply(selector, rules.catalog(), each);
      if (why != null) {
        return why;
      }
    }
    rules.add(selector);
    return null;
  }

  private static @Nullable String apply(Selector selector, Catalog catalog, String word) {
    switch (word.toLowerCase(Locale.ROOT)) {
      case "allkeys", "~*" -> selector.allowAllKeys();
      case "resetkeys" -> selector.allowNoKeys();
      case "allchannels", "&*" -> selector.allowAllChannels();
      case "resetchannels" -> selector.allowNoChannels();
      case "allcommands", "+@all" -> selector.commands().allowAll();
      case "nocommands", "-@all" -> selector.commands().allowNone();
      default -> {
        return applyPattern(selector, catalog, word);
      }
    }
    return null;
  }

  private static @Nullable String applyPattern(Selector selector, Catalog catalog, String word) {
    switch (word.isEmpty() ? ' ' : word.charAt(0)) {
      case '~', '%' -> {
        return allowKeys(selector, word);
      }
      case '&' -> {
        if (selector.areAllChannels()) {
          return AFTER_ALL_CHANNELS;
        }
        if (ByteText.hasSpaces(word)) {
          return SYNTAX;
        }
        selector.allowChannels(word.substring(1));
        return null;
      }
      case '+', '-' -> {
        boolean isAllowed = word.charAt(0) == '+';
        if (word.startsWith("@", 1)) {
          boolean isKnown = selector.commands().changeCategory(word.substring(2), isAllowed);
          return isKnown ? null : UNKNOWN;
        }
        return isAllowed && word.indexOf('|') >= 0
            ? allowPart(selector, catalog, word.substring(1))
            : change(selector, catalog.find(word.substring(1)), isAllowed);
      }
      default -> {
        return SYNTAX;
      }
    }
  }

  private static @Nullable String allowKeys(Selector selector, String word) {
    if (selector.areAllKeys()) {
      return AFTER_ALL_KEYS;
    }
    // Without a tilde, as Redis takes it too, it is the key without a name.
    int tilde = word.indexOf('~');
    int end = tilde < 0 ? word.length() : tilde;
    String letters = end == 0 ? "RW" : word.substring(1, end).toUpperCase(Locale.ROOT);
    if (ByteText.hasSpaces(word) || !letters.matches("R|W|RW|WR")) {
      return SYNTAX;
    }
    selector.allowKeys(
        KeyPattern.of(
            word.substring(Math.min(end + 1, word.length())),
            letters.contains("R"),
            letters.contains("W")));
    return null;
  }

  private static @Nullable String change(
      Selector selector, @Nullable Command command, boolean isAllowed) {
    if (command == null) {
      return UNKNOWN;
    }
    selector.commands().change(command, isAllowed);
    return null;
  }

  /** A subcommand, or a command with this first argument. */
  private static @Nullable String allowPart(Selector selector, Catalog catalog, String name) {
    int bar = name.lastIndexOf('|');
    Command command = catalog.find(name.substring(0, bar));
    String part = name.substring(bar + 1);
    if (command == null) {
      return UNKNOWN;
    }
    if (command.container() != null) {
      return ARGUMENT_OF_SUBCOMMAND;
    }
    if (part.isEmpty() || ByteText.hasSpaces(part)) {
      // It would be two words, or lines, of a file of users, which could not be read again.
      return SYNTAX;
    }
    if (command.subcommands() != null) {
      return change(selector, catalog.find(name), true);
    }
    selector.commands().allowFirstArgument(command, part);
    return null;
  }

  private static boolean isDigest(String text) {
    return text.matches("[0-9a-f]{64}");
  }

  /** What is kept of a password: SHA-256, in lower-case hexadecimal digits. */
  static String digest(String password) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(ByteText.bytes(password)));
    } catch (NoSuchAlgorithmException everyPlatformHasIt) {
      throw new IllegalStateException(everyPlatformHasIt);
    }
  }
}
