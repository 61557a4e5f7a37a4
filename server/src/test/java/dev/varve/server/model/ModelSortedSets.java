package dev.varve.server.model;

import dev.varve.server.model.Entry.Members;
import dev.varve.server.model.Entry.Scores;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The commands of sorted sets. */
final class ModelSortedSets {
  private ModelSortedSets() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("ZADD", ModelSortedSets::add);
    commands.put("ZINCRBY", ModelSortedSets::increment);
    commands.put("ZREM", ModelSortedSets::remove);
    commands.put("ZCARD", call -> Wire.integer(scores(call, call.arg(1)).size()));
    commands.put("ZSCORE", call -> score(scores(call, call.arg(1)).get(call.arg(2))));
    commands.put("ZMSCORE", ModelSortedSets::scoresOf);
    commands.put("ZRANK", call -> rank(call, false));
    commands.put("ZREVRANK", call -> rank(call, true));
    commands.put("ZPOPMIN", call -> pop(call, false));
    commands.put("ZPOPMAX", call -> pop(call, true));
    commands.put("ZRANGE", call -> range(call, call.has("REV", 4)));
    commands.put("ZREVRANGE", call -> range(call, true));
    commands.put("ZRANGEBYSCORE", call -> rangeByScore(call, false));
    commands.put("ZREVRANGEBYSCORE", call -> rangeByScore(call, true));
    commands.put("ZCOUNT", ModelSortedSets::count);
    commands.put("ZREMRANGEBYRANK", ModelSortedSets::removeByRank);
    commands.put("ZREMRANGEBYSCORE", ModelSortedSets::removeByScore);
    commands.put("ZUNIONSTORE", ModelSortedSets::union);
    commands.put("ZINTERSTORE", ModelSortedSets::intersection);
    commands.put("ZDIFFSTORE", ModelSortedSets::difference);
    commands.put("ZRANDMEMBER", ModelSortedSets::random);
  }

  private static Scores scores(Call call, String key) {
    Scores found = call.value(key, Scores.class);
    return found == null ? new Scores() : found;
  }

  private static String score(@Nullable Double score) {
    return score == null ? Wire.NULL : Wire.bulk(Wire.score(score));
  }

  private static String add(Call call) {
    int first = 2;
    while (first < call.count()
        && !Character.isDigit(call.arg(first).charAt(0))
        && call.arg(first).charAt(0) != '-') {
      first++;
    }
    List<String> options = call.from(2).subList(0, first - 2);
    boolean increments = options.contains("INCR");
    Scores scores = call.valueOrNew(call.arg(1), Scores.class, Scores::new);
    long added = 0;
    long updated = 0;
    String reply = Wire.NULL;
    for (int i = first; i < call.count(); i += 2) {
      Double old = scores.get(call.arg(i + 1));
      double given = Double.parseDouble(call.arg(i));
      double wanted = increments && old != null ? old + given : given;
      boolean allowed =
          old == null
              ? !options.contains("XX")
              : !options.contains("NX")
                  && !(options.contains("GT") && wanted <= old)
                  && !(options.contains("LT") && wanted >= old);
      if (allowed) {
        scores.put(call.arg(i + 1), wanted);
        added += old == null ? 1 : 0;
        updated += old != null && old != wanted ? 1 : 0;
        reply = score(wanted);
      }
    }
    if (added + updated > 0) {
      call.changed(call.arg(1));
    }
    call.removeIfEmpty(call.arg(1));
    return increments ? reply : Wire.integer(added + (options.contains("CH") ? updated : 0));
  }

  private static String increment(Call call) {
    Scores scores = call.valueOrNew(call.arg(1), Scores.class, Scores::new);
    double delta = Double.parseDouble(call.arg(2));
    @Nullable Double old = scores.get(call.arg(3));
    double sum = old == null ? delta : old + delta;
    scores.put(call.arg(3), sum);
    if (old == null || old != sum) {
      call.changed(call.arg(1));
    }
    return score(sum);
  }

  private static String remove(Call call) {
    Scores scores = scores(call, call.arg(1));
    return removeAll(call, scores, call.from(2));
  }

  private static String removeAll(Call call, Scores scores, List<String> members) {
    long removed = members.stream().filter(member -> scores.remove(member) != null).count();
    if (removed > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(removed);
  }

  private static String scoresOf(Call call) {
    Scores scores = scores(call, call.arg(1));
    return Wire.array(call.from(2).stream().map(member -> score(scores.get(member))).toList());
  }

  private static List<Map.Entry<String, Double>> inOrder(Scores scores, boolean reverse) {
    List<Map.Entry<String, Double>> members = scores.inOrder();
    if (reverse) {
      Collections.reverse(members);
    }
    return members;
  }

  private static String rank(Call call, boolean reverse) {
    boolean withScore = call.count() > 3;
    List<Map.Entry<String, Double>> members = inOrder(scores(call, call.arg(1)), reverse);
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).getKey().equals(call.arg(2))) {
        String rank = Wire.integer(i);
        return withScore ? Wire.array(List.of(rank, score(members.get(i).getValue()))) : rank;
      }
    }
    return withScore ? Wire.NULL_ARRAY : Wire.NULL;
  }

  private static String reply(List<Map.Entry<String, Double>> members, boolean withScores) {
    List<String> texts = new ArrayList<>();
    for (Map.Entry<String, Double> member : members) {
      texts.add(member.getKey());
      if (withScores) {
        texts.add(Wire.score(member.getValue()));
      }
    }
    return Wire.bulks(texts);
  }

  private static String pop(Call call, boolean reverse) {
    Scores scores = scores(call, call.arg(1));
    long count = call.count() > 2 ? call.integer(2) : 1;
    List<Map.Entry<String, Double>> popped =
        inOrder(scores, reverse).stream().limit(count).toList();
    removeAll(call, scores, popped.stream().map(Map.Entry::getKey).toList());
    return reply(popped, true);
  }

  private static <T> List<T> part(List<T> all, long start, long end) {
    long size = all.size();
    long from = Math.max(0, start < 0 ? start + size : start);
    long to = Math.min(size - 1, end < 0 ? end + size : end);
    return from > to ? List.of() : all.subList((int) from, (int) to + 1);
  }

  private static String range(Call call, boolean reverse) {
    List<Map.Entry<String, Double>> members = inOrder(scores(call, call.arg(1)), reverse);
    return reply(part(members, call.integer(2), call.integer(3)), call.has("WITHSCORES", 4));
  }

  private static Predicate<Double> from(String bound) {
    double limit = limit(bound);
    return bound.startsWith("(") ? score -> score > limit : score -> score >= limit;
  }

  private static Predicate<Double> upTo(String bound) {
    double limit = limit(bound);
    return bound.startsWith("(") ? score -> score < limit : score -> score <= limit;
  }

  private static double limit(String bound) {
    String number = bound.startsWith("(") ? bound.substring(1) : bound;
    return switch (number) {
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "+inf" -> Double.POSITIVE_INFINITY;
      default -> Double.parseDouble(number);
    };
  }

  private static List<Map.Entry<String, Double>> between(
      Scores scores, String min, String max, boolean reverse) {
    Predicate<Double> range = from(min).and(upTo(max));
    return inOrder(scores, reverse).stream()
        .filter(member -> range.test(member.getValue()))
        .toList();
  }

  private static String rangeByScore(Call call, boolean reverse) {
    String min = call.arg(reverse ? 3 : 2);
    String max = call.arg(reverse ? 2 : 3);
    List<Map.Entry<String, Double>> found = between(scores(call, call.arg(1)), min, max, reverse);
    int option = call.find("LIMIT", 4);
    if (option > 0) {
      long offset = call.integer(option + 1);
      long count = call.integer(option + 2);
      found = found.stream().skip(offset).limit(count < 0 ? Long.MAX_VALUE : count).toList();
    }
    return reply(found, call.has("WITHSCORES", 4));
  }

  private static String count(Call call) {
    return Wire.integer(between(scores(call, call.arg(1)), call.arg(2), call.arg(3), false).size());
  }

  private static String removeByRank(Call call) {
    Scores scores = scores(call, call.arg(1));
    List<Map.Entry<String, Double>> members = inOrder(scores, false);
    List<Map.Entry<String, Double>> doomed = part(members, call.integer(2), call.integer(3));
    return removeAll(call, scores, doomed.stream().map(Map.Entry::getKey).toList());
  }

  private static String removeByScore(Call call) {
    Scores scores = scores(call, call.arg(1));
    List<Map.Entry<String, Double>> doomed = between(scores, call.arg(2), call.arg(3), false);
    return removeAll(call, scores, doomed.stream().map(Map.Entry::getKey).toList());
  }

  /** The inputs of an algebra command that stores; a set's members have the score 1. */
  private static List<Scores> inputs(Call call) {
    List<Scores> inputs = new ArrayList<>();
    for (String key : call.from(3).subList(0, (int) call.integer(2))) {
      Entry entry = call.entry(key);
      if (entry != null && entry.value() instanceof Members members) {
        Scores scores = new Scores();
        members.forEach(member -> scores.put(member, 1.0));
        inputs.add(scores);
      } else {
        inputs.add(scores(call, key));
      }
    }
    return inputs;
  }

  private static String store(Call call, Scores result) {
    call.store(call.arg(1), result);
    return Wire.integer(result.size());
  }

  private static String union(Call call) {
    Scores result = new Scores();
    for (Scores input : inputs(call)) {
      input.forEach((member, score) -> result.merge(member, score, Double::sum));
    }
    return store(call, result);
  }

  private static String intersection(Call call) {
    List<Scores> inputs = inputs(call);
    Scores result = new Scores();
    for (String member : inputs.get(0).keySet()) {
      if (inputs.stream().allMatch(input -> input.containsKey(member))) {
        result.put(
            member, inputs.stream().mapToDouble(input -> input.getOrDefault(member, 0.0)).sum());
      }
    }
    return store(call, result);
  }

  private static String difference(Call call) {
    List<Scores> inputs = inputs(call);
    Scores result = new Scores();
    result.putAll(inputs.get(0));
    inputs.subList(1, inputs.size()).forEach(input -> result.keySet().removeAll(input.keySet()));
    return store(call, result);
  }

  private static String random(Call call) {
    Map<String, String> members = new TreeMap<>();
    scores(call, call.arg(1)).forEach((member, score) -> members.put(member, Wire.score(score)));
    return Choice.check(call, members);
  }
}
