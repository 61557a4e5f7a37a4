package dev.varve.server.command;

import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands by name, in any case, found from the bytes of a request without making a string.
 *
 * <p>Filled by one thread at start; any thread looks up afterwards.
 */
public final class CommandTable {
  /* Open addressing, at most half full. Beside each command lies the first word of its name. */

  private static final int FIRST_SLOTS = 64;

  private final List<Command> commands = new ArrayList<>();
  private @Nullable Command[] slots = new @Nullable Command[FIRST_SLOTS];
  private long[] words = new long[FIRST_SLOTS];

  /** Adds the commands of one group. */
  public void add(CommandGroup group, Command... these) {
    for (Command command : these) {
      add(command.group(group));
    }
  }

  void add(Command command) {
    if (find(command.nameBytes()) != null) {
      throw new IllegalStateException("two commands named " + command.fullName());
    }
    if (!command.hasFunction() && command.subcommands() == null) {
      throw new IllegalStateException("command " + command.fullName() + " does nothing");
    }
    commands.add(command);
    if (2 * commands.size() > slots.length) {
      slots = new @Nullable Command[2 * slots.length];
      words = new long[slots.length];
      for (Command each : commands) {
        place(each);
      }
    } else {
      place(command);
    }
  }

  private void place(Command command) {
    byte[] name = command.nameBytes();
    long word = NameWords.first(name);
    int at = slot(word, name.length);
    while (slots[at] != null) {
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = command;
    words[at] = word;
  }

  /** The command of this name in any case, or null. */
  public @Nullable Command find(byte[] name) {
    long word = NameWords.first(name);
    int at = slot(word, name.length);
    Command command = slots[at];
    while (command != null) {
      if (words[at] == word && NameWords.areRestsEqual(name, command.nameBytes())) {
        return command;
      }
      at = (at + 1) & (slots.length - 1);
      command = slots[at];
    }
    return null;
  }

  /** The command of a name as {@code get} or {@code config|get}, in any case, or null. */
  public @Nullable Command findFullName(byte[] fullName) {
    for (int i = 0; i < fullName.length; i++) {
      if (fullName[i] == '|') {
        Command container = find(Arrays.copyOf(fullName, i));
        CommandTable subcommands = container == null ? null : container.subcommands();
        return subcommands == null
            ? null
            : subcommands.find(Arrays.copyOfRange(fullName, i + 1, fullName.length));
      }
    }
    return find(fullName);
  }

  /**
   * The command whose words begin with that of index {@code first}, a subcommand where it is one;
   * null where there is none.
   */
  public @Nullable Command find(Args args, int first) {
    Command command = find(args.get(first));
    CommandTable subcommands = command == null ? null : command.subcommands();
    return subcommands == null || args.count() == first + 1
        ? command
        : subcommands.find(args.get(first + 1));
  }

  private int slot(long word, int length) {
    return NameWords.hash(word, length) & (slots.length - 1);
  }

  /** All commands, in the order in which they were added. */
  public List<Command> all() {
    return Collections.unmodifiableList(commands);
  }

  public int size() {
    return commands.size();
  }
}
