package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who sends a long pipeline is not the only one who is served. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FairTurnsTest {
  private static final int REQUESTS = 600;

  /** In so many pieces they come from the socket, and others have their turn in between anyway. */
  private static final int READS_MAX = 5;

  private static final String SLOW_INCR =
      "EVAL \"for i=1,20000 do end return redis.call('incr','n')\" 0|";

  @Test
  void othersAreServedInTheMidstOfALongPipeline() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient other = fixture.client();
      RawClient busy = fixture.client().send(SLOW_INCR.repeat(REQUESTS));
      Set<String> seen = new HashSet<>();
      String last = "$" + Integer.toString(REQUESTS).length() + "|" + REQUESTS + "|";
      while (!seen.contains(last)) {
        seen.add(other.ask("GET n"));
      }
      assertTrue(seen.size() > READS_MAX, "others have had their turn " + seen.size() + " times");
      busy.replies(REQUESTS);
    }
  }
}
