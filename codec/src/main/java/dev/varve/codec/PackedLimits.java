package dev.varve.codec;

/**
 * Up to where a collection or string stays inside its meta value. One that outgrows its limit is
 * spread once and stays so.
 *
 * <p>Immutable, for any thread.
 *
 * @param hashEntriesMax fields of a packed hash
 * @param hashItemBytesMax bytes of each of its fields and values
 * @param setEntriesMax members of a packed set
 * @param setItemBytesMax bytes of each of its members
 * @param zsetEntriesMax members of a packed sorted set
 * @param zsetItemBytesMax bytes of each of its members
 * @param listEntriesMax elements of a packed list
 * @param listBytesMax bytes of all its elements together
 * @param stringBytesMax bytes of a string in one piece that is set as a whole
 * @param editedStringBytesMax bytes of a string in one piece that is edited
 * @param fragmentBytes how many bytes each fragment of a longer string has that is set as a whole;
 *     a power of two
 * @param editedFragmentBytes the same of one that outgrew a piece by being edited
 * @param streamNodeEntriesMax entries of a stream that an inexact trim treats as one
 * @param streamNodeBytesMax bytes of them, roughly
 */
public record PackedLimits(
    int hashEntriesMax,
    int hashItemBytesMax,
    int setEntriesMax,
    int setItemBytesMax,
    int zsetEntriesMax,
    int zsetItemBytesMax,
    int listEntriesMax,
    int listBytesMax,
    int stringBytesMax,
    int editedStringBytesMax,
    int fragmentBytes,
    int editedFragmentBytes,
    int streamNodeEntriesMax,
    int streamNodeBytesMax) {

  /** Of entries or bytes of a node that has no limit of that kind. */
  public static final int ANY_NUMBER = Integer.MAX_VALUE;

  private static final int FRAGMENT_BYTES = 4096;

  /** What is written at once when a bit changes in a long string, to the log and to memory. */
  private static final int EDITED_FRAGMENT_BYTES = 512;

  private static final int EDITED_STRING_BYTES_MAX = 4 * EDITED_FRAGMENT_BYTES;
  private static final int STREAM_NODE_ENTRIES_MAX = 100;
  private static final int STREAM_NODE_BYTES_MAX = 4096;
  private static final int STRING_BYTES_MAX = 64 * FRAGMENT_BYTES;

  /** With the usual limits for strings. */
  public PackedLimits(
      int hashEntriesMax,
      int hashItemBytesMax,
      int setEntriesMax,
      int setItemBytesMax,
      int zsetEntriesMax,
      int zsetItemBytesMax,
      int listEntriesMax,
      int listBytesMax) {
    this(
        hashEntriesMax,
        hashItemBytesMax,
        setEntriesMax,
        setItemBytesMax,
        zsetEntriesMax,
        zsetItemBytesMax,
        listEntriesMax,
        listBytesMax,
        STRING_BYTES_MAX,
        EDITED_STRING_BYTES_MAX,
        FRAGMENT_BYTES,
        EDITED_FRAGMENT_BYTES,
        STREAM_NODE_ENTRIES_MAX,
        STREAM_NODE_BYTES_MAX);
  }

  /** The same with other limits for strings. */
  public PackedLimits withStrings(
      int bytesMax, int editedBytesMax, int itsFragmentBytes, int itsEditedFragmentBytes) {
    return new PackedLimits(
        hashEntriesMax,
        hashItemBytesMax,
        setEntriesMax,
        setItemBytesMax,
        zsetEntriesMax,
        zsetItemBytesMax,
        listEntriesMax,
        listBytesMax,
        bytesMax,
        editedBytesMax,
        itsFragmentBytes,
        itsEditedFragmentBytes,
        streamNodeEntriesMax,
        streamNodeBytesMax);
  }

  /** The same with other nodes of streams; 0 for no limit. */
  public PackedLimits withStreamNodes(int entriesMax, int bytesMax) {
    return new PackedLimits(
        hashEntriesMax,
        hashItemBytesMax,
        setEntriesMax,
        setItemBytesMax,
        zsetEntriesMax,
        zsetItemBytesMax,
        listEntriesMax,
        listBytesMax,
        stringBytesMax,
        editedStringBytesMax,
        fragmentBytes,
        editedFragmentBytes,
        entriesMax == 0 ? ANY_NUMBER : entriesMax,
        bytesMax == 0 ? ANY_NUMBER : bytesMax);
  }

  /** Redis's limits for a listpack, with 128 entries for every type. */
  public static final PackedLimits DEFAULT =
      new PackedLimits(128, 64, 128, 64, 128, 64, 128, 8 * 1024);
}
