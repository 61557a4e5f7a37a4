package dev.varve.server.command.data;

import dev.varve.codec.zset.ScoredMember;
import dev.varve.codec.zset.ScoredMemberVisitor;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/**
 * Writes members of a sorted set as an array, with their scores or without, as they come.
 *
 * <p>Used by the thread of its encoder, for one reply. With scores, RESP3 has an array of pairs,
 * RESP2 one flat array.
 */
final class ScoredReply implements ScoredMemberVisitor {
  private static final long UNKNOWN = -1;

  private final RespEncoder reply;
  private final boolean withScores;
  private final boolean nested;
  private final int array;
  private final long announced;
  private long members;

  ScoredReply(RespEncoder reply, boolean withScores) {
    this(reply, withScores, reply.protocol() > 2, UNKNOWN);
  }

  /** With as many members as are known before. */
  static ScoredReply announced(RespEncoder reply, boolean withScores, long members) {
    return new ScoredReply(reply, withScores, reply.protocol() > 2, members);
  }

  /**
   * @param nested whether members with scores are pairs
   */
  ScoredReply(RespEncoder reply, boolean withScores, boolean nested) {
    this(reply, withScores, nested, UNKNOWN);
  }

  private ScoredReply(RespEncoder reply, boolean withScores, boolean nested, long announced) {
    this.reply = reply;
    this.withScores = withScores;
    this.nested = nested;
    this.announced = announced;
    if (announced != UNKNOWN) {
      array = 0;
      reply.array(items(announced));
      return;
    }
    array = reply.open();
  }

  @Override
  public void member(byte[] array, int offset, int length, double score) {
    if (withScores && nested) {
      reply.array(2);
    }
    reply.bulk(array, offset, length);
    if (withScores) {
      reply.real(score);
    }
    members++;
  }

  ScoredReply all(List<ScoredMember> these) {
    for (ScoredMember each : these) {
      member(each.member(), 0, each.member().length, each.score());
    }
    return this;
  }

  /** Writes the array's size, now that it is known. */
  void end() {
    if (announced == UNKNOWN) {
      reply.insertArray(array, items(members));
    } else if (members != announced) {
      throw new IllegalStateException(announced + " members were announced, found " + members);
    }
  }

  private long items(long count) {
    return withScores && !nested ? 2 * count : count;
  }
}
