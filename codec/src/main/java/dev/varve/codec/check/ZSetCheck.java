package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.Edges;
import java.util.Arrays;

/** The members of a sorted set, by name and by place. */
final class ZSetCheck {
  private final CheckedKey its;
  private final BucketCheck buckets;
  private final EntryDigest byName = new EntryDigest();
  private final EntryDigest byPlace = new EntryDigest();
  private long members;
  private long places;
  private long bytes;

  private ZSetCheck(CheckedKey its) {
    this.its = its;
    this.buckets = BucketCheck.read(its);
  }

  static void check(CheckedKey its) {
    new ZSetCheck(its).check();
  }

  private void check() {
    its.walk(KeyFormat.MEMBER, this::member);
    its.walk(KeyFormat.INDEX, (stored, value) -> place(stored));
    its.requireCounted("members", its.meta.count(), members);
    its.requireCounted("members by their scores", its.meta.count(), places);
    its.requireCounted("bytes of members and scores", its.meta.bytes(), bytes);
    buckets.finish();
    if (!byName.isSame(byPlace)) {
      its.walk(KeyFormat.INDEX, (stored, value) -> lookUp(stored));
    }
  }

  private void member(byte[] stored, byte[] value) {
    byte[] member = SetCheck.hashed(its, stored);
    members++;
    bytes += member.length + Double.BYTES;
    byte[] place = Arrays.copyOf(value, value.length + member.length);
    System.arraycopy(member, 0, place, value.length, member.length);
    byName.add(place);
  }

  private void place(byte[] stored) {
    places++;
    byte[] place = its.keys.suffixOf(stored);
    byPlace.add(place);
    Edges edges = its.meta.edges();
    byte[] behind = Arrays.copyOf(place, place.length + 1);
    boolean isWithin =
        Arrays.equals(edges.start(place), place) && Arrays.equals(edges.end(behind), behind);
    its.require(isWithin, () -> "the place of " + name(place) + " is beyond the edges");
    buckets.count(place);
  }

  private void lookUp(byte[] stored) {
    byte[] place = its.keys.suffixOf(stored);
    byte[] score =
        place.length < Double.BYTES
            ? null
            : its.get(its.keys.member(its.keys.scoredMemberOf(stored)));
    boolean isItsScore =
        score != null
            && score.length == Double.BYTES
            && Arrays.equals(score, 0, Double.BYTES, place, 0, Double.BYTES);
    its.require(
        isItsScore,
        () -> "member " + name(place) + " is filed under a score that it does not have");
  }

  private static String name(byte[] place) {
    int from = Math.min(place.length, Double.BYTES);
    return Names.quoted(Arrays.copyOfRange(place, from, place.length));
  }
}
