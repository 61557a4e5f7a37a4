package dev.varve.server.command.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the notation in which the arguments of commands are written down, words with blanks
 * between:
 *
 * <pre>
 *   value                   a string
 *   count:integer           of another type
 *   key#0                   a key of the first of the command's groups of keys
 *   NX                      this very word, nx by name; CH=change:token has another name
 *   EX=seconds:integer      this word and then what follows it; '' is a word without letters
 *   condition( NX | XX )    one of these
 *   LIMIT=range{ from to }  these together, after that word
 * </pre>
 *
 * Behind each of them, in this order: {@code @6.2.0} since when, {@code ~2.8.12} since when it is
 * deprecated, {@code ?} for optional, {@code +} for once or more, {@code ++} for once or more with
 * its token each time.
 *
 * <p>Pure function of the text.
 */
final class ArgumentSyntax {
  private static final Pattern TOKEN = Pattern.compile("(''|=|[^=]+)=(.+)");
  private static final Pattern WORD = Pattern.compile("[A-Z][A-Z0-9-]*");

  /** What may stand behind an argument or the end of several. */
  private static final Pattern BEHIND =
      Pattern.compile("(.*?)(?:@([0-9.]+))?(?:~([0-9.]+))?(\\?)?(\\+{0,2})");

  private final String[] words;
  private int at;

  private ArgumentSyntax(String text) {
    words = text.split(" +");
  }

  /** The arguments that {@code text} describes; throws IllegalArgumentException if it does not. */
  static List<DocumentedArgument> read(String text) {
    ArgumentSyntax syntax = new ArgumentSyntax(text);
    List<DocumentedArgument> arguments = new ArrayList<>();
    while (syntax.at < syntax.words.length) {
      arguments.add(syntax.argument());
    }
    return arguments;
  }

  private String next() {
    if (at == words.length) {
      throw new IllegalArgumentException("not closed: " + String.join(" ", words));
    }
    return words[at++];
  }

  private DocumentedArgument argument() {
    String word = next();
    String token = null;
    Matcher withToken = TOKEN.matcher(word);
    if (withToken.matches()) {
      token = withToken.group(1).equals("''") ? "" : withToken.group(1);
      word = withToken.group(2);
    }
    return switch (word.charAt(word.length() - 1)) {
      case '(' -> parts(word, "oneof", token, ")");
      case '{' -> parts(word, "block", token, "}");
      default -> single(word, token);
    };
  }

  private DocumentedArgument parts(String head, String type, @Nullable String token, String end) {
    List<DocumentedArgument> parts = new ArrayList<>();
    while (at < words.length && !words[at].startsWith(end)) {
      if (words[at].equals("|")) {
        at++;
      } else {
        parts.add(argument());
      }
    }
    String name = head.substring(0, head.length() - 1);
    return with(
        behind(next().substring(1)), name, type, DocumentedArgument.NO_KEY_SPEC, token, parts);
  }

  private static DocumentedArgument single(String word, @Nullable String token) {
    Matcher behind = behind(word);
    String name = behind.group(1);
    int keySpec = DocumentedArgument.NO_KEY_SPEC;
    String type = "string";
    int hash = name.indexOf('#');
    if (hash >= 0) {
      keySpec = Integer.parseInt(name.substring(hash + 1));
      name = name.substring(0, hash);
      type = "key";
    }
    int colon = name.lastIndexOf(':');
    if (colon >= 0) {
      type = name.substring(colon + 1);
      name = name.substring(0, colon);
    }
    String itsToken = token;
    if (token == null && WORD.matcher(name).matches()) {
      itsToken = name;
      name = name.toLowerCase(Locale.ROOT);
      type = "token";
    }
    String itsType = type.equals("token") ? "pure-token" : type;
    return with(behind, name, itsType, keySpec, itsToken, List.of());
  }

  private static Matcher behind(String text) {
    Matcher behind = BEHIND.matcher(text);
    if (!behind.matches()) {
      throw new IllegalArgumentException(text);
    }
    return behind;
  }

  private static DocumentedArgument with(
      Matcher behind,
      String name,
      String type,
      int keySpec,
      @Nullable String token,
      List<DocumentedArgument> parts) {
    List<String> flags = new ArrayList<>();
    if (behind.group(4) != null) {
      flags.add("optional");
    }
    int times = behind.group(5).length();
    if (times > 0) {
      flags.add("multiple");
    }
    if (times > 1) {
      flags.add("multiple_token");
    }
    return new DocumentedArgument(
        name, type, keySpec, token, behind.group(2), behind.group(3), flags, parts);
  }
}
