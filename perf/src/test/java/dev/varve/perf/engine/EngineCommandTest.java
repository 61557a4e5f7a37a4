package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class EngineCommandTest {

  @Test
  void howManyKeysAreGivenCountsEvenForAQuickRun() {
    assertEquals(20_000, EngineCommand.keyCount(20_000L, true));
    assertEquals(20_000, EngineCommand.keyCount(20_000L, false));
    assertEquals(200_000, EngineCommand.keyCount(null, true));
    assertEquals(500_000, EngineCommand.keyCount(null, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--n=1",
        "--rounds=0",
        "--against=nobody",
        "--workloads=none",
        "--json=no/such/rows.json",
        "--chart=no/such/page.html"
      })
  void whatIsWrongOnTheCommandLineIsToldWithTheUsage(String option) {
    StringWriter errors = new StringWriter();
    CommandLine command = new CommandLine(new EngineCommand()).setErr(new PrintWriter(errors));
    assertEquals(CommandLine.ExitCode.USAGE, command.execute("--quick", option));
    assertTrue(errors.toString().contains("Usage: engine"), errors.toString());
  }
}
