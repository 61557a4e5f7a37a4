package dev.varve.perf.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.perf.server.ProcessFigures;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RestTest {

  /** Works for some looks, and then no more. */
  private static final class Working implements Peer {
    private final int looksWorking;
    private final double cpuSecondsALook;
    private int looks;

    Working(int looksWorking, double cpuSecondsALook) {
      this.looksWorking = looksWorking;
      this.cpuSecondsALook = cpuSecondsALook;
    }

    @Override
    public ProcessFigures process() {
      return new ProcessFigures(Math.min(looks++, looksWorking) * cpuSecondsALook, 0);
    }

    @Override
    public String name() {
      return "working";
    }

    @Override
    public String host() {
      return "nowhere";
    }

    @Override
    public int port() {
      return 0;
    }

    @Override
    public long diskBytes() {
      return 0;
    }

    @Override
    public Map<String, Long> memoryParts() {
      return Map.of();
    }

    @Override
    public void close() {}
  }

  @Test
  void whatIsStillAtWorkIsWaitedFor() throws IOException {
    Working peer = new Working(4, 0.1);
    Rest.await(peer);
    assertEquals(1 + 4 + 1, peer.looks);
  }

  @Test
  void whoDoesNextToNothingIsNotWaitedFor() throws IOException {
    Working peer = new Working(1000, 0.01);
    Rest.await(peer);
    assertEquals(2, peer.looks);
  }

  @Test
  void whoseWorkNobodyTellsIsNotWaitedFor() throws IOException {
    Working peer = new Working(1000, Double.NaN);
    Rest.await(peer);
    assertEquals(1, peer.looks);
  }
}
