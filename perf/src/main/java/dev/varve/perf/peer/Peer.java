package dev.varve.perf.peer;

import dev.varve.perf.server.ProcessFigures;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** A server under test. Used by one thread. */
interface Peer extends Closeable {

  /** The name of a redis-server that is started for a comparison. */
  String REDIS = "redis";

  /**
   * A server to compare with.
   *
   * @param named {@link #REDIS} starts one, {@code host:port} is one that runs
   * @param parent where the directory of one that is started is made
   * @param appendfsync of one that is started, as its parameter of that name
   * @throws IOException if one cannot be started
   */
  static Peer named(String named, Path parent, String appendfsync) throws IOException {
    return named.equals(REDIS) ? RedisPeer.start(parent, appendfsync) : RemotePeer.parse(named);
  }

  /** As the tables call it: short, without spaces. */
  String name();

  String host();

  int port();

  /** CPU time and resident memory so far; {@link ProcessFigures#UNKNOWN} if it runs elsewhere. */
  ProcessFigures process() throws IOException;

  /** Bytes of all its files; -1 if it runs elsewhere. */
  long diskBytes() throws IOException;

  /** Bytes by part of its memory, as far as it tells. */
  Map<String, Long> memoryParts() throws IOException;
}
