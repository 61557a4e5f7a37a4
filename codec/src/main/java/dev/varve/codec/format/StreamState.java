package dev.varve.codec.format;

/**
 * What a stream remembers in its meta value besides the count of its entries.
 *
 * <p>Belongs to the thread of its transaction; part of its meta.
 */
public final class StreamState {
  /*
   * offset  bytes
   *      0     16  id of the last entry that was added, or that XSETID has set
   *     16     16  id of the first entry that is there; 0-0 if there is none
   *     32     16  the highest id that XDEL has deleted
   *     48      8  how many entries were ever added
   *     56      8  how many other stored keys there are: of groups, consumers and pending entries
   *     64      8  how many groups
   *     72      8  entries of the last node
   *     80      8  bytes of the last node
   *   and, if the front is known:
   *     88      8  entries of the first node that are there
   *     96     16  the last id that the first node has had
   *   and, if entries at the end were deleted:
   *      n     16  an id that no entry comes behind
   *
   * Redis keeps entries in nodes, and trims whole ones where it may be inexact. So that as many stay
   * here, an entry that begins a node says so, and the last node is counted. The first one is once a
   * trim has read it and left it: the trims that follow need not.
   *
   * Who looks for the first entry or the last one begins with the first and the top, or it would pass what
   * was deleted there.
   */
  private static final int BYTES = 3 * StreamId.BYTES + 5 * Long.BYTES;

  private static final int FRONT_BYTES = Long.BYTES + StreamId.BYTES;

  public StreamId last = StreamId.MIN;
  public StreamId first = StreamId.MIN;

  /** No entry comes behind it; 0-0 if there is none. */
  public StreamId top = StreamId.MIN;

  public StreamId maxDeleted = StreamId.MIN;
  public long added;
  public long others;
  public long groups;
  public long nodeEntries;
  public long nodeBytes;

  /** Entries of the first node that are there; 0 where that is not known. */
  public long frontEntries;

  /** The last id that the first node has had; means nothing where its entries are not known. */
  public StreamId frontReach = StreamId.MIN;

  public boolean isFrontKnown() {
    return frontEntries > 0;
  }

  /** Whether entries behind the top were deleted. */
  public boolean isTopLowered() {
    return !top.equals(last);
  }

  public int encodedBytes() {
    return bytes(isFrontKnown(), isTopLowered());
  }

  private static int bytes(boolean isFrontKnown, boolean isTopLowered) {
    return BYTES + (isFrontKnown ? FRONT_BYTES : 0) + (isTopLowered ? StreamId.BYTES : 0);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws DamagedValueException when {@code stored} is too short for it
   */
  public static StreamState read(
      byte[] stored, int offset, boolean isFrontKnown, boolean isTopLowered) {
    if (stored.length - offset < bytes(isFrontKnown, isTopLowered)) {
      throw new DamagedValueException(
          "what a stream remembers, in only " + (stored.length - offset) + " bytes");
    }
    StreamState state = new StreamState();
    int at = offset;
    state.last = StreamId.read(stored, at);
    at += StreamId.BYTES;
    state.first = StreamId.read(stored, at);
    at += StreamId.BYTES;
    state.maxDeleted = StreamId.read(stored, at);
    at += StreamId.BYTES;
    state.added = OrderedNumbers.unsignedLong(stored, at);
    state.others = OrderedNumbers.unsignedLong(stored, at + Long.BYTES);
    state.groups = OrderedNumbers.unsignedLong(stored, at + 2 * Long.BYTES);
    state.nodeEntries = OrderedNumbers.unsignedLong(stored, at + 3 * Long.BYTES);
    state.nodeBytes = OrderedNumbers.unsignedLong(stored, at + 4 * Long.BYTES);
    at += 5 * Long.BYTES;
    if (isFrontKnown) {
      state.frontEntries = OrderedNumbers.unsignedLong(stored, at);
      state.frontReach = StreamId.read(stored, at + Long.BYTES);
      at += FRONT_BYTES;
    }
    state.top = isTopLowered ? StreamId.read(stored, at) : state.last;
    return state;
  }

  public void write(byte[] stored, int offset) {
    int at = offset;
    last.write(stored, at);
    at += StreamId.BYTES;
    first.write(stored, at);
    at += StreamId.BYTES;
    maxDeleted.write(stored, at);
    at += StreamId.BYTES;
    OrderedNumbers.putUnsignedLong(stored, at, added);
    OrderedNumbers.putUnsignedLong(stored, at + Long.BYTES, others);
    OrderedNumbers.putUnsignedLong(stored, at + 2 * Long.BYTES, groups);
    OrderedNumbers.putUnsignedLong(stored, at + 3 * Long.BYTES, nodeEntries);
    OrderedNumbers.putUnsignedLong(stored, at + 4 * Long.BYTES, nodeBytes);
    at += 5 * Long.BYTES;
    if (isFrontKnown()) {
      OrderedNumbers.putUnsignedLong(stored, at, frontEntries);
      frontReach.write(stored, at + Long.BYTES);
      at += FRONT_BYTES;
    }
    if (isTopLowered()) {
      top.write(stored, at);
    }
  }
}
