package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the system will probe a client that is quiet, as Linux shows it in /proc/net/tcp. */
@Timeout(60)
class KeepAliveTest {
  private static final List<Path> SOCKETS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  /** Of a socket with a timer for probes: the time that is left, in hundredths of a second. */
  private static final String PROBED_IN = "02:([0-9A-F]+)";

  private static final String NEVER_PROBED = "00:00000000";
  private static final double LATE_SECONDS_MAX = 20;

  @ParameterizedTest
  @ValueSource(strings = {"nio", "io_uring"})
  void aQuietClientIsProbedAfterTheTimeThatIsSet(String transport) throws IOException {
    for (Path each : SOCKETS) {
      Assumptions.assumeTrue(Files.isReadable(each), () -> "no " + each + " here");
    }
    try (ServerFixture fixture = new ServerFixture("io-transport", transport)) {
      assertProbedIn(300, fixture);
      assertEquals("+OK|", fixture.client().ask("CONFIG SET tcp-keepalive 60"));
      assertProbedIn(60, fixture);
      // More than Linux takes.
      assertEquals("+OK|", fixture.client().ask("CONFIG SET tcp-keepalive 100000"));
      assertProbedIn(32_767, fixture);
      assertEquals("+OK|", fixture.client().ask("CONFIG SET tcp-keepalive 0"));
      assertEquals(NEVER_PROBED, timer(fixture));
    }
  }

  private static void assertProbedIn(int seconds, ServerFixture fixture) throws IOException {
    String timer = timer(fixture);
    Matcher probed = Pattern.compile(PROBED_IN).matcher(timer);
    assertTrue(probed.matches(), timer);
    double left = Long.parseLong(probed.group(1), 16) / 100.0;
    assertTrue(left <= seconds && left > seconds - LATE_SECONDS_MAX, () -> left + " s");
  }

  /** The timer of the server's socket to a new client. */
  private static String timer(ServerFixture fixture) throws IOException {
    try (RawClient client = fixture.client()) {
      assertEquals("+PONG|", client.ask("PING"));
      String ports =
          String.format(
              Locale.ROOT, ".*:%04X [0-9A-F]+:%04X 01 .*", client.serverPort(), client.localPort());
      List<String> found = new ArrayList<>();
      for (Path each : SOCKETS) {
        Files.readAllLines(each).stream().filter(line -> line.matches(ports)).forEach(found::add);
      }
      assertEquals(1, found.size(), found::toString);
      // sl, local and remote address, state, queues, timer
      return found.get(0).trim().split("\\s+")[5];
    }
  }
}
