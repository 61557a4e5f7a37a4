package dev.varve.codec.format;

import java.util.Arrays;
import java.util.SplittableRandom;

/** The parts of one stored key, with the order that the encoding must have: the test's oracle. */
final class Parts implements Comparable<Parts> {
  private static final byte[] TAGS = {'m', 's', 'z', 'r', 'l', 't', 'g', 'd'};
  private static final byte[] FEW_BYTES = {0, 1, 'a', 'b', 0x7F, (byte) 0x80, (byte) 0xFF};
  private static final double[] FEW_SCORES = {
    0.0,
    -0.0,
    1,
    -1,
    1.5,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    Double.MAX_VALUE,
    Double.NEGATIVE_INFINITY,
    Double.POSITIVE_INFINITY
  };
  private static final long[] FEW_NUMBERS = {0, 1, 255, 256, -1, Long.MIN_VALUE, Long.MAX_VALUE};

  final byte tag;
  final int database;
  final byte[] key;
  final long version;
  final double score;
  final long number;
  final byte[] member;

  private Parts(SplittableRandom random) {
    tag = TAGS[random.nextInt(TAGS.length)];
    database = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(3);
    key = bytes(random);
    version = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(3);
    score =
        random.nextInt(4) == 0
            ? random.nextDouble() * 2000 - 1000
            : FEW_SCORES[random.nextInt(FEW_SCORES.length)];
    number =
        random.nextInt(4) == 0
            ? random.nextLong()
            : FEW_NUMBERS[random.nextInt(FEW_NUMBERS.length)];
    member = bytes(random);
  }

  static Parts random(SplittableRandom random) {
    return new Parts(random);
  }

  private static byte[] bytes(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(5)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = FEW_BYTES[random.nextInt(FEW_BYTES.length)];
    }
    return bytes;
  }

  private int level() {
    return (int) (number & 15);
  }

  boolean inCollection() {
    return tag != 'm' && tag != 't' && tag != 'd';
  }

  boolean sameCollection(Parts other) {
    return database == other.database && version == other.version && Arrays.equals(key, other.key);
  }

  private int hash() {
    return MemberHash.of(member, 0, member.length);
  }

  byte[] encode() {
    CollectionKeys keys = new CollectionKeys(database, key, version);
    return switch (tag) {
      case 'm' -> KeyFormat.meta(database, key);
      case 't' -> KeyFormat.expiry(number, database, key);
      case 'd' -> KeyFormat.database(database);
      case 'g' -> KeyFormat.garbage(database, key, version);
      case 's' -> keys.member(member);
      case 'z' -> keys.index(score, member);
      case 'r' -> keys.rank(level(), member);
      default -> keys.element(number);
    };
  }

  @Override
  public int compareTo(Parts that) {
    int order = Byte.compare(tag, that.tag);
    if (order == 0 && tag == 't') {
      order = Long.compare(number, that.number);
    }
    if (order == 0) {
      order = Integer.compareUnsigned(database, that.database);
    }
    if (tag == 'd' || order != 0) {
      return order;
    }
    if (tag == 'm' || tag == 't') {
      return Arrays.compareUnsigned(key, that.key);
    }
    order = Integer.compare(key.length, that.key.length);
    if (order == 0) {
      order = Arrays.compareUnsigned(key, that.key);
    }
    if (order == 0) {
      order = Long.compareUnsigned(version, that.version);
    }
    if (order != 0 || tag == 'g') {
      return order;
    }
    return switch (tag) {
      case 's' -> {
        int byHash = Integer.compareUnsigned(hash(), that.hash());
        yield byHash == 0 ? Arrays.compareUnsigned(member, that.member) : byHash;
      }
      case 'l' -> Long.compare(number, that.number);
      case 'r' ->
          level() == that.level()
              ? Arrays.compareUnsigned(member, that.member)
              : Integer.compare(level(), that.level());
      default -> {
        // Adding zero makes -0 equal 0, as Redis holds them.
        int byScore = Double.compare(score + 0.0, that.score + 0.0);
        yield byScore == 0 ? Arrays.compareUnsigned(member, that.member) : byScore;
      }
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Parts that && compareTo(that) == 0;
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }

  @Override
  public String toString() {
    return (char) tag
        + " db "
        + database
        + " key "
        + Arrays.toString(key)
        + " version "
        + version
        + " score "
        + score
        + " number "
        + number
        + " member "
        + Arrays.toString(member);
  }
}
