package dev.varve.server.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Whether the members that the server chose at random could be chosen. */
final class Choice {
  private Choice() {}

  /**
   * SRANDMEMBER and its kind: {@code key}, {@code key count} or {@code key count WITHVALUES}.
   *
   * @param members all there are, with what stands beside them in the reply
   */
  static String check(Call call, Map<String, String> members) {
    if (call.count() == 2) {
      return members.isEmpty() ? Wire.NULL : one(call, members);
    }
    long count = call.integer(2);
    long wanted = count < 0 ? -count : Math.min(count, members.size());
    if (members.isEmpty() || wanted == 0) {
      return Wire.EMPTY_ARRAY;
    }
    String valid = wanted + (count < 0 ? "" : " different") + " of " + members;
    if (!call.isActualArray()) {
      return Call.wanted(valid);
    }
    List<String> chosen = new ArrayList<>();
    List<String> texts = call.actualTexts();
    boolean withValues = call.count() > 3;
    for (int i = 0; i < texts.size(); i += withValues ? 2 : 1) {
      String member = texts.get(i);
      if (withValues && !texts.get(i + 1).equals(members.get(member))) {
        return Call.wanted(valid);
      }
      chosen.add(member);
    }
    boolean fits =
        chosen.size() == wanted
            && members.keySet().containsAll(chosen)
            && (count < 0 || new HashSet<>(chosen).size() == chosen.size());
    return fits ? call.actual : Call.wanted(valid);
  }

  private static String one(Call call, Map<String, String> members) {
    for (String member : members.keySet()) {
      if (Wire.bulk(member).equals(call.actual)) {
        return call.actual;
      }
    }
    return Call.wanted("one of " + members.keySet());
  }

  /** Members with nothing beside them. */
  static Map<String, String> of(Iterable<String> members) {
    Map<String, String> map = new TreeMap<>();
    members.forEach(member -> map.put(member, ""));
    return map;
  }

  /** What was chosen, from a reply that {@link #check} has found valid. */
  static List<String> chosen(Call call) {
    if (call.actual.equals(Wire.NULL)) {
      return List.of();
    }
    return call.isActualArray()
        ? call.actualTexts()
        : List.of(Objects.requireNonNull(dev.varve.server.command.Replies.text(call.actual)));
  }
}
