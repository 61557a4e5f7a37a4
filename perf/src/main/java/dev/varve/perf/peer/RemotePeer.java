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

  /** From {@code host:port}. */
  static RemotePeer parse(String address) {
    int colon = address.lastIndexOf(':');
    try {
      return new RemotePeer(
          address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    } catch (IndexOutOfBoundsException | NumberFormatException wrong) {
      throw new TypeConversionException("not \"redis\" and not host:port: " + address);
    }
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
