package dev.varve.server.net;

import dev.varve.server.Await;
import java.io.IOException;

/** Clients that wait for keys, and who sees that they do. */
final class WaitingClients {

  private WaitingClients() {}

  /** A server that tells of writes when they are synced. */
  static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  /** Waits until so many clients wait. */
  static void awaitBlocked(RawClient client, int count) throws IOException {
    Await.until(
        () -> client.ask("INFO clients").contains("blocked_clients:" + count + "|"),
        20,
        () -> "never " + count + " blocked clients");
  }

  /** A client that waits for {@code request}, after those that waited before. */
  static RawClient blocked(ServerFixture fixture, RawClient control, int before, String request)
      throws IOException {
    RawClient client = fixture.client().send(request + "|");
    awaitBlocked(control, before + 1);
    return client;
  }
}
