package dev.varve.server.command.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTester;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeySpecsTest {

  /** Or a user who may only read would change what such a command names. */
  @Test
  void whatBecomesOfTheKeysOfEachCommandIsKnown() {
    List<String> unknown =
        new Catalog(new CommandTester().table)
            .all().stream()
                .filter(command -> command.firstKey() != 0 || command.keyFinder() != null)
                .filter(command -> !KeySpecs.has(command))
                .map(Command::fullName)
                .toList();
    assertEquals(List.of(), unknown);
  }
}
