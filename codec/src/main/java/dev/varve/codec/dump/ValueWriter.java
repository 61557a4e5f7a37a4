package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.MemberTable;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.ZMembers;

/**
 * Writes what a key holds, its type first, each in one encoding.
 *
 * <p>Pure functions of a transaction.
 */
final class ValueWriter {
  private ValueWriter() {}

  /**
   * @param meta what the key holds
   */
  static void write(
      DumpOutput output, Transaction transaction, int database, byte[] key, Meta meta) {
    switch (meta.type()) {
      case STRING -> string(output, Strings.value(transaction, database, key, meta));
      case LIST -> {
        try (MemberCursor elements = Lists.elements(transaction, database, key)) {
          members(output, DumpFormat.LIST, meta, elements);
        }
      }
      case SET -> {
        try (MemberCursor members = new MemberTable(transaction, database, key, meta).members()) {
          members(output, DumpFormat.SET, meta, members);
        }
      }
      case HASH -> {
        MemberTable hash = new MemberTable(transaction, database, key, meta);
        try (MemberCursor fields = hash.members()) {
          if (meta.fieldExpiries > 0) {
            expiringFields(output, hash, fields);
          } else {
            fields(output, meta, fields);
          }
        }
      }
      case ZSET -> sortedSet(output, ZMembers.of(transaction, database, key, meta));
      case STREAM -> StreamDumps.write(output, transaction, database, key);
    }
  }

  private static void string(DumpOutput output, Slice value) {
    output.type(DumpFormat.STRING);
    output.string(value.array(), value.offset(), value.length());
  }

  private static void members(DumpOutput output, int type, Meta meta, MemberCursor members) {
    output.type(type);
    output.length(meta.count());
    while (members.next()) {
      output.string(members.array(), members.offset(), members.length());
    }
  }

  private static void fields(DumpOutput output, Meta meta, MemberCursor fields) {
    output.type(DumpFormat.HASH);
    output.length(meta.count());
    while (fields.next()) {
      field(output, fields);
    }
  }

  private static void field(DumpOutput output, MemberCursor fields) {
    output.string(fields.array(), fields.offset(), fields.length());
    Slice value = fields.value();
    output.string(value.array(), value.offset(), value.length());
  }

  private static void expiringFields(DumpOutput output, MemberTable hash, MemberCursor fields) {
    long firstMillis = hash.meta().nextFieldExpiryMillis();
    output.type(DumpFormat.HASH_EXPIRING);
    output.littleEndian(firstMillis, Long.BYTES);
    output.length(hash.meta().count());
    while (fields.next()) {
      Slice field = new Slice(fields.array(), fields.offset(), fields.length());
      long moment = hash.expiryMillis(field.toBytes());
      output.length(moment == Meta.NO_EXPIRY ? 0 : moment - firstMillis + 1);
      field(output, fields);
    }
  }

  private static void sortedSet(DumpOutput output, ZMembers members) {
    output.type(DumpFormat.ZSET);
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
  }
}
