package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.Edges;
import java.util.Arrays;

/** The members of a sorted set, by name and by place. */
final class ZSetCheck {
  private final CheckedKey checkedKey;
  private final BucketCheck buckets;
  private final EntryDigest byName = new EntryDigest();
  private final EntryDigest byPlace = new EntryDigest();
  private long members;
  private long places;
  private long bytes;

  private ZSetCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
    this.buckets = BucketCheck.read(checkedKey);
  }

  static void check(CheckedKey checkedKey) {
    new ZSetCheck(checkedKey).check();
  }

  private void check() {
    checkedKey.walk(KeyFormat.MEMBER, this::member);
    checkedKey.walk(KeyFormat.INDEX, (stored, value) -> place(stored));
    checkedKey.requireCounted("members", checkedKey.meta.count(), members);
    checkedKey.requireCounted("members by their scores", checkedKey.meta.count(), places);
    checkedKey.requireCounted("bytes of members and scores", checkedKey.meta.bytes(), bytes);
    buckets.finish();
    if (!byName.isSame(byPlace)) {
      checkedKey.walk(KeyFormat.INDEX, (stored, value) -> lookUp(stored));
    }
  }

  private void member(byte[] stored, byte[] value) {
    byte[] member = SetCheck.hashed(checkedKey, stored);
    members++;
    bytes += member.length + Double.BYTES;
    byte[] place = Arrays.copyOf(value, value.length + member.length);
    System.arraycopy(member, 0, place, value.length, member.length);
    byName.add(place);
  }

  private void place(byte[] stored) {
    places++;
    byte[] place = checkedKey.keys.suffixOf(stored);
    byPlace.add(place);
    Edges edges = checkedKey.meta.edges();
    byte[] behind = Arrays.copyOf(place, place.length + 1);
    boolean isWithin =
        Arrays.equals(edges.start(place), place) && Arrays.equals(edges.end(behind), behind);
    checkedKey.require(isWithin, () -> "the place of " + name(place) + " is beyond the edges");
    buckets.count(place);
  }

  private void lookUp(byte[] stored) {
    byte[] place = checkedKey.keys.suffixOf(stored);
    byte[] score =
        place.length < Double.BYTES
            ? null
            : checkedKey.get(checkedKey.keys.member(checkedKey.keys.scoredMemberOf(stored)));
    boolean isItsScore =
        score != null
            && score.length == Double.BYTES
            && Arrays.equals(score, 0, Double.BYTES, place, 0, Double.BYTES);
    checkedKey.require(
        isItsScore,
        () -> "member " + name(place) + " is filed under a score that it does not have");
  }

  private static String name(byte[] place) {
    int from = Math.min(place.length, Double.BYTES);
    return Names.quoted(Arrays.copyOfRange(place, from, place.length));
  }
}
