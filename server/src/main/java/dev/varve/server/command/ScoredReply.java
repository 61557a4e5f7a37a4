package dev.varve.server.command;

import dev.varve.codec.ScoredMember;
import dev.varve.codec.ScoredMemberVisitor;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/**
 * Writes members of a sorted set as an array, with their scores or without, as they come.
 *
 * <p>Used by the thread of its encoder, for one reply. With scores, RESP3 has an array of pairs,
 * RESP2 one flat array.
 */
final class ScoredReply implements ScoredMemberVisitor {
  private final RespEncoder reply;
  private final boolean withScores;
  private final boolean nested;
  private final int mark;
  private long members;

  ScoredReply(RespEncoder reply, boolean withScores) {
    this(reply, withScores, reply.protocol() > 2);
  }

  /**
   * @param nested whether members with scores are pairs
   */
  ScoredReply(RespEncoder reply, boolean withScores, boolean nested) {
    this.reply = reply;
    this.withScores = withScores;
    this.nested = nested;
    mark = reply.mark();
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
    reply.insertArray(mark, withScores && !nested ? 2 * members : members);
  }
}
