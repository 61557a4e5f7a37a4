package dev.varve.server.net;

import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * While one request of a connection waits for the disk, the data of those behind it is read too.
 *
 * <p>For whoever has the connection's turn.
 */
final class ReadAhead {

  /** So many requests behind the one that waits. */
  private static final int REQUESTS_MAX = 7;

  /** How many of the requests behind the first have been read for. */
  private int done;

  /** What to read for beside the first of {@code requests}, which is about to wait for the disk. */
  List<Args> behind(Collection<Object> requests) {
    if (done > 0 || requests.size() == 1) {
      return List.of();
    }
    List<Args> behind = new ArrayList<>(REQUESTS_MAX);
    Iterator<Object> each = requests.iterator();
    each.next();
    while (each.hasNext() && behind.size() < REQUESTS_MAX) {
      if (each.next() instanceof Args args) {
        behind.add(args);
      }
    }
    done = behind.size();
    return behind;
  }

  /** The first request has run. */
  void next() {
    done = Math.max(0, done - 1);
  }
}
