package dev.varve.codec.zset;

import static dev.varve.codec.Keyspace.bytes;

import dev.varve.codec.Keyspace;
import dev.varve.codec.Meta;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What the tests of sorted sets do again and again. */
abstract class ZSetFixture {
  static final byte[] KEY = bytes("k");
  static final double INFINITY = Double.POSITIVE_INFINITY;

  final Keyspace keyspace = new Keyspace();

  ZSets.Added add(String key, Object... scoresAndMembers) {
    double[] scores = new double[scoresAndMembers.length / 2];
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      scores[i] = ((Number) scoresAndMembers[2 * i]).doubleValue();
      members.add(bytes((String) scoresAndMembers[2 * i + 1]));
    }
    return keyspace.run(t -> ZSets.add(t, 0, bytes(key), ZAddCondition.NONE, scores, members));
  }

  void addSet(String key, String... members) {
    keyspace.apply(
        transaction -> {
          Meta meta = Meta.ofPacked(ValueType.SET);
          for (String member : members) {
            meta.packed().append(bytes(member));
          }
          transaction.save(0, bytes(key), meta);
        });
  }

  String all(String key) {
    return all(key, 0, -1);
  }

  String all(String key, long start, long stop) {
    ScoredMemberList list = new ScoredMemberList();
    ZRange ranks = new ZRange.ByRank(start, stop);
    keyspace.apply(t -> ZSets.range(t, 0, bytes(key), ranks, false, 0, -1, list));
    return list.members().toString();
  }

  void fill(String key, int members) {
    double[] scores = new double[members];
    List<byte[]> names = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      scores[i] = i;
      names.add(bytes(String.format("m%05d", i)));
    }
    keyspace.apply(t -> ZSets.add(t, 0, bytes(key), ZAddCondition.NONE, scores, names));
  }

  Meta meta(String key) {
    return Objects.requireNonNull(keyspace.run(t -> t.find(0, bytes(key), ValueType.ZSET)));
  }

  static List<byte[]> names(String... names) {
    return Stream.of(names).map(Keyspace::bytes).toList();
  }

  Long rank(String key, String member) {
    return keyspace.run(t -> Ranks.rank(t, 0, bytes(key), bytes(member), false));
  }
}
