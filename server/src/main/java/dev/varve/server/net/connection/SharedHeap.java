package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What clients take of the heap for one purpose, all of them together. Each is held back by itself,
 * but what it is left may be long, clients are many, and messages come to whoever has asked for
 * them once. Before the heap is full of it, those are closed who take the most.
 *
 * <p>Any thread, where it says nothing else.
 */
final class SharedHeap {

  /** Where all but one take less than this part of what is allowed, that one does no harm. */
  private static final int OTHERS_PART = 4;

  /** The other half is for those who cannot stop taking. */
  private static final int SCARCE_PART = 2;

  /** One client's part in it. */
  interface Client {

    /** What it takes and no other has a part in, as this was told last. Any thread. */
    long heldBytes();

    /** Among several who take too much, how much it should be this one. Any thread. */
    default long weight() {
      return heldBytes();
    }

    /** The loop that closes it. Any thread. */
    Executor own();

    /** Takes less if that needs nobody else. Its own loop. */
    default void relieve() {}

    /** Closes it, and takes nothing from then on. Its own loop. */
    void closeForRoom();
  }

  private final long bytesMax;
  private final long oneBytesMax;
  private final AtomicLong bytes = new AtomicLong();

  /** Those who take anything. */
  private final Set<Client> all = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean isOtherLoopAsked = new AtomicBoolean();

  /**
   * @param bytesMax what all may take together
   * @param oneBytesMax what one may take beside whom others take little
   */
  SharedHeap(long bytesMax, long oneBytesMax) {
    this.bytesMax = bytesMax;
    this.oneBytesMax = oneBytesMax;
  }

  /** What all take. */
  long bytes() {
    return bytes.get();
  }

  /** What is left for all to take; less than 0 where they take too much. */
  long room() {
    return bytesMax - bytes.get();
  }

  /** Whether so much is taken that nobody should take more without need. */
  boolean isScarce() {
    return bytes.get() > bytesMax / SCARCE_PART;
  }

  /** What a client takes has changed, and it has a part in nothing else. Its own loop. */
  void changed(Client its, long before, long now) {
    grow(now - before);
    if (now == 0) {
      takes(its, false);
    } else if (before == 0) {
      takes(its, true);
    }
  }

  /** Clients take so much more. */
  void grow(long by) {
    bytes.addAndGet(by);
  }

  /** A client begins to take something, or takes nothing any more. Its own loop. */
  void takes(Client its, boolean anything) {
    if (anything) {
      all.add(its);
    } else {
      all.remove(its);
    }
  }

  /** A message waits for one client; however many there are, it takes memory once. */
  void keep(Message message) {
    if (message.keep()) {
      grow(message.memory());
    }
  }

  /** It waits for that client no longer. */
  void letGo(Message message) {
    if (message.letGo()) {
      grow(-message.memory());
    }
  }

  /** Closes clients until there is room, if there is not. On {@code here}. */
  void makeRoom(Executor here) {
    if (bytes.get() <= bytesMax) {
      return;
    }
    for (Client its : all) {
      if (its.own() == here) {
        its.relieve();
      }
    }
    while (bytes.get() > bytesMax) {
      Client most = most(Client::heldBytes);
      Client heaviest = most(Client::weight);
      if (most == null || heaviest == null || isHarmless(most)) {
        return;
      }
      if (heaviest.own() != here) {
        ask(heaviest.own());
        return;
      }
      heaviest.closeForRoom();
    }
  }

  private boolean isHarmless(Client most) {
    long its = most.heldBytes();
    return its <= oneBytesMax && bytes.get() - its < bytesMax / OTHERS_PART;
  }

  private void ask(Executor loop) {
    if (isOtherLoopAsked.compareAndSet(false, true)) {
      loop.execute(
          () -> {
            isOtherLoopAsked.set(false);
            makeRoom(loop);
          });
    }
  }

  private @Nullable Client most(ToLongFunction<Client> measure) {
    return all.stream().max(Comparator.comparingLong(measure)).orElse(null);
  }
}
