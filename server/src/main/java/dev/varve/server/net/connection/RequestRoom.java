package dev.varve.server.net.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Room on the heap for long requests on their way in, those of all clients together: whoever has
 * none is not read from until there is some, so that what many send at once comes one after the
 * other, and nobody has to be closed for it.
 *
 * <p>Any thread.
 */
final class RequestRoom {

  /*
   * A place is for a whole request as far as its length is known, so that whoever is let in can come to an
   * end. Places are given in order of arrival. Of requests whose length is not known many may be let in that
   * grow until there is no room: the oldest of all gets whatever it needs, and so there is always one that
   * can be completed. Who has a place and sends nothing, while the server has nothing of his to do and others
   * wait, goes to the end of the line with what he has sent so far. He is given the less time the more of
   * them there are: whoever was held back has bytes waiting in his socket, so that nothing means little to come.
   */

  /** What it takes about at most until all who wait have had their turn, if none sends anything. */
  private static final int ROUND_MILLIS = 2_000;

  private static final int LOOK_MILLIS_MIN = 10;
  static final int LOOK_MILLIS_MAX = 100;

  /** Of whom less comes, keeps nobody waiting: 40 KB a second. */
  static final int PROGRESS_BYTES_PER_MILLI = 40;

  /** Runs a task later. */
  interface Timer {
    void after(int millis, Runnable task);
  }

  private final long bytesMax;
  private final long allBytesMax;
  private final Timer timer;

  /** What clients have sent that no place is for. */
  private final AtomicLong bytesOutside = new AtomicLong();

  // Both by age. Who has a place and wants a larger one is in both.
  private final NavigableMap<Long, Place> holders = new TreeMap<>();
  private final NavigableMap<Long, Place> waiting = new TreeMap<>();

  private long bytesGiven;
  private long lastAge;

  private volatile boolean isAnyWaiting;

  /** Whether it will be looked who sends nothing; so it is while somebody waits. */
  private boolean isLookSet;

  /**
   * @param bytesMax what all places take together, unless the oldest needs more
   * @param allBytesMax the same with what clients have sent that no place is for
   */
  RequestRoom(long bytesMax, long allBytesMax, Timer timer) {
    this.bytesMax = bytesMax;
    this.allBytesMax = allBytesMax;
    this.timer = timer;
  }

  /** What one client has of the room. Methods that say nothing else are for its own loop. */
  final class Place {
    private final Runnable onChange;
    private final BooleanSupplier isIdle;

    // Written with the room locked.
    private volatile long bytes;
    private volatile boolean wasSlow;
    private long bytesWanted;
    private long age;
    private boolean isNew;
    private long cameBefore;

    private volatile long came;
    private long outside;

    /** What it had when it lost its place, until it is told anew what it takes. */
    private final AtomicLong lost = new AtomicLong();

    private Place(Runnable onChange, BooleanSupplier isIdle) {
      this.onChange = onChange;
      this.isIdle = isIdle;
    }

    /** Asks for so much in all. False: nothing more is to be read, until it is told of a change. */
    boolean ask(long all) {
      return bytes >= all || RequestRoom.this.ask(this, all);
    }

    /** It needs so much, and no more from here on: its request is here. */
    void keep(long all) {
      if (wasSlow || age != 0) {
        RequestRoom.this.keep(this, all);
      }
    }

    /** Its client takes so much in all, in its place and outside. */
    void holds(long all) {
      long before = outside + lost.getAndSet(0);
      outside = Math.max(0, all - bytes);
      if (outside != before) {
        bytesOutside.addAndGet(outside - before);
        if (outside < before && isAnyWaiting) {
          giveMore();
        }
      }
    }

    /** So much has come. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void came(int more) {
      if (bytes > 0) {
        came += more;
      }
    }

    /** Whether it has lost its place by sending nothing, and its request is not here yet. */
    boolean wasSlow() {
      return wasSlow;
    }

    /** Any thread. */
    long bytes() {
      return bytes;
    }
  }

  /**
   * A place for one client, which takes nothing so far.
   *
   * @param onChange called on any thread when there is room that was asked for, or no longer
   * @param isIdle whether nothing is done for it unless the client does something; for any thread
   */
  Place place(Runnable onChange, BooleanSupplier isIdle) {
    return new Place(onChange, isIdle);
  }

  private synchronized boolean ask(Place its, long all) {
    if (its.age == 0) {
      its.age = ++lastAge;
    }
    its.bytesWanted = all;
    waiting.put(its.age, its);
    give(its);
    lookSoon();
    return its.bytes >= all;
  }

  private synchronized void keep(Place place, long all) {
    if (place.age == 0) {
      place.wasSlow = false;
      return;
    }
    waiting.remove(place.age);
    place.wasSlow = false;
    long kept = Math.min(place.bytes, all);
    if (kept > 0) {
      resize(place, kept);
    } else {
      leave(place);
    }
    give(place);
  }

  private void lookSoon() {
    if (!isLookSet && !waiting.isEmpty()) {
      isLookSet = true;
      int millis = ROUND_MILLIS / waiting.size();
      int its = Math.min(LOOK_MILLIS_MAX, Math.max(LOOK_MILLIS_MIN, millis));
      timer.after(its, () -> look(its));
    }
  }

  /** Sends to the end whoever keeps others waiting. */
  private synchronized void look(int millis) {
    isLookSet = false;
    List<Place> slow = new ArrayList<>();
    for (Place place : holders.values()) {
      long came = place.came;
      boolean isSlow =
          !place.isNew && came - place.cameBefore < (long) millis * PROGRESS_BYTES_PER_MILLI;
      if (isSlow
          && !waiting.isEmpty()
          && !waiting.containsKey(place.age)
          && place.isIdle.getAsBoolean()) {
        slow.add(place);
      }
      place.isNew = false;
      place.cameBefore = came;
    }
    for (Place place : slow) {
      // It still takes that, outside from now on.
      place.lost.addAndGet(place.bytes);
      bytesOutside.addAndGet(place.bytes);
      leave(place);
      place.wasSlow = true;
    }
    give(null);
    // It asks again, behind those who wait by now.
    slow.forEach(place -> place.onChange.run());
    lookSoon();
  }

  private synchronized void giveMore() {
    give(null);
  }

  private void give(@Nullable Place asking) {
    while (isNextGiven()) {
      Place first = waiting.firstEntry().getValue();
      waiting.remove(first.age);
      holders.put(first.age, first);
      first.isNew = true;
      resize(first, first.bytesWanted);
      if (first != asking) {
        first.onChange.run();
      }
    }
    isAnyWaiting = !waiting.isEmpty();
  }

  private boolean isNextGiven() {
    if (waiting.isEmpty()) {
      return false;
    }
    Place first = waiting.firstEntry().getValue();
    if (holders.isEmpty() || holders.firstKey() >= first.age) {
      return true;
    }
    long room = Math.min(bytesMax, allBytesMax - bytesOutside.get());
    return bytesGiven - first.bytes + first.bytesWanted <= room;
  }

  private void resize(Place its, long bytes) {
    bytesGiven += bytes - its.bytes;
    its.bytes = bytes;
  }

  private void leave(Place its) {
    waiting.remove(its.age);
    holders.remove(its.age);
    resize(its, 0);
    its.age = 0;
  }
}
