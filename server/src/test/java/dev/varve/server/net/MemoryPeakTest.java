package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MemoryPeakTest {
  @Test
  void thePeakIsWhatWasInUseAtMostAndNeverFalls() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      long most = 0;
      long peakBefore = 0;
      for (int i = 0; i < 5; i++) {
        client.ask("SETRANGE key " + (i << 20) + " x");
        String info = client.ask("INFO memory");
        most = Math.max(most, field(info, "used_memory"));
        long peak = field(info, "used_memory_peak");
        assertTrue(peak >= most, () -> "less than was in use: " + info);
        assertTrue(peak >= peakBefore, () -> "it fell: " + info);
        peakBefore = peak;
        System.gc();
      }
    }
  }

  private static long field(String info, String name) {
    Matcher found = Pattern.compile("\\|" + name + ":(\\d+)\\|").matcher(info);
    assertTrue(found.find(), () -> name + " is not in " + info);
    return Long.parseLong(found.group(1));
  }
}
