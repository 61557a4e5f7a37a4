package dev.varve.codec.zset;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keeps the members it is handed. Single-threaded. */
public final class ScoredMemberList implements ScoredMemberVisitor {
  private final List<ScoredMember> members = new ArrayList<>();

  @Override
  public void member(byte[] array, int offset, int length, double score) {
    members.add(new ScoredMember(Arrays.copyOfRange(array, offset, offset + length), score));
  }

  public List<ScoredMember> members() {
    return members;
  }
}
