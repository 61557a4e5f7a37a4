package dev.varve.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HarnessTest {
  @Test
  void theVersionIsThatOfTheJarAndNoneOfItsOwn() {
    // Tests run without the jar.
    assertArrayEquals(
        new String[] {"varve-perf (unpackaged)"},
        new CommandLine(new Harness()).getCommandSpec().version());
  }
}
