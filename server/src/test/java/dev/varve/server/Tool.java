package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * One of Redis's own command-line tools, run against a server. Where it is not installed the test
 * is skipped and says so.
 *
 * <p>Single-threaded.
 */
final class Tool {
  private static final long SECONDS_MAX = 100;

  private final String name;
  private final List<String> options;

  /** The tool, for a server on {@code port} of this machine. */
  static Tool forPort(String name, int port) {
    return new Tool(name, List.of("-h", "127.0.0.1", "-p", Integer.toString(port)));
  }

  /** The tool, with these options. */
  static Tool with(String name, String... options) {
    return new Tool(name, List.of(options));
  }

  private Tool(String name, List<String> options) {
    this.name = name;
    this.options = options;
  }

  /** Aborts the test where the tool is missing. */
  static void assumeInstalled(String name) throws InterruptedException {
    boolean isInstalled;
    try {
      isInstalled = new ProcessBuilder(name, "--version").start().waitFor() == 0;
    } catch (IOException missing) {
      isInstalled = false;
    }
    String why = "skipped: " + name + " is not installed (Debian has it in redis-tools)";
    if (!isInstalled) {
      System.out.println(why);
    }
    Assumptions.assumeTrue(isInstalled, why);
  }

  /** Runs it and returns all that it says. */
  String run(String... arguments) throws IOException, InterruptedException {
    return runWith("", arguments);
  }

  /** Runs it with {@code input} at its standard input. */
  String runWith(String input, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(name));
    command.addAll(options);
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      ProcessOutput output = new ProcessOutput(process.getInputStream());
      process.getOutputStream().write(input.getBytes(StandardCharsets.ISO_8859_1));
      process.getOutputStream().close();
      String said = output.whole(SECONDS_MAX);
      assertTrue(process.waitFor(1, TimeUnit.SECONDS), () -> command + " does not end: " + said);
      assertEquals(0, process.exitValue(), () -> command + ": " + said);
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
