package dev.varve.server.net.loop;

import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Upcoming;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients of whom a few requests came in this look at the sockets: they run after it, one group
 * of clients after the other, so that what a group names can be looked at together.
 *
 * <p>One client's pipeline needs no company; fifty clients with a request each are as good as a
 * pipeline of fifty, for the memory that they wait for and for the code that they run through.
 *
 * <p>One event loop only.
 */
public final class Arrivals {
  private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

  /** Who waits here; what is upcoming is what has arrived. */
  public interface Client extends Upcoming {

    /** Lets what has arrived run, unless something else does. */
    void run();
  }

  private final Executor afterReading;
  private final Executor watched;
  private final Consumer<Collection<? extends Upcoming>> lookAhead;
  private final Deque<Client> waiting = new ArrayDeque<>();
  private final Deque<Client> group = new ArrayDeque<>();
  private boolean isScheduled;

  /**
   * @param afterReading runs a task once the sockets have been read, before the end of the pass
   * @param watched runs a task at once, and counts how long it takes
   * @param lookAhead is told what a group will run
   */
  Arrivals(
      Executor afterReading, Executor watched, Consumer<Collection<? extends Upcoming>> lookAhead) {
    this.afterReading = afterReading;
    this.watched = watched;
    this.lookAhead = lookAhead;
  }

  /** Runs what {@code arrived} has, soon. */
  public void add(Client arrived) {
    waiting.add(arrived);
    schedule();
  }

  private void schedule() {
    if (!isScheduled) {
      isScheduled = true;
      afterReading.execute(this::run);
    }
  }

  private void run() {
    isScheduled = false;
    try {
      while (!waiting.isEmpty()) {
        watched.execute(this::runGroup);
      }
    } finally {
      if (!waiting.isEmpty()) {
        // One of them failed; the others are not to wait for the next that arrives.
        schedule();
      }
    }
  }

  private void runGroup() {
    int requests = 0;
    while (!waiting.isEmpty() && requests < CommandExecutor.LOOK_AHEAD) {
      Client next = waiting.remove();
      requests += next.count();
      group.add(next);
    }
    try {
      lookAtGroup();
      while (!group.isEmpty()) {
        group.remove().run();
      }
    } finally {
      while (!group.isEmpty()) {
        waiting.addFirst(group.removeLast());
      }
    }
  }

  private void lookAtGroup() {
    try {
      lookAhead.accept(group);
    } catch (RuntimeException | OutOfMemoryError failure) {
      // They run without it, and whom it concerns will hear of it.
      LOG.error("looking ahead for {} clients failed", group.size(), failure);
    }
  }
}
