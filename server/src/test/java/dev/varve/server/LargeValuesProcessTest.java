package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing of large requests stays on the heap of a server that has no more to do for them. */
@Timeout(300)
class LargeValuesProcessTest {
  private static final int VALUE_BYTES = 16 << 20;

  /** What else may be on the heap by now that was not when the server had started. */
  private static final long MORE_BYTES_MAX = VALUE_BYTES / 2;

  private static final long SECONDS_MAX = 60;

  private final ServerProcess server;

  LargeValuesProcessTest(@TempDir Path directory) throws IOException, InterruptedException {
    server = ServerProcess.start(directory);
  }

  @AfterEach
  void stopServer() throws InterruptedException {
    try (server) {
      assertEquals(0, server.stop().exit());
    }
  }

  @Test
  void whatACommandWroteIsLetGoOf() throws IOException {
    long before = arrayBytes();
    try (RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("*3|$3|SET|$3|key" + value()));
      assertLittleMoreThan(before);
    }
  }

  @Test
  void theArgumentsOfAScriptAreLetGoOf() throws IOException {
    long before = arrayBytes();
    try (RawClient client = server.client()) {
      String request = "*4|$4|EVAL|$15|return #ARGV[1]|$1|0" + value();
      assertEquals(":" + VALUE_BYTES + "|", client.ask(request));
      assertLittleMoreThan(before);
    }
  }

  @Test
  void manyWritesOfOneScriptAreLetGoOf() throws IOException {
    long before = arrayBytes();
    try (RawClient client = server.client()) {
      String script = "\"for i=1,300000 do redis.call('set','written'..i,i) end return 1\"";
      assertEquals(":1|", client.ask("EVAL " + script + " 0"));
      assertLittleMoreThan(before);
    }
  }

  /** The last argument of a request but for its line end. */
  private static String value() {
    return "|$" + VALUE_BYTES + "|" + "x".repeat(VALUE_BYTES);
  }

  private void assertLittleMoreThan(long before) throws IOException {
    Await.until(
        () -> arrayBytes() - before < MORE_BYTES_MAX,
        SECONDS_MAX,
        () -> "once " + before + " bytes, now:\n" + histogram());
  }

  private long arrayBytes() {
    return arrayBytes("[B") + arrayBytes("[J");
  }

  /** What arrays of a type take that are alive. */
  private long arrayBytes(String type) {
    String line =
        histogram()
            .lines()
            .filter(each -> each.contains(' ' + type + ' '))
            .findFirst()
            .orElse("1: 0 0 " + type);
    return Long.parseLong(line.strip().split(" +", -1)[2]);
  }

  /** Collects garbage, and says what is left. */
  private String histogram() {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    ProcessBuilder command =
        new ProcessBuilder(jcmd, Long.toString(server.pid()), "GC.class_histogram");
    try {
      Process process = command.redirectErrorStream(true).start();
      try {
        ProcessOutput output = new ProcessOutput(process.getInputStream());
        process.getOutputStream().close();
        String said = output.whole(SECONDS_MAX);
        assertTrue(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS), said);
        assertEquals(0, process.exitValue(), said);
        return said;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }
}
