package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.Meta;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Reads a value in any of its encodings and hands it out, a long collection in pieces.
 *
 * <p>For one value, on one thread. Throws DamagedValueException where the bytes do not say what
 * they should.
 */
final class ValueReader {
  /** What a value has at most of in one piece: entries, and bytes of their items. */
  record Limit(int entries, long bytes) {
    /** All of it is one piece. */
    static final Limit NONE = new Limit(Integer.MAX_VALUE, Long.MAX_VALUE);
  }

  private static final int PLAIN = 1;
  private static final int PACKED = 2;

  /** A member's length, and a score of 8 bytes or of text. */
  private static final int SCORED_BYTES_MIN = 2;

  /** The lengths of a field and its value, and its delay. */
  private static final int EXPIRING_BYTES_MIN = 3;

  private static final long NO_MOMENT_OF_VALKEY = -1;
  private static final int FIRST_ENTRIES = 16;

  private final DumpInput input;
  private final boolean isOfValkey;
  private final Limit limit;
  private final Consumer<DumpedValue> pieces;

  private ValueType type = ValueType.STRING;
  private List<byte[]> items = new ArrayList<>();
  private long itemBytes;

  /**
   * Of the sorted set's members, or of the hash's fields: either is there for each, or for none.
   */
  private double[] scores = {};

  private long[] moments = {};
  private int entries;
  private boolean hasMoments;

  /**
   * @param version the format's, which what is read has said
   * @param pieces is given the value; nothing if it is a collection that is empty
   */
  ValueReader(DumpInput input, long version, Limit limit, Consumer<DumpedValue> pieces) {
    this.input = input;
    this.isOfValkey = version == DumpFormat.VERSION_OF_VALKEY;
    this.limit = limit;
    this.pieces = pieces;
  }

  /** Reads the value behind this code. */
  void read(int code) {
    input.beginValue();
    hasMoments = false;
    switch (code) {
      case DumpFormat.STRING -> {
        item(input.string());
        endEntry(ValueType.STRING);
      }
      case DumpFormat.LIST -> elements(ValueType.LIST);
      case DumpFormat.SET -> elements(ValueType.SET);
      case DumpFormat.HASH -> hash();
      case DumpFormat.ZSET -> sortedSet(true);
      case DumpFormat.ZSET_TEXT -> sortedSet(false);
      case DumpFormat.HASH_ZIPMAP -> unpack(ValueType.HASH, PackedBlobs::zipmap);
      case DumpFormat.SET_INTSET -> unpack(ValueType.SET, PackedBlobs::intset);
      case DumpFormat.LIST_ZIPLIST -> unpack(ValueType.LIST, PackedBlobs::ziplist);
      case DumpFormat.HASH_ZIPLIST -> unpack(ValueType.HASH, PackedBlobs::ziplist);
      case DumpFormat.ZSET_ZIPLIST -> unpack(ValueType.ZSET, PackedBlobs::ziplist);
      case DumpFormat.SET_LISTPACK -> unpack(ValueType.SET, Listpack::read);
      case DumpFormat.HASH_LISTPACK -> unpack(ValueType.HASH, Listpack::read);
      case DumpFormat.ZSET_LISTPACK -> unpack(ValueType.ZSET, Listpack::read);
      case DumpFormat.LIST_QUICKLIST -> {
        for (int left = input.count(1); left > 0; left--) {
          unpack(ValueType.LIST, PackedBlobs::ziplist);
        }
      }
      case DumpFormat.LIST_QUICKLIST_2 -> {
        for (int left = input.count(2); left > 0; left--) {
          quicklistNode();
        }
      }
      case DumpFormat.STREAM -> stream(StreamReader.Version.OF_REDIS_5);
      case DumpFormat.STREAM_2 -> stream(StreamReader.Version.OF_REDIS_7);
      case DumpFormat.STREAM_3 -> stream(StreamReader.Version.OF_REDIS_7_2);
      case DumpFormat.HASH_EXPIRING -> expiringHash();
      case DumpFormat.HASH_EXPIRING_LISTPACK -> expiringListpack();
      case DumpFormat.HASH_OF_VALKEY -> {
        if (!isOfValkey) {
          throw damaged("the type " + code);
        }
        hashOfValkey();
      }
      default -> throw damaged("the type " + code);
    }
    if (entries > 0) {
      handOut();
    }
  }

  // The encodings -----------------------------------------------------------------------------

  private void elements(ValueType type) {
    for (int left = input.count(1); left > 0; left--) {
      item(input.string());
      endEntry(type);
    }
  }

  private void hash() {
    for (int left = input.count(2); left > 0; left--) {
      item(input.string());
      item(input.string());
      endEntry(ValueType.HASH);
    }
  }

  private void sortedSet(boolean isBinary) {
    for (int left = input.count(SCORED_BYTES_MIN); left > 0; left--) {
      item(input.string());
      score(isBinary ? input.binaryDouble() : input.textDouble());
      endEntry(ValueType.ZSET);
    }
  }

  private void expiringHash() {
    long firstMillis = input.littleEndian(Long.BYTES);
    for (int left = input.count(EXPIRING_BYTES_MIN); left > 0; left--) {
      long delay = input.length();
      item(input.string());
      item(input.string());
      moment(delay == 0 ? Meta.NO_EXPIRY : firstMillis + delay - 1);
      endEntry(ValueType.HASH);
    }
  }

  private void expiringListpack() {
    // The earliest of the moments that follow.
    input.littleEndian(Long.BYTES);
    List<byte[]> blob = items(Listpack::read);
    if (blob.size() % 3 != 0) {
      throw damaged("a field without a moment");
    }
    for (int i = 0; i < blob.size(); i += 3) {
      item(blob.get(i));
      item(blob.get(i + 1));
      long moment = DumpInput.number(blob.get(i + 2), "a moment that is no number");
      moment(moment == 0 ? Meta.NO_EXPIRY : moment);
      endEntry(ValueType.HASH);
    }
  }

  private void hashOfValkey() {
    for (int left = input.count(2 + Long.BYTES); left > 0; left--) {
      item(input.string());
      item(input.string());
      long moment = input.littleEndian(Long.BYTES);
      moment(moment == NO_MOMENT_OF_VALKEY ? Meta.NO_EXPIRY : moment);
      endEntry(ValueType.HASH);
    }
  }

  private void quicklistNode() {
    long container = input.length();
    if (container == PLAIN) {
      item(input.string());
      endEntry(ValueType.LIST);
    } else if (container == PACKED) {
      unpack(ValueType.LIST, Listpack::read);
    } else {
      throw damaged("a list node of the kind " + container);
    }
  }

  private void stream(StreamReader.Version version) {
    new StreamReader(input, version, limit, piece -> pieces.accept(DumpedValue.of(piece))).read();
  }

  /** The items of a blob that a string is. */
  private List<byte[]> items(BiConsumer<byte[], Consumer<byte[]>> format) {
    List<byte[]> its = new ArrayList<>();
    format.accept(input.string(), input.into(its));
    return its;
  }

  private void unpack(ValueType type, BiConsumer<byte[], Consumer<byte[]>> format) {
    List<byte[]> blob = items(format);
    boolean arePairs = type == ValueType.HASH || type == ValueType.ZSET;
    if (arePairs && blob.size() % 2 != 0) {
      throw damaged(blob.size() + " items");
    }
    for (int i = 0; i < blob.size(); i += arePairs ? 2 : 1) {
      item(blob.get(i));
      if (type == ValueType.HASH) {
        item(blob.get(i + 1));
      } else if (type == ValueType.ZSET) {
        score(DumpInput.score(blob.get(i + 1)));
      }
      endEntry(type);
    }
  }

  // The piece that is being read ---------------------------------------------------------------

  private void item(byte[] item) {
    items.add(item);
    itemBytes += item.length;
  }

  private void score(double score) {
    if (entries == scores.length) {
      scores = Arrays.copyOf(scores, Math.max(FIRST_ENTRIES, 2 * entries));
    }
    scores[entries] = score;
  }

  private void moment(long millis) {
    if (millis < 0) {
      throw damaged("a field that expires before 1970");
    }
    if (entries == moments.length) {
      moments = Arrays.copyOf(moments, Math.max(FIRST_ENTRIES, 2 * entries));
    }
    moments[entries] = millis;
    hasMoments = true;
  }

  private void endEntry(ValueType its) {
    type = its;
    entries++;
    if (entries >= limit.entries() || itemBytes >= limit.bytes()) {
      handOut();
    }
  }

  private void handOut() {
    DumpedValue piece =
        new DumpedValue(
            type,
            items,
            type == ValueType.ZSET ? Arrays.copyOf(scores, entries) : DumpedValue.NO_SCORES,
            hasMoments ? Arrays.copyOf(moments, entries) : DumpedValue.NO_MOMENTS,
            null);
    items = new ArrayList<>();
    itemBytes = 0;
    entries = 0;
    requireDifferent(piece);
    pieces.accept(piece);
  }

  /**
   * No member may come twice in what is taken up at once. One that comes again in a later piece is
   * found there, as if a client had named it again.
   */
  private void requireDifferent(DumpedValue piece) {
    ValueType its = piece.type();
    if (its != ValueType.SET && its != ValueType.HASH && its != ValueType.ZSET) {
      return;
    }
    Set<Slice> seen = new HashSet<>();
    for (int i = 0; i < piece.items().size(); i += its == ValueType.HASH ? 2 : 1) {
      input.step();
      if (!seen.add(Slice.of(piece.items().get(i)))) {
        throw damaged("a member twice");
      }
    }
  }
}
