package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads payloads that clients give to RESTORE.
 *
 * <p>Pure functions, for any thread.
 */
final class DumpReader {
  private static final double[] NO_SCORES = {};
  private static final int PLAIN = 1;
  private static final int PACKED = 2;

  /** A member's length, and a score of 8 bytes or of text. */
  private static final int SCORED_BYTES_MIN = 2;

  private DumpReader() {}

  /** Whether a payload is whole, and of a version that is known here. */
  public static boolean isIntact(byte[] payload) {
    int footer = payload.length - DumpFormat.FOOTER_BYTES;
    if (footer < 0) {
      return false;
    }
    long version = DumpInput.littleEndian(payload, footer, Short.BYTES);
    int checksumAt = footer + Short.BYTES;
    return version <= DumpFormat.VERSION
        && DumpInput.littleEndian(payload, checksumAt, Long.BYTES) == Crc64.of(payload, checksumAt);
  }

  /**
   * The value in an intact payload.
   *
   * @throws DamagedValueException when there is none that could be stored
   */
  public static DumpedValue read(byte[] payload) {
    int footer = payload.length - DumpFormat.FOOTER_BYTES;
    DumpInput input = new DumpInput(payload, 0, footer);
    int code = input.unsignedByte();
    List<byte[]> items = new ArrayList<>();
    return switch (code) {
      case DumpFormat.STRING ->
          new DumpedValue(ValueType.STRING, List.of(input.string()), NO_SCORES);
      case DumpFormat.LIST, DumpFormat.SET, DumpFormat.HASH -> {
        int perEntry = code == DumpFormat.HASH ? 2 : 1;
        for (long left = (long) perEntry * input.count(perEntry); left > 0; left--) {
          items.add(input.string());
        }
        yield value(
            code == DumpFormat.LIST
                ? ValueType.LIST
                : code == DumpFormat.SET ? ValueType.SET : ValueType.HASH,
            items);
      }
      case DumpFormat.ZSET, DumpFormat.ZSET_TEXT -> sortedSet(input, code == DumpFormat.ZSET);
      case DumpFormat.HASH_ZIPMAP -> {
        PackedBlobs.zipmap(input.string(), items);
        yield value(ValueType.HASH, items);
      }
      case DumpFormat.SET_INTSET -> {
        PackedBlobs.intset(input.string(), items);
        yield value(ValueType.SET, items);
      }
      case DumpFormat.LIST_ZIPLIST, DumpFormat.ZSET_ZIPLIST, DumpFormat.HASH_ZIPLIST -> {
        PackedBlobs.ziplist(input.string(), items);
        yield packed(
            code == DumpFormat.LIST_ZIPLIST
                ? ValueType.LIST
                : code == DumpFormat.ZSET_ZIPLIST ? ValueType.ZSET : ValueType.HASH,
            items);
      }
      case DumpFormat.HASH_LISTPACK, DumpFormat.ZSET_LISTPACK -> {
        Listpack.read(input.string(), items);
        yield packed(code == DumpFormat.HASH_LISTPACK ? ValueType.HASH : ValueType.ZSET, items);
      }
      case DumpFormat.LIST_QUICKLIST -> {
        for (int left = input.count(1); left > 0; left--) {
          PackedBlobs.ziplist(input.string(), items);
        }
        yield value(ValueType.LIST, items);
      }
      case DumpFormat.LIST_QUICKLIST_2 -> {
        for (int left = input.count(2); left > 0; left--) {
          quicklistNode(input, items);
        }
        yield value(ValueType.LIST, items);
      }
      case DumpFormat.STREAM, DumpFormat.STREAM_2 ->
          new DumpedValue(
              ValueType.STREAM,
              List.of(),
              NO_SCORES,
              StreamReader.read(input, code == DumpFormat.STREAM_2));
      default -> throw damaged("the type " + code);
    };
  }

  private static void quicklistNode(DumpInput input, List<byte[]> items) {
    long container = input.length();
    if (container == PLAIN) {
      items.add(input.string());
    } else if (container == PACKED) {
      Listpack.read(input.string(), items);
    } else {
      throw damaged("a list node of the kind " + container);
    }
  }

  private static DumpedValue sortedSet(DumpInput input, boolean isBinary) {
    int count = input.count(SCORED_BYTES_MIN);
    List<byte[]> members = new ArrayList<>(count);
    double[] scores = new double[count];
    for (int i = 0; i < count; i++) {
      members.add(input.string());
      scores[i] = isBinary ? input.binaryDouble() : input.textDouble();
    }
    return checked(new DumpedValue(ValueType.ZSET, members, scores), 1);
  }

  private static DumpedValue packed(ValueType type, List<byte[]> items) {
    if (type != ValueType.ZSET) {
      return value(type, items);
    }
    if (items.size() % 2 != 0) {
      throw damaged("a member without a score");
    }
    List<byte[]> members = new ArrayList<>(items.size() / 2);
    double[] scores = new double[items.size() / 2];
    for (int i = 0; i < scores.length; i++) {
      members.add(items.get(2 * i));
      scores[i] = DumpInput.score(items.get(2 * i + 1));
    }
    return checked(new DumpedValue(type, members, scores), 1);
  }

  private static DumpedValue value(ValueType type, List<byte[]> items) {
    return checked(new DumpedValue(type, items, NO_SCORES), type == ValueType.HASH ? 2 : 1);
  }

  private static DumpedValue checked(DumpedValue value, int perEntry) {
    List<byte[]> items = value.items();
    if (items.isEmpty() || items.size() % perEntry != 0) {
      throw damaged(items.size() + " items");
    }
    if (value.type() != ValueType.LIST) {
      Set<Slice> seen = new HashSet<>();
      for (int i = 0; i < items.size(); i += perEntry) {
        if (!seen.add(Slice.of(items.get(i)))) {
          throw damaged("a member twice");
        }
      }
    }
    return value;
  }
}
