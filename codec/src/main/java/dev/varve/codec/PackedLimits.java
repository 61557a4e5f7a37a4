package dev.varve.codec;

/**
 * Up to where a collection stays packed inside its meta value. A collection that outgrows its limit
 * is spread once and stays so.
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
 */
public record PackedLimits(
    int hashEntriesMax,
    int hashItemBytesMax,
    int setEntriesMax,
    int setItemBytesMax,
    int zsetEntriesMax,
    int zsetItemBytesMax,
    int listEntriesMax,
    int listBytesMax) {

  /** Redis's limits for a listpack, with 128 entries for every type. */
  public static final PackedLimits DEFAULT =
      new PackedLimits(128, 64, 128, 64, 128, 64, 128, 8 * 1024);
}
