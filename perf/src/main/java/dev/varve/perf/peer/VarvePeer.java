package dev.varve.perf.peer;

import dev.varve.perf.server.ProcessFigures;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerFigures;
import dev.varve.perf.server.ServerUnderTest;
import java.io.IOException;
import java.util.Map;

/** Varve, started from its jar. */
final class VarvePeer implements Peer {
  private final ServerUnderTest server;

  VarvePeer(ServerUnderTest server) {
    this.server = server;
  }

  @Override
  public String name() {
    return "varve";
  }

  @Override
  public String host() {
    return "127.0.0.1";
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public ProcessFigures process() throws IOException {
    return ProcessFigures.of(server.pid());
  }

  @Override
  public long diskBytes() throws IOException {
    return server.diskBytes();
  }

  @Override
  public Map<String, Long> memoryParts() throws IOException {
    try (RespConnection control = server.connect()) {
      return ServerFigures.ask(control).memoryParts();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
