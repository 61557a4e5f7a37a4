package dev.varve.server.resp;

import java.util.ArrayList;
import java.util.List;

/**
 * What an encoder knows of a reply that leaves in pieces while it is made.
 *
 * <p>Used by the thread of its encoder.
 */
final class LongReply {

  /** How long a piece is; of what is no bulk string one may be longer. */
  static final int PIECE_BYTES = 256 * 1024;

  /*
   * An aggregate whose size is known only afterwards cannot be sent before its end. If it is longer than a
   * piece, the rest of the run only counts: the reply is made a second time, by a run that finds the same,
   * and then each size is known when it is needed.
   */
  private enum Pass {
    /** Pieces leave; what aggregates are open is at hand. */
    SENDING,
    /** An open aggregate has outgrown its piece: nothing leaves before the run is made again. */
    COUNTING,
    /** The second run: the sizes of all aggregates are known. */
    SENDING_COUNTED,
    /** Nobody wants the reply. */
    DISCARDING
  }

  private record Header(char type, long size) {}

  private static final Header OPEN = new Header('?', 0);

  private final ReplySink sink;
  private final List<Header> headers = new ArrayList<>();
  private final List<Integer> marks = new ArrayList<>();
  private Pass pass = Pass.SENDING;
  private int openHeaders;
  private int nextHeader;
  private long passedBytes;
  private long sentBytes;
  private long waitedNanos;

  LongReply(ReplySink sink) {
    this.sink = sink;
  }

  ReplySink sink() {
    return sink;
  }

  /** From here on nothing is sent, now or later. */
  void discard() {
    pass = Pass.DISCARDING;
  }

  boolean isCounted() {
    return pass == Pass.SENDING_COUNTED;
  }

  /** Whether a piece of this run is no longer at hand. */
  boolean hasPassed() {
    return passedBytes > 0;
  }

  /** Whether something has left, so that nothing can be taken back. */
  boolean hasBegun() {
    return sentBytes > 0;
  }

  /** Whether the run has only counted, and has to be made again. */
  boolean mustRunAgain() {
    return pass == Pass.COUNTING;
  }

  /** The run is made again from its beginning. */
  void runAgain() {
    pass = Pass.SENDING_COUNTED;
    passedBytes = 0;
  }

  /** What was written is taken back, all of it. */
  void rollback() {
    if (pass == Pass.DISCARDING) {
      return;
    }
    if (hasBegun()) {
      throw new ReplyCutShortException("a part of the reply has left, the rest failed");
    }
    pass = Pass.SENDING;
    headers.clear();
    marks.clear();
    openHeaders = 0;
    passedBytes = 0;
  }

  /** An aggregate begins at {@code mark}, whose size follows; returns what to call it then. */
  int open(int mark) {
    headers.add(OPEN);
    marks.add(mark);
    openHeaders++;
    return headers.size() - 1;
  }

  /** The size of an aggregate is known; true if its header has to be put where it began. */
  boolean close(int aggregate, char type, long size) {
    Header header = new Header(type, size);
    if (pass == Pass.SENDING_COUNTED) {
      if (!header.equals(headers.get(aggregate))) {
        throw new IllegalStateException(
            "a reply was announced as " + headers.get(aggregate) + " and became " + header);
      }
      return false;
    }
    headers.set(aggregate, header);
    openHeaders--;
    return pass == Pass.SENDING;
  }

  /** Where an aggregate began that is still in the piece. */
  int mark(int aggregate) {
    return marks.get(aggregate);
  }

  /** In the second run: the next aggregate begins. */
  int reopen() {
    return nextHeader++;
  }

  /** Whether nothing was written of it, not even its header. */
  boolean isEmpty(int aggregate) {
    return headers.get(aggregate) == OPEN;
  }

  /** The reply is whole: what is open now has no header. */
  void end() {
    openHeaders = 0;
  }

  char type(int aggregate) {
    return headers.get(aggregate).type;
  }

  long size(int aggregate) {
    return headers.get(aggregate).size;
  }

  /** A value comes that is longer than a piece. */
  void announce(int bytes) {
    if (pass == Pass.SENDING || pass == Pass.SENDING_COUNTED) {
      sink.announce(bytes);
    }
  }

  /** A piece is full; true if its array is given away. */
  boolean pass(byte[] bytes, int from, int to) {
    if (pass == Pass.SENDING && openHeaders > 0) {
      pass = Pass.COUNTING;
    }
    if (pass == Pass.COUNTING || pass == Pass.DISCARDING) {
      sink.check();
      return false;
    }
    long begin = passedBytes;
    passedBytes += to - from;
    // What the first run has sent before it began to count is not sent again.
    int unsentFrom = (int) Math.min(to, from + Math.max(0, sentBytes - begin));
    if (unsentFrom == to) {
      return false;
    }
    sentBytes = passedBytes;
    long fromNanos = System.nanoTime();
    sink.piece(bytes, unsentFrom, to);
    waitedNanos += System.nanoTime() - fromNanos;
    return true;
  }

  long waitedNanos() {
    return waitedNanos;
  }
}
