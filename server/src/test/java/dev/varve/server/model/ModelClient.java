package dev.varve.server.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client as the model sees it. */
final class ModelClient {
  /** A key in a database. */
  record WatchedKey(int database, String key) {}

  /** What became of the keys it watches. */
  enum Watched {
    UNCHANGED,
    /** Two databases were swapped: nobody promises whether that counts for keys in neither. */
    MAYBE_CHANGED,
    CHANGED
  }

  int database;
  final Set<WatchedKey> watches = new HashSet<>();
  Watched watched = Watched.UNCHANGED;
  @Nullable List<String[]> queue;
  boolean queueBroken;

  boolean isQueueing() {
    return queue != null;
  }

  void beginQueue() {
    queue = new ArrayList<>();
    queueBroken = false;
  }

  void endTransaction() {
    queue = null;
    queueBroken = false;
    watches.clear();
    watched = Watched.UNCHANGED;
  }
}
