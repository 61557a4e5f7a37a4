package dev.varve.server.surface;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.List;

/**
 * A client that asks one thing after the other of a server whose disk may fail, and begins anew
 * where it does not know what came of it.
 *
 * <p>Single-threaded.
 */
final class AskingClient implements AutoCloseable {
  private static final int REST_MILLIS = 5;
  private static final String NONE = "none";

  private final int port;
  private WireClient client;
  private int doubts;

  AskingClient(int port) throws IOException {
    this.port = port;
    this.client = new WireClient("varve", port);
  }

  /** A request is not carried out, or nobody knows whether it is. */
  static final class DoubtException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean mayBeDone;

    DoubtException(List<String> request, String reply) {
      super(request + ": " + reply);
      this.mayBeDone = reply.equals(NONE);
    }

    /** What is refused, or cannot be read for, is not done. */
    boolean mayBeDone() {
      return mayBeDone;
    }
  }

  /**
   * @return the reply; of errors only that of who is unblocked
   * @throws DoubtException when it is refused, cannot be read for, or is not answered; the
   *     connection is another one then
   */
  String ask(List<String> request) throws IOException, InterruptedException {
    String reply;
    try {
      reply = Copies.ask(client, request);
    } catch (EOFException | SocketException closed) {
      reply = NONE;
    }
    if (reply.equals(NONE) || FailingDisk.isMeant(reply)) {
      doubts++;
      client.close();
      Thread.sleep(REST_MILLIS);
      client = new WireClient("varve", port);
      throw new DoubtException(request, reply);
    }
    if (reply.startsWith("-") && !reply.startsWith("-UNBLOCKED")) {
      throw new AssertionError(request + ": " + reply);
    }
    return reply;
  }

  /** Of how many requests it does not know what came of them. */
  int doubts() {
    return doubts;
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
