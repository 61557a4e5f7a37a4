package dev.varve.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What would measure nothing, or never end, is refused before a server is started. */
@Timeout(60)
class OptionsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server --workloads=sett",
        "server --against=nonsense",
        "server --against=127.0.0.1:0",
        "server --against=redis,redis",
        "server --pipelines=0",
        "server --pipelines=1,-1",
        "server --clients=0",
        "server --threads=0",
        "server --keys=0",
        "server --rounds=0",
        "server --warm-up=-1",
        "server --seconds=0",
        "server --value-bytes=0",
        "server --json=no/such/directory/rows.json",
        "server --markdown=no/such/directory/page.md",
        "sustained --minutes=0",
        "sustained --share=0",
        "sustained --against=nonsense",
        "beside --against=nonsense",
        "beside --members=0",
        "beside --per-second=0",
        "beside --seconds=0",
        "cold --rounds=0",
        "cold --pipelines=0",
        "idle --connections=0",
        "churn --operations=0",
        "churn --pipeline=0",
        "expire --keys=0",
        "expire --load=0",
        "reclaim --fields=10,0",
        "reclaim --load=0",
      })
  void whatMakesNoRunIsToldWithTheUsage(String line) {
    StringWriter errors = new StringWriter();
    CommandLine command = Harness.commandLine().setErr(new PrintWriter(errors));
    // No server is there either: whoever got so far would say that.
    assertEquals(
        CommandLine.ExitCode.USAGE,
        command.execute((line + " --jar=no-such.jar").split(" ", -1)),
        errors::toString);
    String name = line.substring(line.indexOf("--"), line.indexOf('='));
    String said = errors.toString();
    assertTrue(said.contains("Usage: varve-perf " + line.substring(0, line.indexOf(' '))), said);
    if (!line.contains("sett")) {
      assertTrue(said.lines().findFirst().orElse("").contains(name), said);
    }
  }
}
