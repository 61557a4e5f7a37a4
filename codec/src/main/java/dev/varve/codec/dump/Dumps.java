package dev.varve.codec.dump;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.Slice;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.MemberTable;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.ZMembers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whole values and libraries in the format of Redis, out and in.
 *
 * <p>Pure functions of a transaction.
 */
public final class Dumps {
  private static final DataException NOT_INTACT =
      new DataException("ERR DUMP payload version or checksum are wrong");
  private static final DataException BAD_FORMAT = new DataException("ERR Bad data format");
  private static final DataException NO_LIBRARIES =
      new DataException("ERR given type is not a function");
  private static final DataException BAD_LIBRARIES =
      new DataException("ERR Failed loading library payload");
  private static final DataException BUSY =
      new DataException("BUSYKEY Target key name already exists.");

  private Dumps() {}

  /** What {@code key} holds, as a payload; null if there is nothing. */
  public static byte @Nullable [] dump(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key);
    if (meta == null) {
      return null;
    }
    return switch (meta.type()) {
      case STRING -> string(Strings.value(transaction, database, key, meta));
      case LIST -> {
        try (MemberCursor elements = Lists.elements(transaction, database, key)) {
          yield members(DumpOutput.ofList(), meta, elements);
        }
      }
      case SET -> {
        try (MemberCursor members = new MemberTable(transaction, database, key, meta).members()) {
          yield members(DumpOutput.ofSet(), meta, members);
        }
      }
      case HASH -> {
        MemberTable hash = new MemberTable(transaction, database, key, meta);
        try (MemberCursor fields = hash.members()) {
          yield meta.fieldExpiries > 0 ? expiringFields(hash, fields) : fields(meta, fields);
        }
      }
      case ZSET -> sortedSet(ZMembers.of(transaction, database, key, meta));
      case STREAM -> StreamDumps.dump(transaction, database, key);
    };
  }

  private static byte[] string(Slice value) {
    DumpOutput output = DumpOutput.ofString();
    output.string(value.array(), value.offset(), value.length());
    return output.finish();
  }

  private static byte[] members(DumpOutput output, Meta meta, MemberCursor members) {
    output.length(meta.count());
    while (members.next()) {
      output.string(members.array(), members.offset(), members.length());
    }
    return output.finish();
  }

  private static byte[] fields(Meta meta, MemberCursor fields) {
    DumpOutput output = DumpOutput.ofHash();
    output.length(meta.count());
    while (fields.next()) {
      output.string(fields.array(), fields.offset(), fields.length());
      Slice value = fields.value();
      output.string(value.array(), value.offset(), value.length());
    }
    return output.finish();
  }

  private static byte[] expiringFields(MemberTable hash, MemberCursor fields) {
    long firstMillis = hash.meta().nextFieldExpiryMillis();
    DumpOutput output = DumpOutput.ofExpiringHash(firstMillis);
    output.length(hash.meta().count());
    while (fields.next()) {
      Slice field = new Slice(fields.array(), fields.offset(), fields.length());
      long moment = HashExpiry.expiryMillis(hash, field.toBytes());
      output.length(moment == Meta.NO_EXPIRY ? 0 : moment - firstMillis + 1);
      output.string(field.array(), field.offset(), field.length());
      Slice value = fields.value();
      output.string(value.array(), value.offset(), value.length());
    }
    return output.finish();
  }

  private static byte[] sortedSet(ZMembers members) {
    DumpOutput output = DumpOutput.ofSortedSet();
    output.length(members.size());
    // From the last on, as Redis has it: what is read is then always put to the front.
    members.walkRanks(
        members.size() - 1,
        members.size(),
        true,
        (array, offset, length, score) -> {
          output.string(array, offset, length);
          output.score(score);
        });
    return output.finish();
  }

  /**
   * Refuses a name that is taken.
   *
   * @throws DataException BUSYKEY
   */
  public static void requireFree(Transaction transaction, int database, byte[] key) {
    if (transaction.peek(database, key) != null) {
      throw BUSY;
    }
  }

  /**
   * Makes the value in a payload what {@code key} holds, whatever it held.
   *
   * @param expiryMillis when it expires, or {@link Meta#NO_EXPIRY}; at a moment that is not in the
   *     future nothing is stored, nor of a hash whose fields have all expired
   * @throws DataException when the payload is damaged, of a newer version, or holds no value
   */
  public static void restore(
      Transaction transaction, int database, byte[] key, long expiryMillis, byte[] payload) {
    if (!DumpReader.isIntact(payload)) {
      throw NOT_INTACT;
    }
    DumpedValue value;
    try {
      value = DumpReader.read(payload);
    } catch (DamagedValueException damaged) {
      throw BAD_FORMAT;
    }
    Meta old = transaction.findForWrite(database, key);
    if (old != null) {
      transaction.remove(database, key, old);
    }
    if (DumpedValues.create(transaction, database, key, expiryMillis, value)) {
      transaction.event(EventClass.GENERIC, "restore", database, key);
    } else if (old != null) {
      transaction.event(EventClass.GENERIC, "del", database, key);
    }
  }

  /** Libraries of functions as a payload, each by all of its code. */
  public static byte[] dumpLibraries(List<byte[]> codes) {
    return LibraryDump.write(codes);
  }

  /**
   * The codes in what {@link #dumpLibraries} or Redis gave.
   *
   * @throws DataException when it is nothing of that kind
   */
  public static List<byte[]> libraries(byte[] payload) {
    if (!DumpReader.isIntact(payload)) {
      throw NOT_INTACT;
    }
    List<byte[]> codes;
    try {
      codes = LibraryDump.read(payload);
    } catch (DamagedValueException damaged) {
      throw BAD_LIBRARIES;
    }
    if (codes == null) {
      throw NO_LIBRARIES;
    }
    return codes;
  }
}
