package dev.varve.server.command.listen;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;

/**
 * The room for the names that clients watch and listen to, those of all clients together: they may
 * name as many as they like, and would leave none for anybody else.
 *
 * <p>Keyspace loop only.
 */
public final class NameRoom {
  static final DataException FULL =
      new DataException(
          "ERR clients watch and listen to more than an eighth of the heap has room for");

  private static final int HEAP_PART = 8;

  /** What is kept of a name besides its bytes: its places with its client, and among all names. */
  private static final int NAME_HEAP_BYTES = 256;

  private final long bytesMax;
  private long bytes;

  public NameRoom(long heapBytesMax) {
    this.bytesMax = heapBytesMax / HEAP_PART;
  }

  /**
   * Makes sure that there is room for the arguments of a request.
   *
   * @throws DataException when there is not
   */
  public void require(Args names) {
    if (bytes + names.bytes() + (long) NAME_HEAP_BYTES * names.count() > bytesMax) {
      throw FULL;
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
