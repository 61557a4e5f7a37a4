package dev.varve.server.net.connection;

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
final class PipelineReadAhead {

  /** So many requests behind the one that waits. */
  private static final int REQUESTS_MAX = 7;

  /**
   * So often the loop brings what a request lacks: a look-up needs few blocks. What needs more is
   * for a worker, which reads all in one go.
   */
  private static final int LOADS_MAX = 3;

  /** How many of the requests behind the first have been read for. */
  private int done;

  /** For how many of the next requests blocks have been brought, the first one included. */
  private int brought;

  /** How often the first request has lacked a block. */
  private int loads;

  /** What to read for beside the first of {@code requests}, which is about to wait for the disk. */
  List<Args> behind(Collection<Object> requests) {
    brought = Math.max(1, brought);
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
    brought = 1 + done;
    return behind;
  }

  /** Whether the loop is to bring what the first request lacks, or a worker to run it. */
  boolean mayLoad() {
    return loads++ < LOADS_MAX;
  }

  /** Whether what the first request reads has just come from the disk, as far as it is known. */
  boolean isBrought() {
    return brought > 0;
  }

  /** The first request has run. */
  void next() {
    loads = 0;
    brought = Math.max(0, brought - 1);
    done = Math.max(0, done - 1);
  }
}
