package dev.varve.server.net;

import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What all clients together leave unread. Of each it is little, since who does not read is given no
 * more; but a single reply may be long, and clients are many. Before the heap is full of it, those
 * are closed who leave the most.
 *
 * <p>Any thread, where it says nothing else.
 */
final class UnreadReplies {

  /** The other half of the heap is for those who read. */
  private static final int HEAP_PART = 2;

  /** Where all but one leave less than this part of what is allowed, that one does no harm. */
  private static final int OTHERS_PART = 4;

  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();

  /** Those who leave anything. */
  private final Set<Replies> all = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean isOtherLoopAsked = new AtomicBoolean();

  UnreadReplies(long heapBytesMax) {
    this.bytesMax = heapBytesMax / HEAP_PART;
  }

  /** What a client leaves has changed. Its own loop. */
  void changed(Replies its, long before, long now) {
    bytes.addAndGet(now - before);
    if (now == 0) {
      all.remove(its);
    } else if (before == 0) {
      all.add(its);
    }
  }

  /** Closes clients until there is room, if there is not. On {@code here}. */
  void makeRoom(ServerLoop here) {
    if (bytes.get() <= bytesMax) {
      return;
    }
    for (Replies its : all) {
      // Its socket may take it: a pass flushes late.
      if (its.own() == here) {
        its.flush();
      }
    }
    while (bytes.get() > bytesMax) {
      Replies most = most();
      if (most == null || bytes.get() - most.unreadBytes() < bytesMax / OTHERS_PART) {
        return;
      }
      if (most.own() != here) {
        ask(most.own());
        return;
      }
      most.closeForRoom();
    }
  }

  private void ask(ServerLoop loop) {
    if (isOtherLoopAsked.compareAndSet(false, true)) {
      loop.execute(
          () -> {
            isOtherLoopAsked.set(false);
            makeRoom(loop);
          });
    }
  }

  private @Nullable Replies most() {
    return all.stream().max(Comparator.comparingLong(Replies::unreadBytes)).orElse(null);
  }
}
