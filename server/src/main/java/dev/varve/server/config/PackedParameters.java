package dev.varve.server.config;

import dev.varve.codec.PackedLimits;
import java.util.List;

/** The parameters that say which collections are packed into one value, and which are spread. */
final class PackedParameters {
  private static final int KIBIBYTES_4 = 4096;

  /** A packed collection is one value that every write of it copies: more is taken as this. */
  private static final long PACKED_MAX = 1 << 20;

  private static final int LIST_SIZE_MIN = -5;

  static final Parameter HASH_MAX_ENTRIES =
      packed("hash-max-listpack-entries", 128, "fields of a packed hash");
  static final Parameter HASH_MAX_VALUE =
      packedBytes("hash-max-listpack-value", "bytes of its fields and values");
  static final Parameter SET_MAX_ENTRIES =
      packed("set-max-listpack-entries", 128, "members of a packed set");
  static final Parameter SET_MAX_VALUE =
      packed("set-max-listpack-value", 64, "bytes of its members");
  static final Parameter ZSET_MAX_ENTRIES =
      packed("zset-max-listpack-entries", 128, "members of a packed sorted set");
  static final Parameter ZSET_MAX_VALUE =
      packedBytes("zset-max-listpack-value", "bytes of its members");
  static final Parameter LIST_MAX_SIZE =
      Parameter.integer(
              "list-max-listpack-size",
              -2,
              Integer.MIN_VALUE,
              Integer.MAX_VALUE,
              "elements of a packed list; -1 to -5: 128, in 4, 8, 16, 32, 64 KiB")
          .mutable();
  static final Parameter STREAM_NODE_MAX_ENTRIES =
      Parameter.integer(
              "stream-node-max-entries",
              100,
              0,
              Long.MAX_VALUE,
              "entries that an inexact trim takes or leaves together; 0 for no limit")
          .mutable();
  static final Parameter STREAM_NODE_MAX_BYTES =
      Parameter.memory(
              "stream-node-max-bytes",
              "4096",
              0,
              Long.MAX_VALUE,
              "bytes of such entries; 0 for no limit")
          .mutable();

  /** All of them, in the order in which --help shows them. */
  static final List<Parameter> ALL =
      List.of(
          HASH_MAX_ENTRIES,
          HASH_MAX_VALUE,
          SET_MAX_ENTRIES,
          SET_MAX_VALUE,
          ZSET_MAX_ENTRIES,
          ZSET_MAX_VALUE,
          LIST_MAX_SIZE,
          STREAM_NODE_MAX_ENTRIES,
          STREAM_NODE_MAX_BYTES);

  private PackedParameters() {}

  private static Parameter packed(String name, long byDefault, String help) {
    return Parameter.integer(name, byDefault, 0, Long.MAX_VALUE, help).mutable();
  }

  private static Parameter packedBytes(String name, String help) {
    return Parameter.memory(name, "64", 0, Long.MAX_VALUE, help).mutable();
  }

  /** What they say. */
  static PackedLimits limits(Settings settings) {
    long given = settings.number(LIST_MAX_SIZE);
    // As in Redis, which takes any number, and what is beyond as the last that it knows.
    int listSize = (int) Math.max(LIST_SIZE_MIN, Math.min(PACKED_MAX, given));
    // As in Redis: -1 is 4 KiB, and each further step doubles it.
    int listBytesMax = listSize < 0 ? KIBIBYTES_4 << (-listSize - 1) : Integer.MAX_VALUE;
    int listEntriesMax = listSize < 0 ? PackedLimits.DEFAULT.listEntriesMax() : listSize;
    return new PackedLimits(
            limit(settings, HASH_MAX_ENTRIES),
            limit(settings, HASH_MAX_VALUE),
            limit(settings, SET_MAX_ENTRIES),
            limit(settings, SET_MAX_VALUE),
            limit(settings, ZSET_MAX_ENTRIES),
            limit(settings, ZSET_MAX_VALUE),
            listEntriesMax,
            Math.min(listBytesMax, KIBIBYTES_4 << 4))
        .withStreamNodes(
            limit(settings, STREAM_NODE_MAX_ENTRIES), limit(settings, STREAM_NODE_MAX_BYTES));
  }

  private static int limit(Settings settings, Parameter parameter) {
    return (int) Math.min(PACKED_MAX, settings.number(parameter));
  }
}
