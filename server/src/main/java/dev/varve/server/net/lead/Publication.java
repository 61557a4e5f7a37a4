package dev.varve.server.net.lead;

import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.net.commit.GroupCommit;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets those who read the stream see what readers of the data see, and not before: no replica has
 * what a commit may still lose.
 *
 * <p>Keyspace loop.
 */
final class Publication {
  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);

  /** Hears that a stream can be read up to some offset. */
  interface Listener {
    void reached(Backlog backlog, long end);
  }

  private final Keyspace keyspace;
  private final ReplicationStream stream;
  private final GroupCommit commit;
  private final Listener listener;
  private final Runnable wake;

  /** What is written and not published yet. */
  private final Deque<Unpublished> unpublished = new ArrayDeque<>();

  /** What one commit makes certain of a stream. */
  private static final class Unpublished {
    final long ticket;
    final Backlog backlog;

    /** The number of the last write that it tells of. */
    long sequence;

    long end;

    /** The one that it goes on in there. */
    int database;

    Unpublished(long ticket, Backlog backlog) {
      this.ticket = ticket;
      this.backlog = backlog;
    }
  }

  /** The stream for which {@link #lostCommits} counts, or null. */
  private @Nullable Backlog watched;

  private long lostCommits;

  /**
   * @param wake is run when those who read can go on
   */
  Publication(Keyspace keyspace, GroupCommit commit, Listener listener, Runnable wake) {
    this.keyspace = keyspace;
    this.stream = keyspace.leading().stream();
    this.commit = commit;
    this.listener = listener;
    this.wake = wake;
  }

  /** The stream has become longer. */
  void told() {
    Backlog backlog = stream.backlog();
    if (backlog == null) {
      return;
    }
    watch(backlog);
    long ticket = commit.ticket();
    Unpublished last = unpublished.peekLast();
    boolean isNext = last == null || last.ticket != ticket || last.backlog != backlog;
    if (last == null || isNext) {
      last = new Unpublished(ticket, backlog);
      unpublished.add(last);
    }
    last.sequence = keyspace.engine().store().nextSequence() - 1;
    last.end = backlog.end();
    last.database = stream.database();
    if (isNext) {
      commit.afterPublication(this::publish);
    }
  }

  /** What is lost from when on a stream has begun is lost for those who read it. */
  void watch(@Nullable Backlog its) {
    if (its != watched) {
      watched = its;
      lostCommits = keyspace.lostCommits();
    }
  }

  /**
   * Called once a second: what a sync failed for is not lost, but published with another commit,
   * which may be none of what is told.
   */
  void tick() {
    if (!unpublished.isEmpty()) {
      publish();
    }
  }

  /** Called when a commit can be read, or is lost. */
  void publish() {
    if (keyspace.lostCommits() != lostCommits) {
      lostCommits = keyspace.lostCommits();
      unpublished.clear();
      if (stream.isOn()) {
        LOG.warn("replicas have to be sent all data again: what they know of may be lost here");
        stream.end();
      }
      return;
    }
    long sequence = keyspace.engine().publishedSequence();
    Unpublished first = unpublished.peek();
    while (first != null && first.sequence <= sequence) {
      stream.publish(first.backlog, first.end, first.database);
      listener.reached(first.backlog, first.end);
      unpublished.remove();
      first = unpublished.peek();
    }
    wake.run();
  }
}
