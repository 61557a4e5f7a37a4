package dev.varve.server.config;

import dev.varve.codec.format.IntegerText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * One parameter: its name, what values it takes, and what it is for. Immutable once it is in the
 * table.
 */
public final class Parameter {

  /** What kind of value it takes. */
  public enum Kind {
    INTEGER,
    /** A size in bytes, given as 64mb. */
    MEMORY,
    YES_NO,
    TEXT,
    /** One of a few words. */
    CHOICE
  }

  /** Looks at a text closer than its kind does. */
  @FunctionalInterface
  interface Check {
    void check(String text) throws ConfigException;
  }

  /** Makes one text of the present value and a change of it. */
  @FunctionalInterface
  interface Merge {
    String merge(String before, String change) throws ConfigException;
  }

  /** A value: its text as CONFIG GET shows it, and its number where the kind has one. */
  record Value(String text, long number) {}

  private static final Merge REPLACE = (before, change) -> change;

  private final String name;
  private final Kind kind;
  private final long min;
  private final long max;
  private final List<String> choices;
  private final String help;
  private final boolean mutable;
  private final boolean manyWords;
  private final Check check;
  private final Merge merge;
  private boolean fixed;
  private boolean hidden;
  private boolean guarded;
  private final Value defaultValue;

  private Parameter(
      String name,
      Kind kind,
      long min,
      long max,
      List<String> choices,
      String defaultText,
      String help,
      boolean mutable,
      boolean manyWords,
      Check check,
      Merge merge) {
    this.name = name;
    this.kind = kind;
    this.min = min;
    this.max = max;
    this.choices = choices;
    this.help = help;
    this.mutable = mutable;
    this.manyWords = manyWords;
    this.check = check;
    this.merge = merge;
    try {
      this.defaultValue = parse(defaultText);
    } catch (ConfigException wrong) {
      throw new IllegalStateException("default of " + name + ": " + wrong.what(), wrong);
    }
  }

  static Parameter integer(String name, long byDefault, long min, long max, String help) {
    return new Parameter(
        name,
        Kind.INTEGER,
        min,
        max,
        List.of(),
        Long.toString(byDefault),
        help,
        false,
        false,
        text -> {},
        REPLACE);
  }

  static Parameter memory(String name, String byDefault, long min, long max, String help) {
    return new Parameter(
        name, Kind.MEMORY, min, max, List.of(), byDefault, help, false, false, text -> {}, REPLACE);
  }

  static Parameter yesNo(String name, boolean byDefault, String help) {
    return new Parameter(
        name,
        Kind.YES_NO,
        0,
        1,
        List.of("yes", "no"),
        byDefault ? "yes" : "no",
        help,
        false,
        false,
        text -> {},
        REPLACE);
  }

  static Parameter text(String name, String byDefault, String help) {
    return new Parameter(
        name, Kind.TEXT, 0, 0, List.of(), byDefault, help, false, false, text -> {}, REPLACE);
  }

  static Parameter choice(String name, String help, String byDefault, String... choices) {
    return new Parameter(
        name,
        Kind.CHOICE,
        0,
        0,
        List.of(choices),
        byDefault,
        help,
        false,
        false,
        text -> {},
        REPLACE);
  }

  /** The same, for CONFIG SET to change. */
  Parameter mutable() {
    return new Parameter(
        name, kind, min, max, choices, defaultValue.text, help, true, manyWords, check, merge);
  }

  /** The same, for CONFIG SET to take what it is already, as tools send all that they read. */
  Parameter fixed() {
    Parameter parameter = mutable();
    parameter.fixed = true;
    return parameter;
  }

  /** Whether CONFIG SET takes only the value that it has. */
  boolean isFixed() {
    return fixed;
  }

  /** The same, found by its whole name only. */
  Parameter hidden() {
    hidden = true;
    return this;
  }

  boolean isHidden() {
    return hidden;
  }

  /** The same, for CONFIG SET to change only where enable-protected-configs allows it. */
  Parameter guarded() {
    Parameter parameter = mutable();
    parameter.guarded = true;
    return parameter;
  }

  /** Whether CONFIG SET changes it only where that is allowed. */
  boolean isGuarded() {
    return guarded;
  }

  /** The same, taking any number of words, which are joined by spaces. */
  Parameter manyWords() {
    return new Parameter(
        name, kind, min, max, choices, defaultValue.text, help, mutable, true, check, merge);
  }

  /** The same, with a closer look at its texts. */
  Parameter checkedBy(Check closer) {
    return new Parameter(
        name, kind, min, max, choices, defaultValue.text, help, mutable, manyWords, closer, merge);
  }

  /** The same, with a change made to fit what was there, or written as CONFIG GET shows it. */
  Parameter mergedBy(Merge merging) {
    return new Parameter(
        name, kind, min, max, choices, defaultValue.text, help, mutable, manyWords, check, merging);
  }

  /** What a change to {@code change} makes of {@code before}. */
  String merged(String before, String change) throws ConfigException {
    check.check(change);
    return merge.merge(before, change);
  }

  public String name() {
    return name;
  }

  public boolean isMutable() {
    return mutable;
  }

  boolean takesManyWords() {
    return manyWords;
  }

  public String help() {
    return help;
  }

  Value defaultValue() {
    return defaultValue;
  }

  /** Its default, as CONFIG GET would show it. */
  public String defaultText() {
    return defaultValue.text;
  }

  /** What --help shows after the name. */
  String shape() {
    return switch (kind) {
      case INTEGER -> "<n>";
      case MEMORY -> "<size>";
      case TEXT -> "<text>";
      case YES_NO, CHOICE -> String.join("|", choices);
    };
  }

  /**
   * The value that {@code text} gives.
   *
   * @throws ConfigException with Redis's text for what is wrong
   */
  Value parse(String text) throws ConfigException {
    check.check(text);
    return switch (kind) {
      case INTEGER -> number(integer(text));
      case MEMORY -> number(MemorySize.parse(text));
      case TEXT -> new Value(text, 0);
      case YES_NO -> {
        String word = text.toLowerCase(Locale.ROOT);
        if (!choices.contains(word)) {
          throw new ConfigException("argument must be 'yes' or 'no'");
        }
        yield new Value(word, word.equals("yes") ? 1 : 0);
      }
      case CHOICE -> {
        String word = text.toLowerCase(Locale.ROOT);
        if (!choices.contains(word)) {
          throw notOneOf(choices);
        }
        yield new Value(word, choices.indexOf(word));
      }
    };
  }

  /** The error for a word that is none of these. */
  static ConfigException notOneOf(List<String> choices) {
    return new ConfigException(
        "argument(s) must be one of the following: " + String.join(", ", choices));
  }

  private static long integer(String text) throws ConfigException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!IntegerText.isInteger(bytes)) {
      throw new ConfigException("argument couldn't be parsed into an integer");
    }
    return IntegerText.parse(bytes);
  }

  private Value number(long number) throws ConfigException {
    if (number < min || number > max) {
      throw new ConfigException("argument must be between " + min + " and " + max + " inclusive");
    }
    return new Value(Long.toString(number), number);
  }
}
