package dev.varve.server.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands by name, in any case, found from the bytes of a request without making a string.
 *
 * <p>Filled by one thread at start; any thread looks up afterwards.
 */
public final class CommandTable {
  /* Open addressing, at most half full; the hash folds upper case into lower by setting bit 5. */

  private static final int FIRST_SLOTS = 64;

  private final List<Command> commands = new ArrayList<>();
  private @Nullable Command[] slots = new @Nullable Command[FIRST_SLOTS];

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
      for (Command each : commands) {
        place(each);
      }
    } else {
      place(command);
    }
  }

  private void place(Command command) {
    int at = hash(command.nameBytes()) & (slots.length - 1);
    while (slots[at] != null) {
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = command;
  }

  /** The command of this name in any case, or null. */
  public @Nullable Command find(byte[] name) {
    int at = hash(name) & (slots.length - 1);
    Command command = slots[at];
    while (command != null) {
      if (equalInAnyCase(name, command.nameBytes())) {
        return command;
      }
      at = (at + 1) & (slots.length - 1);
      command = slots[at];
    }
    return null;
  }

  /** All commands, in the order in which they were added. */
  public List<Command> all() {
    return Collections.unmodifiableList(commands);
  }

  public int size() {
    return commands.size();
  }

  private static int hash(byte[] name) {
    int hash = name.length;
    for (byte letter : name) {
      hash = 31 * hash + (letter | 0x20);
    }
    return hash ^ (hash >>> 15);
  }

  private static boolean equalInAnyCase(byte[] name, byte[] lowerCase) {
    if (name.length != lowerCase.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      int letter = name[i];
      if (letter >= 'A' && letter <= 'Z') {
        letter |= 0x20;
      }
      if (letter != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }
}
