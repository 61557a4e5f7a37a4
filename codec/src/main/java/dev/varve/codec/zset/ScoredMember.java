package dev.varve.codec.zset;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A member of a sorted set and its score.
 *
 * @param member not to be changed
 * @param score never NaN
 */
public record ScoredMember(byte[] member, double score) {

  /** By content. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ScoredMember that
        && score == that.score
        && Arrays.equals(member, that.member);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(member) + Double.hashCode(score);
  }

  @Override
  public String toString() {
    return new String(member, StandardCharsets.ISO_8859_1) + "=" + score;
  }
}
