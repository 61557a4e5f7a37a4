package dev.varve.server.net;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Waits until the loops of a server have read what clients have sent. */
final class LoopsRead {
  /** One that came with what was sent before may have been read first. */
  private static final int ROUNDS = 2;

  private static final int SECONDS_MAX = 20;

  private LoopsRead() {}

  /**
   * Returns when all but the keyspace loop have read what was sent before, which may hold its
   * replies back. Opens two clients of each loop.
   */
  static void await(ServerFixture fixture, int loops) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      List<RawClient> asked = new ArrayList<>();
      for (int loop = 0; loop < loops; loop++) {
        asked.add(fixture.client().send("PING|"));
      }
      Await.until(() -> answered(asked) >= loops - 1, SECONDS_MAX, () -> "loops do not answer");
    }
  }

  private static int answered(List<RawClient> asked) throws IOException {
    int answered = 0;
    for (RawClient each : asked) {
      answered += each.hasReply() ? 1 : 0;
    }
    return answered;
  }
}
