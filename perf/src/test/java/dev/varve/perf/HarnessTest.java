package dev.varve.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HarnessTest {
  @CommandLine.Command
  private static final class Failing implements Callable<Integer> {
    private final Exception failure;

    Failing(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }

  private final StringWriter err = new StringWriter();

  private int run(Exception failure) {
    return Harness.commandLine()
        .addSubcommand("failing", new Failing(failure))
        .setErr(new PrintWriter(err))
        .execute("failing");
  }

  @Test
  void theVersionIsThatOfTheJarAndNoneOfItsOwn() {
    // Tests run without the jar.
    assertArrayEquals(
        new String[] {"varve-perf (unpackaged)"},
        new CommandLine(new Harness()).getCommandSpec().version());
  }

  @Test
  void whatARunHasToSayIsOneLine() {
    assertEquals(1, run(new IOException("loading took too long")));
    assertEquals("varve-perf: loading took too long" + System.lineSeparator(), err.toString());
  }

  @Test
  void aFaultOfItsOwnIsToldWithWhereItWas() {
    assertEquals(1, run(new IllegalStateException("a fault")));
    assertTrue(err.toString().contains("at dev.varve.perf.HarnessTest"), err::toString);
  }
}
