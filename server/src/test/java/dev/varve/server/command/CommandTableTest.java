package dev.varve.server.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommandTableTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  /** Of each length from 1 to 20, around the words of eight and the halves of four. */
  private static final String LONGEST = "georadiusbymember_ro";

  private final CommandTable table = new CommandTable();
  private final List<Command> commands = new ArrayList<>();

  private Command added(String name) {
    Command command = Command.named(name).does((context, args) -> {});
    table.add(command);
    commands.add(command);
    return command;
  }

  private @Nullable Command find(String name) {
    return table.find(name.getBytes(ISO_8859_1));
  }

  @Test
  void eachLengthIsFoundInAnyCase() {
    System.out.println("CommandTableTest seed " + SEED);
    Random random = new Random(SEED);
    for (int length = 1; length <= LONGEST.length(); length++) {
      added(LONGEST.substring(0, length));
    }
    for (Command command : commands) {
      String name = new String(command.nameBytes(), ISO_8859_1);
      assertSame(command, find(name));
      assertSame(command, find(name.toUpperCase(Locale.ROOT)));
      for (int i = 0; i < 50; i++) {
        StringBuilder mixed = new StringBuilder(name);
        int at = random.nextInt(name.length());
        mixed.setCharAt(at, Character.toUpperCase(name.charAt(at)));
        assertSame(command, find(mixed.toString()));
      }
    }
  }

  @Test
  void aNameWithAnyOtherByteIsNotFound() {
    for (int length = 1; length <= LONGEST.length(); length++) {
      added(LONGEST.substring(0, length));
    }
    // The case bit makes '_' another byte too.
    added("sort_ro");
    for (Command command : commands) {
      String name = new String(command.nameBytes(), ISO_8859_1);
      for (int at = 0; at < name.length(); at++) {
        for (char other = 0; other < 256; other++) {
          // Beside letters lie bytes that the case bit makes equal: '[' and '{', '@' and '`'.
          boolean isSame = Character.toLowerCase(other) == name.charAt(at) && other < 128;
          StringBuilder changed = new StringBuilder(name);
          changed.setCharAt(at, other);
          if (!isSame) {
            assertNull(find(changed.toString()), name + " with " + (int) other + " at " + at);
          }
        }
      }
    }
    assertNull(find(""));
    assertNull(find(LONGEST + "x"));
    assertNull(find("g\0"));
    assertNull(find("get\0"));
  }

  @Test
  void aNameThatIsThereCannotBeAddedAgain() {
    added("get");
    assertThrows(IllegalStateException.class, () -> added("get"));
    assertEquals(1, table.size());
  }

  @Test
  void asManyAsThereAreAllKeepTheirNames() {
    for (int i = 0; i < 1_000; i++) {
      added("command" + i);
    }
    for (Command command : commands) {
      assertSame(command, find("COMMAND" + command.fullName().substring("command".length())));
    }
    assertEquals(commands, table.all());
  }
}
