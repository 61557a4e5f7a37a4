package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which commands a selector allows.
 *
 * <p>Changed by one thread until it is a user's, then by none: any thread may ask.
 */
final class CommandRights {
  private final Catalog catalog;
  private final Set<Command> allowed;

  /** Of a command that is not allowed, with which first arguments it is, in lower case. */
  private final Map<Command, Set<String>> firstArguments;

  /** Whether all were allowed last, those too that later releases have. */
  private boolean beginsWithAll;

  /** Whether none was taken away since. */
  private boolean areAll;

  CommandRights(Catalog catalog) {
    this.catalog = catalog;
    this.allowed = new HashSet<>();
    this.firstArguments = new HashMap<>();
  }

  private CommandRights(CommandRights other) {
    this.catalog = other.catalog;
    this.allowed = new HashSet<>(other.allowed);
    this.firstArguments = new HashMap<>();
    other.firstArguments.forEach(
        (command, its) -> firstArguments.put(command, new LinkedHashSet<>(its)));
    this.beginsWithAll = other.beginsWithAll;
    this.areAll = other.areAll;
  }

  CommandRights copy() {
    return new CommandRights(this);
  }

  /** Whether every command may run. */
  boolean areAll() {
    return areAll;
  }

  boolean allows(Command command, Args request) {
    if (areAll || command.is(CommandFlag.NO_AUTH) || allowed.contains(command)) {
      return true;
    }
    Set<String> first = firstArguments.get(command);
    int part = command.container() == null ? 1 : 2;
    return first != null
        && request.count() > part
        && first.contains(ByteText.of(request.get(part)).toLowerCase(Locale.ROOT));
  }

  // Changes --------------------------------------------------------------------------------------

  void allowAll() {
    allowed.addAll(catalog.all());
    firstArguments.clear();
    beginsWithAll = true;
    areAll = true;
  }

  void allowNone() {
    allowed.clear();
    firstArguments.clear();
    beginsWithAll = false;
    areAll = false;
  }

  /** Allows a command with its subcommands, or no longer. */
  void change(Command command, boolean isAllowed) {
    changeOne(command, isAllowed);
    CommandTable subcommands = command.subcommands();
    if (subcommands != null) {
      subcommands.all().forEach(each -> changeOne(each, isAllowed));
    }
  }

  private void changeOne(Command command, boolean isAllowed) {
    firstArguments.remove(command);
    if (isAllowed) {
      allowed.add(command);
    } else {
      allowed.remove(command);
      areAll = false;
    }
  }

  /** Allows a command that is not allowed, if its first argument is this one. */
  void allowFirstArgument(Command command, String argument) {
    firstArguments
        .computeIfAbsent(command, its -> new LinkedHashSet<>())
        .add(argument.toLowerCase(Locale.ROOT));
  }

  /** False if there is no such category. */
  boolean changeCategory(String category, boolean isAllowed) {
    List<Command> its = catalog.inCategory(category);
    if (its == null) {
      return false;
    }
    its.forEach(each -> change(each, isAllowed));
    return true;
  }

  // As text --------------------------------------------------------------------------------------

  /**
   * Modifiers that make the same of nothing: Redis's, which takes the categories that fit best one
   * after the other, and then each command that is left.
   */
  String describe() {
    CommandRights made = new CommandRights(catalog);
    CommandRights left = copy();
    StringBuilder text = new StringBuilder(beginsWithAll ? "+@all" : "-@all");
    if (beginsWithAll) {
      made.allowAll();
    }
    String best = left.bestCategory(!beginsWithAll);
    while (best != null) {
      text.append(beginsWithAll ? " -@" : " +@").append(best);
      made.changeCategory(best, !beginsWithAll);
      left.changeCategory(best, beginsWithAll);
      best = left.bestCategory(!beginsWithAll);
    }
    for (Command command : catalog.all()) {
      boolean isAllowed = allowed.contains(command);
      if (isAllowed != made.allowed.contains(command)) {
        text.append(isAllowed ? " +" : " -").append(command.fullName());
        made.change(command, isAllowed);
      }
      if (!isAllowed) {
        forEachFirstArgument(
            command,
            argument -> text.append(" +").append(command.fullName()).append('|').append(argument));
      }
    }
    return text.toString();
  }

  private void forEachFirstArgument(Command command, Consumer<String> each) {
    Set<String> its = firstArguments.get(command);
    if (its != null) {
      its.forEach(each);
    }
  }

  /** The category of which most commands, and more than not, are allowed, or are not; or null. */
  private @Nullable String bestCategory(boolean isAllowed) {
    String best = null;
    int fewestOthers = Integer.MAX_VALUE;
    int mostSame = 0;
    for (String category : Catalog.CATEGORIES) {
      List<Command> its = catalog.inCategory(category);
      if (its == null) {
        continue;
      }
      int same = (int) its.stream().filter(each -> allowed.contains(each) == isAllowed).count();
      int others = its.size() - same;
      boolean isBetter = others < fewestOthers || (others == fewestOthers && same > mostSame);
      if (same > others && isBetter) {
        best = category;
        fewestOthers = others;
        mostSame = same;
      }
    }
    return best;
  }
}
