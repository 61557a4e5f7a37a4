package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A walk of the writer: over what it has walked over of late where that is kept, over the tree
 * everywhere else, and that is kept then. Keyspace loop only.
 */
final class WriterCursor extends StretchWalk {

  /** Each brings the next one to hand for a fraction of what it takes to open a walk for it. */
  private static final int ROWS_FORESEEN = 32;

  /** One in four is of a row, mostly. After so many in vain a search costs no more. */
  private static final int DRAWS_MAX = 64;

  private final WalkCache cache;
  private final Runnable settleResidents;
  private final StepMeter meter;

  /** What the walk will come to next, if {@link #isTreeHere}. */
  private final StretchAhead ahead;

  private int recorded;

  /** How far the walk will go, as far as is known, and where to. */
  private int expected;

  private boolean isForwardExpected;

  /**
   * @param opener opens a walk over the tree between two keys, which shows all that was written
   * @param settleResidents has the rows written that are kept in forms of their own: most walks
   *     come to none of their keyspace, and need not wait for it
   * @param meter is told of each search, and of each step out of what it has at hand
   */
  WriterCursor(
      WalkCache cache,
      BiFunction<byte[], byte[], StoreCursor> opener,
      Runnable settleResidents,
      StepMeter meter,
      byte[] from,
      byte[] end) {
    super(opener, from, end);
    this.cache = cache;
    this.settleResidents = settleResidents;
    this.meter = meter;
    this.ahead = new StretchAhead(cache);
  }

  /** Says that so many entries are going to be walked over in one direction: room is made. */
  void expect(int entries, boolean isForward) {
    expected = entries;
    isForwardExpected = isForward;
  }

  @Override
  public boolean seek(byte[] wanted) {
    meter.step();
    byte[] target = isBeforeAll(wanted) ? from() : wanted;
    leave();
    settleIfRanks(target);
    WalkedKeyspace known = cache.find(target);
    if (known != null) {
      Stretch around = known.around(target);
      if (around != null) {
        int from = around.rowFrom(target, known.prefix().length);
        return at(known, around, from) || behind(known, around);
      }
    }
    if (!inTree().seek(target)) {
      return false;
    }
    byte[] found = inTree().key();
    if (!WalkedKeyspace.isSame(target, found) || !mayRecord(found)) {
      return true;
    }
    WalkedKeyspace its = cache.findOrCreate(found);
    int offset = its.prefix().length;
    Stretch next = its.after(target);
    if (next != null && next.startsAtOrBefore(found, offset)) {
      its.moveStart(next, suffixOfStart(its, target));
      return at(its, next, next.rowFrom(found, offset)) || behind(its, next);
    }
    record(its, found, suffixOfStart(its, target), WalkCache.justAfter(found, offset));
    ahead.expect(next, true);
    return true;
  }

  @Override
  public boolean seekBefore(byte[] wanted) {
    meter.step();
    byte[] target = isBehindAll(wanted) ? end() : wanted;
    leave();
    settleIfRanks(target);
    byte[] place = WalkedKeyspace.placeOfEnd(target);
    boolean isEnd = place != target;
    WalkedKeyspace known = cache.find(place);
    if (known != null) {
      Stretch before = known.before(isEnd ? null : target);
      if (before != null) {
        int behind = isEnd ? before.behind() : before.rowFrom(target, known.prefix().length);
        return at(known, before, behind - 1) || inFrontOf(known, before);
      }
    }
    if (!inTree().seekBefore(target)) {
      return false;
    }
    byte[] found = inTree().key();
    if (!WalkedKeyspace.isSame(place, found) || !mayRecord(found)) {
      return true;
    }
    WalkedKeyspace its = cache.findOrCreate(found);
    int offset = its.prefix().length;
    boolean isNext = recordBefore(its, found, isEnd ? null : suffixOfEnd(its, target));
    if (!isNext && found[0] == KeyFormat.RANK && found.length > offset + 1) {
      lookBehind(its);
    }
    return true;
  }

  /** What is kept of no other keyspace is behind the residents; the tree is opened after them. */
  private void settleIfRanks(byte[] target) {
    if (target.length > 0 && target[0] == KeyFormat.RANK) {
      settleResidents.run();
    }
  }

  /**
   * Keeps the row that the tree is on, the last before a bound; returns whether what follows it is
   * kept already.
   *
   * @param bound a suffix, or null for the end of the keyspace
   */
  private boolean recordBefore(WalkedKeyspace walked, byte[] found, byte @Nullable [] bound) {
    int offset = walked.prefix().length;
    Stretch next = walked.after(found);
    boolean isNext = next != null && (bound == null || next.startsBefore(bound, 0));
    byte[] to = next != null && isNext ? next.from() : bound;
    Stretch around = walked.around(found);
    if (around == null) {
      record(walked, found, WalkedKeyspace.suffix(found, offset), to);
    } else {
      around.setTo(to);
      at(walked, around, around.rowFrom(found, offset));
      setTreeHere(true);
    }
    ahead.expect(walked.preceding(found), false);
    return isNext;
  }

  /**
   * A bucket ends where the next one of its level begins, and who asks for the bucket that a place
   * is in will ask for other places of it. Not from a level's first one: what a queue has popped
   * may be behind that.
   */
  private void lookBehind(WalkedKeyspace walked) {
    Stretch here = stretch();
    int itsRow = row();
    if (here == null) {
      return;
    }
    try {
      behind(walked, here);
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
    }
    at(walked, here, itsRow);
  }

  @Override
  public boolean next() {
    Stretch its = stretch();
    if (its != null && row() + 1 < its.behind()) {
      step(its, row() + 1);
      return true;
    }
    meter.step();
    if (its == null) {
      return stepInTree(true);
    }
    return goesOnRecording(keyspace(), its, true) || behind(keyspace(), its);
  }

  @Override
  public boolean previous() {
    Stretch its = stretch();
    if (its != null && row() > its.first()) {
      step(its, row() - 1);
      return true;
    }
    meter.step();
    if (its == null) {
      return stepInTree(false);
    }
    return goesOnRecording(keyspace(), its, false) || inFrontOf(keyspace(), its);
  }

  /**
   * Goes to the next row in that direction and keeps it beside this one, where that takes no search
   * of what is known; false if it does.
   */
  private boolean goesOnRecording(WalkedKeyspace its, Stretch here, boolean isForward) {
    boolean isReady = isTreeHere() && ahead.isKnown(isForward) && WalkCache.hasRoom(here);
    if (!isReady || !(isForward ? inTree().next() : inTree().previous())) {
      return false;
    }
    byte[] stored = inTree().key();
    if (!its.owns(stored) || ahead.isMet(stored, its.prefix().length) || !mayRecord(stored)) {
      setTreeHere(false);
      return false;
    }
    extend(its, here, stored, isForward);
    return true;
  }

  @Override
  void recordOn(byte[] bound, long max, boolean isForward) {
    Stretch here = stretch();
    if (here == null || row() != (isForward ? here.behind() - 1 : here.first())) {
      // The next one is kept already.
      return;
    }
    WalkedKeyspace its = keyspace();
    boolean isBound = its.owns(bound);
    long left = max;
    while (left > 0
        && (!isBound || compareKey(bound) < 0 == isForward)
        && goesOnRecording(its, here, isForward)) {
      left--;
    }
  }

  /** Adds the row that the tree is on, behind the last one or before the first. */
  private void extend(WalkedKeyspace its, Stretch here, byte[] stored, boolean isForward) {
    byte[] storedValue = inTree().value();
    if (isForward) {
      cache.append(its, here, stored, storedValue);
    } else {
      cache.prepend(its, here, stored, storedValue);
    }
    at(its, here, isForward ? here.behind() - 1 : here.first());
    stay(stored, storedValue);
  }

  /** Goes to the first row that is not before the end of {@code from}. */
  private boolean behind(WalkedKeyspace walked, Stretch from) {
    Stretch following = from.following();
    if (following != null && at(walked, following, following.first())) {
      return true;
    }
    Stretch last = from;
    boolean isAtLast = isTreeHere();
    int offset = walked.prefix().length;
    while (true) {
      byte[] to = last.to();
      if (to == null) {
        byte[] behindAll = KeyFormat.versionAfter(walked.prefix());
        if (isBehindAll(behindAll)) {
          return nowhere();
        }
        leave();
        return inTree().seek(behindAll);
      }
      byte[] bound = walked.key(to);
      Stretch next = walked.around(bound);
      if (next == null) {
        if (isBehindAll(bound)) {
          noteEnd(walked, last, bound);
          return nowhere();
        }
        leave();
        if (isBeforeAll(bound)) {
          // It stood in what is kept and not wanted: the tree says nothing of what lies between.
          return inTree().seek(from());
        }
        boolean found = isAtLast ? inTree().next() : inTree().seek(bound);
        byte[] stored = found ? inTree().key() : bound;
        Stretch after = walked.after(bound);
        if (!found || !walked.owns(stored)) {
          last.setTo(found ? walked.endOfNothing(stored, after) : endOfNothing(walked, after));
          return found;
        }
        if (after == null || !after.startsAtOrBefore(stored, offset)) {
          recordBehind(walked, last, to, stored);
          ahead.expect(after, true);
          return true;
        }
        next = cache.join(walked, last, after);
        bound = stored;
      }
      Stretch.linkIfMeeting(last, next);
      if (at(walked, next, next.rowFrom(bound, offset))) {
        return true;
      }
      last = next;
      isAtLast = false;
    }
  }

  /** The tree is on the first row at {@code from} or after, where {@code last} ends. */
  private void recordBehind(WalkedKeyspace its, Stretch last, byte[] from, byte[] stored) {
    if (!mayRecord(stored)) {
      return;
    }
    if (WalkCache.hasRoom(last)) {
      extend(its, last, stored, true);
    } else {
      int offset = its.prefix().length;
      record(its, stored, from, WalkCache.justAfter(stored, offset));
    }
  }

  /** Goes to the last row before the start of {@code from}. */
  private boolean inFrontOf(WalkedKeyspace walked, Stretch from) {
    Stretch preceding = from.preceding();
    if (preceding != null && at(walked, preceding, preceding.behind() - 1)) {
      return true;
    }
    Stretch first = from;
    boolean isAtFirst = isTreeHere();
    int offset = walked.prefix().length;
    while (true) {
      byte[] bound = walked.key(first.from());
      Stretch previous = bound.length == offset ? null : walked.before(bound);
      if (previous == null) {
        if (isBeforeAll(bound)) {
          noteStart(walked, first, bound);
          return nowhere();
        }
        leave();
        if (isBehindAll(bound)) {
          // As forwards, in front of where it begins.
          return inTree().seekBefore(end());
        }
        boolean found = isAtFirst ? inTree().previous() : inTree().seekBefore(bound);
        if (!found || !walked.owns(inTree().key())) {
          byte[] start =
              found ? walked.startOfNothing(inTree().key(), bound) : startOfNothing(walked, bound);
          walked.moveStart(first, start);
          return found;
        }
        recordInFront(walked, first);
        return true;
      }
      Stretch.linkIfMeeting(previous, first);
      // It may reach further: a walk can stand in what has left the cache and come back otherwise.
      if (at(walked, previous, previous.rowFrom(bound, offset) - 1)) {
        return true;
      }
      first = previous;
      isAtFirst = false;
    }
  }

  /** The tree is on the last row before {@code first}. */
  private void recordInFront(WalkedKeyspace its, Stretch first) {
    byte[] stored = inTree().key();
    int offset = its.prefix().length;
    if (!mayRecord(stored)) {
      return;
    }
    if (its.around(stored) == null && its.after(stored) == first && WalkCache.hasRoom(first)) {
      extend(its, first, stored, false);
      ahead.expect(its.preceding(stored), false);
    } else {
      recordBefore(its, stored, first.from());
    }
  }

  private boolean mayRecord(byte[] stored) {
    return recorded++ < WalkCache.ROWS_RECORDED_MAX && WalkCache.fits(stored, inTree().value());
  }

  /** Begins a stretch with the row that the tree is on. */
  private void record(WalkedKeyspace its, byte[] stored, byte[] from, byte @Nullable [] to) {
    byte[] storedValue = inTree().value();
    Stretch begun = cache.keep(its, stored, storedValue, from, to);
    if (expected > recorded) {
      cache.expect(begun, expected - recorded, isForwardExpected);
    }
    at(its, begun, begun.first());
    stay(stored, storedValue);
  }

  @Override
  public void foresee(boolean isForward) {
    Stretch here = stretch();
    int itsRow = row();
    if (here == null || !isTreeHere()) {
      // It was at hand, and so what follows may be.
      return;
    }
    WalkedKeyspace its = keyspace();
    try {
      boolean found = true;
      for (int left = ROWS_FORESEEN; found && isTreeHere() && left > 0; left--) {
        found = isForward ? next() : previous();
      }
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
    }
    at(its, here, itsRow);
  }

  @Override
  public void foreseeAny(byte[] prefix, long entries) {
    WalkedKeyspace its = cache.find(prefix);
    if (its == null || !cache.mayHold(entries) || !its.load().isWanted()) {
      return;
    }
    try {
      its.load().goOn(this, its);
    } catch (ColdBlockSignal | ReadFailure notHere) {
      its.load().end();
    }
  }

  @Override
  public boolean seekAny(byte[] prefix, long entries, RandomGenerator random) {
    leave();
    WalkedKeyspace its = cache.find(prefix);
    // What is kept is in the store: when it is as much, it is all.
    if (its == null || entries == 0 || its.rows() != entries) {
      return false;
    }
    for (int tries = 0; tries < DRAWS_MAX; tries++) {
      Stretch any = its.anyStretch(random);
      int itsRow = random.nextInt(its.rowsMax());
      // A row of a short stretch is no more likely than one of a long one.
      if (any != null && itsRow < any.rows()) {
        return at(its, any, any.first() + itsRow);
      }
    }
    return false;
  }

  /** Goes on behind all that is known to follow without a break. */
  boolean nextBehindKnown() {
    Stretch its = stretch();
    if (its != null && row() + 1 < its.behind()) {
      step(its, its.behind() - 1);
    }
    return next();
  }
}
