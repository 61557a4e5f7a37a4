package dev.varve.server.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.TreeTester.Sizes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What random runs have found, as small as it could be made. */
class ModelFindingsTest {
  private static final long NOW_MILLIS = 1_700_000_000_000L;

  private static Server server(Sizes sizes) throws IOException {
    return new Server(sizes, PackedLimits.DEFAULT, NOW_MILLIS);
  }

  /** Writers were held back for the room that only a writer made. */
  @Test
  void writesGoOnAfterOneThatIsLargerThanSeveralMemtables() throws IOException {
    Server server = server(new Sizes(8192, 256, 4096, 65536));
    assertEquals(Wire.OK, server.look("SET", "key", "x".repeat(100_000)));
    assertEquals(Wire.OK, server.look("SET", "key", "y"));
    assertEquals(Wire.bulk("y"), server.look("GET", "key"));
    server.tester().close();
  }

  /**
   * A filter named blocks that were not in memory for members of a set that was only just begun;
   * others for each run, since each run had another version.
   */
  @Test
  void aLargeCommandEndsAlthoughNothingIsInMemory() throws IOException {
    Server server = server(new Sizes(8192, 64, 4096, 0));
    for (int begun = 0; begun < 40; begun++) {
      List<String> request = new ArrayList<>(List.of("SADD", "set" + begun % 2));
      for (int i = 0; i < 400; i++) {
        request.add("member" + i);
      }
      server.look("DEL", "set" + begun % 2);
      assertEquals(Wire.integer(400), server.look(request.toArray(String[]::new)));
      server.tester().flush();
    }
    server.tester().close();
  }
}
