package dev.varve.server.command;

import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One command as data: what COMMAND tells about it, and the function that is it.
 *
 * <p>Immutable once it is in a table; any thread.
 */
public final class Command {

  /** Where a command runs. */
  public enum Place {
    /** On the loop of its connection, or on the keyspace loop if it writes. */
    ANY_LOOP,
    /** On the keyspace loop even if it does not write: it needs state that lives there. */
    KEYSPACE_LOOP,
    /** On a worker, because it waits or takes long; its connection waits with it, others do not. */
    WORKER
  }

  private static final int[] NO_KEYS = {};

  private final String name;
  private final byte[] nameBytes;
  private int arity = 1;
  private int flags;
  private int firstKey;
  private int member;
  private int lastKey;
  private int keyStep;
  private CommandGroup group = CommandGroup.GENERIC;
  private String since = "1.0.0";
  private @Nullable String helpSince;
  private String summary = "";
  private Place place = Place.ANY_LOOP;
  private boolean runInsideMulti;
  private boolean exec;
  private boolean rehearsed;
  private boolean betweenWrites;
  private boolean forSubscribers;
  private boolean unsupported;
  private @Nullable KeyFinder keyFinder;
  private @Nullable Command container;
  private @Nullable CommandTable subcommands;
  private @Nullable CommandFunction function;
  private @Nullable Predicate<Args> lighterWhere;
  private @Nullable Command lighter;
  private Command registered = this;

  private Command(String name) {
    this.name = name;
    this.nameBytes = name.getBytes(StandardCharsets.US_ASCII);
  }

  /** Starts the description of a command; {@code name} is lower-case ASCII. */
  public static Command named(String name) {
    return new Command(name);
  }

  /** One that operators give, and scripts may not. */
  public static Command admin(String name, int arity, String since, String summary) {
    return named(name)
        .arity(arity)
        .flags(CommandFlag.ADMIN, CommandFlag.NOSCRIPT, CommandFlag.LOADING, CommandFlag.STALE)
        .since(since)
        .summary(summary);
  }

  /** How many parts a request has, the name included; {@code -n} means at least n. */
  public Command arity(int parts) {
    arity = parts;
    return this;
  }

  public Command flags(CommandFlag... these) {
    for (CommandFlag flag : these) {
      flags |= flag.bit();
    }
    return this;
  }

  /**
   * Which parts are keys: the first, the last (negative: counted from the end) and the step between
   * them.
   */
  public Command keys(int first, int last, int step) {
    firstKey = first;
    lastKey = last;
    keyStep = step;
    return this;
  }

  /** Which part is the member of the first key's collection that it looks up first. */
  public Command member(int part) {
    member = part;
    return this;
  }

  /** Finds the keys where positions alone do not say; COMMAND then flags it movablekeys. */
  public Command keys(KeyFinder finder) {
    keyFinder = finder;
    return flags(CommandFlag.MOVABLEKEYS);
  }

  public Command since(String version) {
    since = version;
    return this;
  }

  /** Since when a container has HELP, where that is not as old as itself. */
  public Command helpSince(String version) {
    helpSince = version;
    return this;
  }

  public Command summary(String sentence) {
    summary = sentence;
    return this;
  }

  public Command at(Place there) {
    place = there;
    return this;
  }

  /** Lets it run at once between MULTI and EXEC, where others are queued. */
  public Command runsInsideMulti() {
    runInsideMulti = true;
    return this;
  }

  /** Makes it the one that runs what was queued. */
  public Command exec() {
    exec = true;
    return runsInsideMulti();
  }

  /**
   * It is tried as well, though it acts at once, for the data that it reads: it must look at {@link
   * CommandContext#isTrial} before it acts.
   */
  public Command rehearsed() {
    rehearsed = true;
    return this;
  }

  /** It waits as what writes does: it changes whose data this is, or begins to tell of writes. */
  public Command betweenWrites() {
    betweenWrites = true;
    return this;
  }

  /** Lets a client use it that speaks RESP2 and has subscribed. */
  public Command forSubscribers() {
    forSubscribers = true;
    return this;
  }

  /** It only says that there is no such thing here. */
  public Command unsupported() {
    unsupported = true;
    return this;
  }

  /** What it does. */
  public Command does(CommandFunction what) {
    function = what;
    return this;
  }

  /**
   * For requests of which {@code where} says that they write nothing and do not wait, {@code its}
   * runs under the same name, wherever reads do. What Redis checks before is checked as for one
   * that writes.
   */
  public Command reads(Predicate<Args> where, Command its) {
    lighterWhere = where;
    lighter = its;
    its.registered = this;
    return this;
  }

  /**
   * For requests of which {@code where} says that they do not wait, {@code its}, which has no flag
   * that says so, runs under the same name: what takes long leaves the keyspace loop then.
   */
  public Command waitsNot(Predicate<Args> where, Command its) {
    return reads(where, its);
  }

  /**
   * Makes it a container: the second part of a request chooses among {@code these}, and HELP, which
   * lists them.
   */
  public Command subcommands(Command... these) {
    CommandTable table = new CommandTable();
    for (Command subcommand : these) {
      addTo(table, subcommand);
    }
    addTo(
        table,
        named("help")
            .arity(2)
            .flags(CommandFlag.LOADING, CommandFlag.STALE)
            .since(helpSince == null ? since : helpSince)
            .summary("List the subcommands")
            .does((context, args) -> help(context, table)));
    subcommands = table;
    return this;
  }

  private void addTo(CommandTable table, Command subcommand) {
    subcommand.container = this;
    table.add(subcommand);
  }

  private void help(CommandContext context, CommandTable table) {
    context.reply().array(1 + 2L * table.size());
    context.reply().status(this + " <subcommand> and its arguments, where <subcommand> is one of");
    for (Command subcommand : table.all()) {
      context.reply().status(subcommand.name.toUpperCase(Locale.ROOT));
      context.reply().status("    " + subcommand.summary);
    }
  }

  Command group(CommandGroup itsGroup) {
    group = itsGroup;
    if (lighter != null) {
      lighter.group(itsGroup);
    }
    if (subcommands != null) {
      for (Command subcommand : subcommands.all()) {
        subcommand.group(itsGroup);
      }
    }
    return this;
  }

  /** Its own name; a subcommand's is without that of its container. */
  public String name() {
    return name;
  }

  /** Its name as error texts and COMMAND give it: {@code config|get}. */
  public String fullName() {
    return container == null ? name : container.name + '|' + name;
  }

  byte[] nameBytes() {
    return nameBytes;
  }

  public int arity() {
    return arity;
  }

  /** Whether a request of {@code parts} parts, the names included, is complete and not too long. */
  public boolean allows(int parts) {
    return arity >= 0 ? parts == arity : parts >= -arity;
  }

  public boolean is(CommandFlag flag) {
    return (flags & flag.bit()) != 0;
  }

  public int firstKey() {
    return firstKey;
  }

  /** Which part is the member that it looks up first, 0 if none is. */
  public int member() {
    return member;
  }

  public int lastKey() {
    return lastKey;
  }

  public int keyStep() {
    return keyStep;
  }

  public @Nullable KeyFinder keyFinder() {
    return keyFinder;
  }

  /** The indexes of the parts of a request that are keys; as {@link KeyFinder#find}. */
  public int[] keyIndexes(Args request) {
    if (keyFinder != null) {
      return keyFinder.find(request);
    }
    if (firstKey == 0) {
      return NO_KEYS;
    }
    int parts = request.count();
    int last = lastKey < 0 ? parts + lastKey : lastKey;
    int[] keys = new int[parts];
    int count = 0;
    for (int at = firstKey; at <= last && at < parts; at += keyStep) {
      keys[count++] = at;
    }
    return Arrays.copyOf(keys, count);
  }

  public CommandGroup group() {
    return group;
  }

  public String since() {
    return since;
  }

  public String summary() {
    return summary;
  }

  public Place place() {
    return place;
  }

  /** The commands that it contains, or null if it is no container. */
  public @Nullable CommandTable subcommands() {
    return subcommands;
  }

  /** The command that contains it, or null. */
  public @Nullable Command container() {
    return container;
  }

  public CommandFunction function() {
    if (function == null) {
      throw new IllegalStateException("command " + fullName() + " does nothing");
    }
    return function;
  }

  /** What runs for a request: this, or what only reads, or does not wait, in its place. */
  public Command running(Args request) {
    return lighterWhere != null && lighter != null && lighterWhere.test(request) ? lighter : this;
  }

  /**
   * The one that the table has, of which rights and COMMAND tell: this, but for what runs in the
   * place of another.
   */
  public Command registered() {
    return registered;
  }

  public boolean isRunInsideMulti() {
    return runInsideMulti;
  }

  /** Whether it only says that there is no such thing here. */
  public boolean isUnsupported() {
    return unsupported;
  }

  public boolean isForSubscribers() {
    return forSubscribers;
  }

  public boolean isExec() {
    return exec;
  }

  public boolean isRehearsed() {
    return rehearsed;
  }

  /** Whether it waits while another command has the right to write, though it writes no data. */
  public boolean isBetweenWrites() {
    return betweenWrites;
  }

  /** Whether it is given a transaction. */
  public boolean hasData() {
    return is(CommandFlag.WRITE) || is(CommandFlag.READONLY) || place == Place.KEYSPACE_LOOP;
  }

  boolean hasFunction() {
    return function != null;
  }

  @Override
  public String toString() {
    return fullName().toUpperCase(Locale.ROOT);
  }
}
