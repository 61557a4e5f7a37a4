package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.RepeatingSample;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the tests of hashes, sets and lists share. */
public final class Members {
  /** Small, so that collections grow beyond them often. */
  public static final PackedLimits SMALL_LIMITS = new PackedLimits(6, 10, 6, 10, 6, 10, 6, 40);

  private static final int MANY = 100;

  private Members() {}

  /** A member out of few, so that operations meet: binary, some empty, some too long to pack. */
  public static String random(SplittableRandom random, int different) {
    int number = random.nextInt(different);
    return switch (number) {
      case 0 -> "";
      case 1 -> "\0";
      case 2 -> "\u00FF\u00FF";
      case 3 -> "a member of twenty-nine bytes";
      default -> number % 3 == 0 ? Integer.toString(number) : "m\u0080" + number;
    };
  }

  /**
   * How many members one command names at most: few, and now and then so many that they are taken
   * up in an order of their own.
   */
  public static int countMax(SplittableRandom random, int few) {
    return random.nextInt(4) == 0 ? MANY : few;
  }

  /** Some of them. */
  public static List<String> randoms(SplittableRandom random, int different, int countMax) {
    List<String> members = new ArrayList<>();
    for (int left = 1 + random.nextInt(countMax); left > 0; left--) {
      members.add(random(random, different));
    }
    return members;
  }

  public static byte[][] bytes(List<String> texts) {
    return texts.stream().map(Keyspace::bytes).toArray(byte[][]::new);
  }

  public static byte[][] bytes(String... texts) {
    return bytes(List.of(texts));
  }

  public static @Nullable String text(@Nullable Slice slice) {
    return slice == null ? null : Keyspace.text(slice.toBytes());
  }

  public static List<String> texts(List<Slice> slices) {
    return slices.stream().map(slice -> Keyspace.text(slice.toBytes())).toList();
  }

  /** All members of a walk, each field of a hash followed by its value. */
  public static List<String> walk(
      Keyspace keyspace, Function<Transaction, MemberCursor> walk, boolean withValues) {
    return keyspace.run(
        transaction -> {
          List<String> found = new ArrayList<>();
          boolean isSample;
          try (MemberCursor cursor = walk.apply(transaction)) {
            isSample = cursor instanceof RepeatingSample;
            while (cursor.next()) {
              found.add(Keyspace.text(cursor.bytes()));
              if (withValues) {
                found.add(Keyspace.text(cursor.value().toBytes()));
              }
            }
            long count = cursor.count();
            if (count != MemberCursor.UNKNOWN) {
              assertEquals(count, withValues ? found.size() / 2 : found.size());
            }
          }
          // A sample is another one each time.
          for (int steps = 0; steps < 3 && !isSample; steps++) {
            assertEquals(found, handed(walk.apply(transaction), withValues, steps));
          }
          return found;
        });
  }

  /** The same by so many steps, and what is left handed over at once. */
  private static List<String> handed(MemberCursor walk, boolean withValues, int steps) {
    List<String> found = new ArrayList<>();
    try (MemberCursor cursor = walk) {
      for (int i = 0; i < steps; i++) {
        if (!cursor.next()) {
          return found;
        }
        found.add(Keyspace.text(cursor.bytes()));
        if (withValues) {
          found.add(Keyspace.text(cursor.value().toBytes()));
        }
      }
      if (withValues) {
        cursor.handRestWithValues(
            (array, offset, length, values, value, valueLength) -> {
              found.add(Keyspace.text(new Slice(array, offset, length).toBytes()));
              found.add(Keyspace.text(new Slice(values, value, valueLength).toBytes()));
            });
      } else {
        cursor.handRest(
            (array, offset, length) ->
                found.add(Keyspace.text(new Slice(array, offset, length).toBytes())));
      }
    }
    return found;
  }

  /** The bytes that a spread collection counts are those that its entries have. */
  public static void assertBytesCounted(Keyspace keyspace, byte[] key) {
    keyspace.apply(
        transaction -> {
          Meta meta = transaction.find(0, key);
          if (meta == null || !meta.isSpread()) {
            return;
          }
          CollectionKeys keys = meta.keys(transaction.databaseId(0), key);
          boolean isList = meta.type() == ValueType.LIST;
          byte tag = isList ? KeyFormat.LIST : KeyFormat.MEMBER;
          long bytes = 0;
          try (StoreCursor cursor = transaction.cursor(keys.end(tag))) {
            boolean found = cursor.seek(keys.prefix(tag));
            for (; found && keys.owns(tag, cursor.key()); found = cursor.next()) {
              byte[] stored = cursor.key();
              if (isList && !has(meta, OrderedNumbers.getLong(stored, stored.length - 8))) {
                continue;
              }
              bytes += cursor.value().length;
              bytes += isList ? 0 : keys.memberOf(cursor.key()).length;
            }
          }
          assertEquals(bytes, meta.bytes());
        });
  }

  /** Whether a list has an element at this position; entries of popped ones may be there still. */
  private static boolean has(Meta list, long position) {
    return list.head() <= position && position < list.tail();
  }

  /**
   * How unevenly {@code counts} are spread, as chi-square per degree of freedom: about 1 is even.
   */
  public static double unevenness(int[] counts) {
    double mean = 0;
    for (int count : counts) {
      mean += (double) count / counts.length;
    }
    double chiSquare = 0;
    for (int count : counts) {
      chiSquare += (count - mean) * (count - mean) / mean;
    }
    return chiSquare / (counts.length - 1);
  }
}
