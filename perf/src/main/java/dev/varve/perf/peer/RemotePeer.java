package dev.varve.perf.peer;

import dev.varve.perf.server.ProcessFigures;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/**
 * A server that somebody else has started, known by its address.
 *
 * <p>Nothing in it is cleaned up: give it a data set of its own.
 */
record RemotePeer(String host, int port) implements Peer {
  private static final int PORT_MAX = 65_535;

  /** From {@code host:port}; throws a {@link TypeConversionException} if it is none. */
  static RemotePeer parse(String address) {
    int colon = address.lastIndexOf(':');
    try {
      int port = Integer.parseInt(address.substring(colon + 1));
      if (colon > 0 && port >= 1 && port <= PORT_MAX) {
        return new RemotePeer(address.substring(0, colon), port);
      }
    } catch (NumberFormatException noPort) {
      // Is told as whatever else is no address.
    }
    throw new TypeConversionException("not \"redis\" and not host:port: " + address);
  }

  @Override
  public String name() {
    return host + ':' + port;
  }

  @Override
  public ProcessFigures process() {
    return ProcessFigures.UNKNOWN;
  }

  @Override
  public long diskBytes() {
    return -1;
  }

  @Override
  public Map<String, Long> memoryParts() {
    return Map.of();
  }

  @Override
  public void close() {
    // It is not ours to stop.
  }
}
