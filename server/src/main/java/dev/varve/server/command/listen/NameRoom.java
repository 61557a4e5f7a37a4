package dev.varve.server.command.listen;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;

/**
 * The room for names that clients give, those of all clients together: they may name as many as
 * they like, and would leave none for anybody else.
 *
 * <p>Keyspace loop only.
 */
public final class NameRoom {
  private static final int HEAP_PART = 8;

  /** What is kept of a name besides its bytes: its places with its client, and among all names. */
  private static final int NAME_HEAP_BYTES = 256;

  private final long bytesMax;
  private final DataException full;
  private long bytes;

  private NameRoom(long heapBytesMax, String what) {
    this.bytesMax = heapBytesMax / HEAP_PART;
    this.full =
        new DataException("ERR clients " + what + " more than an eighth of the heap has room for");
  }

  /** The room for what they watch, have subscribed to, and want to be told of by prefix. */
  public static NameRoom ofListened(long heapBytesMax) {
    return new NameRoom(heapBytesMax, "watch and listen to");
  }

  /** The room for the keys that they wait for. */
  public static NameRoom ofAwaited(long heapBytesMax) {
    return new NameRoom(heapBytesMax, "wait for");
  }

  /**
   * Makes sure that there is room for the arguments of a request.
   *
   * @throws DataException when there is not
   */
  public void require(Args names) {
    require(names.bytes(), names.count());
  }

  /**
   * The same for so many names.
   *
   * @param namesBytes how long they are together
   */
  void require(long namesBytes, int count) {
    if (bytes + namesBytes + (long) NAME_HEAP_BYTES * count > bytesMax) {
      throw full;
    }
  }

  /** A client has named this. */
  void taken(byte[] name) {
    bytes += NAME_HEAP_BYTES + name.length;
  }

  /** A client, who has named it, is through with it. */
  void given(byte[] name) {
    bytes -= NAME_HEAP_BYTES + name.length;
  }
}
