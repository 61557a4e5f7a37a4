package dev.varve.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with: {@code [file] [--parameter value …]…}, after redis-server's
 * habits. The command line overrides the file, and the last value of a parameter counts.
 */
public final class CommandLine {
  private static final int INCLUDE_DEPTH_MAX = 16;
  private static final String CHECK = "--check";

  /** The wishes that name a file. */
  private static final Map<String, Wish> WITH_FILE =
      Map.of("--import", Wish.IMPORT, "--export", Wish.EXPORT);

  /** What Java makes of bytes that are no characters: of an argument's, in its locale. */
  static final char NO_CHARACTER = '\uFFFD';

  private static final String UNREADABLE =
      "has bytes that are no characters in this process's locale; set LC_ALL=C.UTF-8";

  /** What Redis has parameters for, and this server nothing that could take them up. */
  private static final Map<String, String> MISSING =
      Map.of(
          "tls-", "this server leaves that of TLS to the JDK",
          "rename-command", "this server renames no commands",
          "loadmodule", "this server has no modules");

  /** What the user wants. */
  public enum Wish {
    SERVE,
    /** Read all of the data directory, and say what is damaged. */
    CHECK,
    /** Make a data directory of a file that Redis has written. */
    IMPORT,
    /** Make such a file of a data directory. */
    EXPORT,
    HELP,
    VERSION
  }

  private final Settings settings = new Settings();

  /** Values that cannot be, unless a later one of the same parameter can. */
  private final Map<Parameter, ConfigException> wrong = new LinkedHashMap<>();

  private Wish wish = Wish.SERVE;
  private @Nullable Path file;
  private @Nullable Path rdbFile;

  private CommandLine() {}

  /**
   * Reads the arguments of main, and the file that they name.
   *
   * @throws ConfigException with one line that says what is wrong, and in which line of which file
   */
  public static CommandLine parse(String... arguments) throws ConfigException {
    CommandLine line = new CommandLine();
    line.read(arguments);
    for (ConfigException first : line.wrong.values()) {
      throw first;
    }
    line.checkBackups();
    return line;
  }

  /** The same directory is a slip: backups are for when that one is lost. */
  private void checkBackups() throws ConfigException {
    String backups = settings.text(Parameters.BACKUP_DIRECTORY);
    String data = settings.text(Parameters.DIRECTORY);
    if (!backups.isEmpty() && isSame(Path.of(backups), Path.of(data))) {
      throw new ConfigException(
          "backup-dir: must be another directory than dir, not '" + backups + "'");
    }
  }

  private static boolean isSame(Path one, Path other) throws ConfigException {
    try {
      return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize())
          || (Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other));
    } catch (IOException failure) {
      throw new ConfigException("backup-dir: " + FileProblem.describe(failure));
    }
  }

  public Settings settings() {
    return settings;
  }

  public Wish wish() {
    return wish;
  }

  /** The file that was read, or null. */
  public @Nullable Path file() {
    return file;
  }

  /** The file of Redis that is to be read or made, where that is the wish. */
  public Path rdbFile() {
    return Objects.requireNonNull(rdbFile);
  }

  private void read(String[] arguments) throws ConfigException {
    int at = 0;
    if (arguments.length > 0 && isWish(arguments[0])) {
      return;
    }
    if (arguments.length > 0 && !arguments[0].startsWith("--")) {
      if (isUnreadable(arguments[0])) {
        throw cannotRead(arguments[0], UNREADABLE);
      }
      readFile(arguments[0], 0);
      file = Path.of(arguments[0]);
      at = 1;
    }
    while (at < arguments.length) {
      String flag = arguments[at++];
      if (isWish(flag)) {
        return;
      }
      if (flag.equals(CHECK)) {
        wish = Wish.CHECK;
        continue;
      }
      if (!flag.startsWith("--")) {
        throw new ConfigException("unexpected argument '" + flag + "': options begin with --");
      }
      int from = at;
      while (at < arguments.length && !arguments[at].startsWith("--")) {
        at++;
      }
      List<String> values = Arrays.asList(arguments).subList(from, at);
      if (values.stream().anyMatch(CommandLine::isUnreadable)) {
        throw new ConfigException(
            "option " + flag + ": " + UNREADABLE + ", or put it into the file");
      }
      Wish withFile = WITH_FILE.get(flag);
      if (withFile != null) {
        rdbFile = file(flag, values);
        wish = withFile;
      } else {
        String name = flag.substring(2);
        boolean isOfUser = Parameters.find(name) == Parameters.USER;
        List<String> its = isOfUser ? values.stream().map(ConfigLines::word).toList() : values;
        apply(name, its, "option --", 0);
      }
    }
  }

  private static Path file(String flag, List<String> values) throws ConfigException {
    if (values.size() != 1) {
      throw new ConfigException("option " + flag + " takes one file, not " + values.size());
    }
    PathRules.checkFile(values.get(0));
    return Path.of(values.get(0));
  }

  /** A password, say, would be another one. */
  private static boolean isUnreadable(String argument) {
    return argument.indexOf(NO_CHARACTER) >= 0;
  }

  private boolean isWish(String argument) {
    switch (argument) {
      case "--help", "-h" -> wish = Wish.HELP;
      case "--version", "-v" -> wish = Wish.VERSION;
      default -> {
        return false;
      }
    }
    return true;
  }

  private static ConfigException cannotRead(String file, String why) {
    return new ConfigException("cannot read configuration file '" + file + "': " + why);
  }

  private void readFile(String path, int depth) throws ConfigException {
    List<String> lines;
    try {
      lines = ConfigLines.read(Path.of(path));
    } catch (IOException failure) {
      throw cannotRead(path, FileProblem.what(failure));
    } catch (InvalidPathException wrong) {
      throw cannotRead(path, FileProblem.what(wrong));
    }
    for (int number = 1; number <= lines.size(); number++) {
      String where = path + " line " + number + ": ";
      List<String> words = ConfigLines.words(lines.get(number - 1));
      if (words == null) {
        throw new ConfigException(where + "unbalanced quotes");
      }
      if (!words.isEmpty()) {
        List<String> values = values(words);
        if (values.stream().anyMatch(CommandLine::isUnreadable)) {
          throw new ConfigException(where + words.get(0) + ": has bytes that are not UTF-8");
        }
        apply(words.get(0), values, where, depth);
      }
    }
  }

  /** What a line of a file gives to its parameter. */
  private static List<String> values(List<String> words) {
    List<String> values = words.subList(1, words.size());
    // Names of users and keys are any bytes.
    return Parameters.find(words.get(0)) == Parameters.USER
        ? values
        : values.stream().map(ConfigLines::text).toList();
  }

  private void apply(String name, List<String> values, String where, int depth)
      throws ConfigException {
    if (name.equalsIgnoreCase("include")) {
      if (depth == INCLUDE_DEPTH_MAX) {
        throw new ConfigException(where + "includes are nested too deeply");
      }
      for (String included : values) {
        for (String path : IncludedFiles.of(included)) {
          readFile(path, depth + 1);
        }
      }
      return;
    }
    Parameter parameter = Parameters.find(name);
    if (parameter == null) {
      throw new ConfigException(where + unknown(name, where.endsWith("--")));
    }
    String what = where + name + ": ";
    if (values.isEmpty() || (values.size() > 1 && !parameter.takesManyWords())) {
      throw new ConfigException(what + "takes one value, not " + values.size());
    }
    try {
      settings.set(parameter, String.join(" ", values));
      wrong.remove(parameter);
    } catch (ConfigException refused) {
      String value = String.join(" ", values);
      wrong.put(parameter, new ConfigException(what + refusal(refused.what(), value)));
    }
  }

  /** What is wrong with a value, which is named before the reason if there is one. */
  private static String refusal(String what, String value) {
    String not = ", not '" + value + "'";
    int reason = what.startsWith("must be ") ? what.indexOf(": ") : -1;
    return reason < 0 ? what + not : what.substring(0, reason) + not + what.substring(reason);
  }

  private static String unknown(String name, boolean isOption) {
    String lower = name.toLowerCase(Locale.ROOT);
    String missing = MISSING.get(lower.startsWith("tls-") ? "tls-" : lower);
    if (missing != null) {
      return isOption ? name + " cannot be: " + missing : name + ": " + missing;
    }
    return (isOption ? name + " is unknown" : "unknown parameter '" + name + "'")
        + "; --help lists those there are";
  }

  /** The text of --help. */
  public static String help() {
    StringBuilder text = new StringBuilder();
    text.append("Varve, a Redis server on an LSM tree of its own.\n\n");
    text.append("Usage: java -jar varve.jar [varve.conf] [--parameter value]...\n");
    text.append("       java -jar varve.jar [varve.conf] --check [--dir <text>]\n");
    text.append("       java -jar varve.jar [varve.conf] --import dump.rdb [--dir <text>]\n");
    text.append("       java -jar varve.jar [varve.conf] --export dump.rdb [--dir <text>]\n");
    text.append("       java -jar varve.jar --help | --version\n\n");
    text.append(
        "--check reads all data of a server that does not run, and says what is damaged,"
            + " or disagrees.\n");
    text.append(
        "--import makes a data directory, which must be empty or not there yet, of an RDB file of"
            + " Redis or Valkey; --export makes such a file of a directory that no server uses.\n");
    text.append("The file has redis.conf's syntax; the command line overrides it.\n");
    text.append("Parameters (* can be changed by CONFIG SET):\n\n");
    for (Parameter parameter : Parameters.all()) {
      String left =
          (parameter.isMutable() && !parameter.isFixed() ? "  * --" : "    --")
              + parameter.name()
              + ' '
              + parameter.shape();
      text.append(left).append('\n');
      text.append("        ").append(parameter.help());
      if (!parameter.defaultText().isEmpty()) {
        text.append(" (").append(parameter.defaultText()).append(')');
      }
      text.append('\n');
    }
    return text.toString();
  }
}
