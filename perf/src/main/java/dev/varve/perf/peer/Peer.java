package dev.varve.perf.peer;

import dev.varve.perf.server.ProcessFigures;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** A server under test. Used by one thread. */
interface Peer extends Closeable {

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
