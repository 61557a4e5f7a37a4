package dev.varve.lsm;

import dev.varve.lsm.memtable.ReadPoints;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * At which sequence numbers open snapshots look, so that the writer can drop from the active
 * memtable what none of them sees, now or later.
 *
 * <p>Any thread enters and leaves; {@link #enterWriter}, {@link #committed} and {@link #isAny} are
 * for the writer.
 */
final class LiveSnapshots implements ReadPoints {
  /*
   * A reader writes its sequence number into a free place and looks at the horizon afterwards; the
   * writer raises the horizon and looks at the places afterwards. So either the writer sees the
   * reader, or the reader sees that it came too late and takes a newer sequence number (Dekker's
   * rule: each writes before it reads, with a fence between). The writer does so once per
   * publication at most, and only when a key was written again.
   *
   * Between the last commit and the batch that is being applied nobody can look but snapshots of the
   * writer itself: readers get the sequence numbers of whole commits. Those have places of their
   * own, which are few enough to be looked at each time.
   *
   * A batch that is published as soon as it is in memory need not leave anything for readers to
   * come: the horizon is raised to the batch itself, and who comes too early for it comes again
   * until it is published.
   */
  static final int PLACES = 64;
  static final int WRITER_PLACES = 4;

  /** What {@link #enter} returns to a reader that looks too far back. */
  static final int TOO_OLD = -3;

  private static final int WITHOUT_PLACE = -1;
  private static final int WRITER_WITHOUT_PLACE = -2;

  /**
   * Places lie in cache lines of their own: readers of several threads come and go all the time.
   */
  private static final int STRIDE = 8;

  private static final long FREE = -1;

  private final LongSupplier published;
  private final AtomicLongArray places = new AtomicLongArray(PLACES * STRIDE);
  private final AtomicInteger withoutPlace = new AtomicInteger();
  private final AtomicLongArray writerPlaces = new AtomicLongArray(WRITER_PLACES);
  private final AtomicInteger writersWithoutPlace = new AtomicInteger();

  /** No reader enters below it. */
  private volatile long horizon;

  // What the writer saw when it raised the horizon.
  private final long[] seen = new long[PLACES];
  private int seenCount;
  private boolean isComplete;
  private long writersHorizon;

  private long committed;

  /** No reader comes before this is published. */
  private long publishedNext;

  /**
   * @param published the newest sequence number that readers see; it only grows
   * @param committed the newest one that was applied
   */
  LiveSnapshots(LongSupplier published, long committed) {
    this.published = published;
    this.committed = committed;
    for (int place = 0; place < PLACES; place++) {
      places.set(place * STRIDE, FREE);
    }
    for (int place = 0; place < WRITER_PLACES; place++) {
      writerPlaces.set(place, FREE);
    }
  }

  /** Notes a reader; returns what {@link #leave} wants, or {@link #TOO_OLD}. */
  int enter(long sequence) {
    int entered = takePlace(sequence);
    if (horizon > sequence) {
      leave(entered);
      return TOO_OLD;
    }
    return entered;
  }

  private int takePlace(long sequence) {
    // Each thread mostly finds its own place free.
    int first = (int) Thread.currentThread().getId();
    for (int i = 0; i < PLACES; i++) {
      int place = first + i & PLACES - 1;
      int at = place * STRIDE;
      if (places.getPlain(at) == FREE && places.compareAndSet(at, FREE, sequence)) {
        return place;
      }
    }
    withoutPlace.incrementAndGet();
    return WITHOUT_PLACE;
  }

  /** Notes a snapshot of the writer, which sees all that was applied. */
  int enterWriter(long sequence) {
    for (int place = 0; place < WRITER_PLACES; place++) {
      if (writerPlaces.get(place) == FREE) {
        writerPlaces.setPlain(place, sequence);
        return PLACES + place;
      }
    }
    writersWithoutPlace.incrementAndGet();
    return WRITER_WITHOUT_PLACE;
  }

  /** Forgets a snapshot; once for each. */
  void leave(int entered) {
    if (entered >= PLACES) {
      writerPlaces.setRelease(entered - PLACES, FREE);
    } else if (entered >= 0) {
      places.setRelease(entered * STRIDE, FREE);
    } else if (entered == WITHOUT_PLACE) {
      withoutPlace.decrementAndGet();
    } else {
      writersWithoutPlace.decrementAndGet();
    }
  }

  /** Notes that everything up to {@code sequence} may be published from now on. */
  void committed(long sequence) {
    committed = sequence;
  }

  /**
   * Notes that everything up to the batch of {@code sequence} will be published next, and nothing
   * before that: readers who come meanwhile may be kept out. Until it is published, or {@link
   * #notPublishedNext} says that it will not be.
   */
  void publishedNext(long sequence) {
    publishedNext = sequence;
  }

  /** Readers come in again, and see what they saw before. */
  void notPublishedNext() {
    publishedNext = 0;
    writersHorizon = 0;
    horizon = published.getAsLong();
  }

  @Override
  public boolean isAny(long from, long toExclusive) {
    if (isAnyOfWriter(from, toExclusive)) {
      return true;
    }
    if (from > committed) {
      return false;
    }
    if (toExclusive > writersHorizon && !raiseHorizon(toExclusive)) {
      return true;
    }
    if (!isComplete) {
      return true;
    }
    for (int i = 0; i < seenCount; i++) {
      if (from <= seen[i] && seen[i] < toExclusive) {
        return true;
      }
    }
    return false;
  }

  private boolean isAnyOfWriter(long from, long toExclusive) {
    for (int place = 0; place < WRITER_PLACES; place++) {
      long sequence = writerPlaces.get(place);
      if (from <= sequence && sequence < toExclusive) {
        return true;
      }
    }
    return writersWithoutPlace.get() != 0;
  }

  private boolean raiseHorizon(long wanted) {
    long now = Math.max(published.getAsLong(), publishedNext);
    if (now < wanted) {
      return false;
    }
    horizon = now;
    writersHorizon = now;
    seenCount = 0;
    for (int place = 0; place < PLACES; place++) {
      long sequence = places.get(place * STRIDE);
      if (sequence != FREE) {
        seen[seenCount++] = sequence;
      }
    }
    isComplete = withoutPlace.get() == 0;
    return true;
  }
}
