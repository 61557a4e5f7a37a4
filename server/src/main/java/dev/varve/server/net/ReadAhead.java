package dev.varve.server.net;

import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * While one request of a connection waits for the disk, the data of those behind it is read too.
 *
 * <p>For whoever has the connection's turn.
 */
final class ReadAhead {

  /** So many requests behind the one that waits. */
  private static final int REQUESTS_MAX = 7;

  private final Workers workers;

  /** How many of the requests behind the first have been read for. */
  private int done;

  ReadAhead(Workers workers) {
    this.workers = workers;
  }

  /** The first of {@code requests}, which are to run in {@code database}, waits for the disk. */
  void waiting(int database, Collection<Object> requests) {
    if (done > 0 || requests.size() == 1) {
      return;
    }
    List<Args> behind = new ArrayList<>();
    for (Object each : requests) {
      if (behind.size() > REQUESTS_MAX) {
        break;
      }
      if (each instanceof Args args) {
        behind.add(args);
      }
    }
    done = behind.size() - 1;
    workers.warm(database, behind.subList(1, behind.size()));
  }

  /** The first request has run. */
  void next() {
    done = Math.max(0, done - 1);
  }
}
