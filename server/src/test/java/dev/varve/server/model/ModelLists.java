package dev.varve.server.model;

import dev.varve.server.model.Entry.Elements;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The commands of lists. */
final class ModelLists {
  private ModelLists() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("LPUSH", call -> push(call, true, false));
    commands.put("RPUSH", call -> push(call, false, false));
    commands.put("LPUSHX", call -> push(call, true, true));
    commands.put("RPUSHX", call -> push(call, false, true));
    commands.put("LPOP", call -> pop(call, true));
    commands.put("RPOP", call -> pop(call, false));
    commands.put("LLEN", call -> Wire.integer(elements(call, call.arg(1)).size()));
    commands.put("LRANGE", ModelLists::range);
    commands.put("LINDEX", ModelLists::index);
    commands.put("LSET", ModelLists::set);
    commands.put("LINSERT", ModelLists::insert);
    commands.put("LREM", ModelLists::remove);
    commands.put("LTRIM", ModelLists::trim);
    commands.put("LPOS", ModelLists::positions);
    commands.put("RPOPLPUSH", call -> move(call, false, true));
    commands.put("LMOVE", call -> move(call, call.is(3, "LEFT"), call.is(4, "LEFT")));
    commands.put("LMPOP", ModelLists::popFirst);
  }

  private static Elements elements(Call call, String key) {
    Elements found = call.value(key, Elements.class);
    return found == null ? new Elements() : found;
  }

  private static void addAtEnd(Elements elements, String element, boolean left) {
    elements.add(left ? 0 : elements.size(), element);
  }

  private static String takeFromEnd(Elements elements, boolean left) {
    return elements.remove(left ? 0 : elements.size() - 1);
  }

  private static String push(Call call, boolean left, boolean mustExist) {
    if (mustExist && call.value(call.arg(1), Elements.class) == null) {
      return Wire.integer(0);
    }
    Elements elements = call.valueOrNew(call.arg(1), Elements.class, Elements::new);
    call.from(2).forEach(element -> addAtEnd(elements, element, left));
    call.changed(call.arg(1));
    return Wire.integer(elements.size());
  }

  private static String pop(Call call, boolean left) {
    Elements elements = call.value(call.arg(1), Elements.class);
    boolean many = call.count() > 2;
    if (elements == null) {
      return many ? Wire.NULL_ARRAY : Wire.NULL;
    }
    List<String> popped = take(elements, left, many ? call.integer(2) : 1);
    call.changed(call.arg(1));
    return many ? Wire.bulks(popped) : Wire.bulk(popped.get(0));
  }

  private static List<String> take(Elements elements, boolean left, long count) {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count && !elements.isEmpty()) {
      taken.add(takeFromEnd(elements, left));
    }
    return taken;
  }

  /** The part of a list between two indexes as Redis counts them. */
  private static List<String> part(Elements elements, long start, long end) {
    long size = elements.size();
    long from = Math.max(0, start < 0 ? start + size : start);
    long to = Math.min(size - 1, end < 0 ? end + size : end);
    return from > to ? List.of() : List.copyOf(elements.subList((int) from, (int) to + 1));
  }

  private static String range(Call call) {
    Elements elements = elements(call, call.arg(1));
    return Wire.bulks(part(elements, call.integer(2), call.integer(3)));
  }

  private static int place(Elements elements, long index) {
    long place = index < 0 ? index + elements.size() : index;
    return place < 0 || place >= elements.size() ? -1 : (int) place;
  }

  private static String index(Call call) {
    Elements elements = elements(call, call.arg(1));
    int place = place(elements, call.integer(2));
    return place < 0 ? Wire.NULL : Wire.bulk(elements.get(place));
  }

  private static String set(Call call) {
    Elements elements = call.value(call.arg(1), Elements.class);
    if (elements == null) {
      throw new ModelError(ModelError.NO_SUCH_KEY);
    }
    int place = place(elements, call.integer(2));
    if (place < 0) {
      throw new ModelError("ERR index out of range");
    }
    elements.set(place, call.arg(3));
    call.changed(call.arg(1));
    return Wire.OK;
  }

  private static String insert(Call call) {
    Elements elements = call.value(call.arg(1), Elements.class);
    if (elements == null) {
      return Wire.integer(0);
    }
    int pivot = elements.indexOf(call.arg(3));
    if (pivot < 0) {
      return Wire.integer(-1);
    }
    elements.add(call.is(2, "BEFORE") ? pivot : pivot + 1, call.arg(4));
    call.changed(call.arg(1));
    return Wire.integer(elements.size());
  }

  private static String remove(Call call) {
    Elements elements = elements(call, call.arg(1));
    long count = call.integer(2);
    long left = count == 0 ? Long.MAX_VALUE : Math.abs(count);
    int before = elements.size();
    for (; left > 0; left--) {
      int at = count < 0 ? elements.lastIndexOf(call.arg(3)) : elements.indexOf(call.arg(3));
      if (at < 0) {
        break;
      }
      elements.remove(at);
    }
    int removed = before - elements.size();
    if (removed > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(removed);
  }

  private static String trim(Call call) {
    Elements elements = call.value(call.arg(1), Elements.class);
    if (elements != null) {
      List<String> kept = part(elements, call.integer(2), call.integer(3));
      elements.clear();
      elements.addAll(kept);
      call.changed(call.arg(1));
    }
    return Wire.OK;
  }

  private static String positions(Call call) {
    int rankOption = call.find("RANK", 3);
    long rank = rankOption == 0 ? 1 : call.integer(rankOption + 1);
    int countOption = call.find("COUNT", 3);
    long count = countOption == 0 ? 1 : call.integer(countOption + 1);
    Elements elements = elements(call, call.arg(1));
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i).equals(call.arg(2))) {
        places.add(i);
      }
    }
    if (rank < 0) {
      Collections.reverse(places);
    }
    List<String> found =
        places.stream()
            .skip(Math.abs(rank) - 1)
            .limit(count == 0 ? Long.MAX_VALUE : count)
            .map(Wire::integer)
            .toList();
    if (countOption > 0) {
      return Wire.array(found);
    }
    return found.isEmpty() ? Wire.NULL : found.get(0);
  }

  private static String move(Call call, boolean fromLeft, boolean toLeft) {
    Elements source = call.value(call.arg(1), Elements.class);
    if (source == null) {
      return Wire.NULL;
    }
    elements(call, call.arg(2));
    String element = takeFromEnd(source, fromLeft);
    Elements target = call.valueOrNew(call.arg(2), Elements.class, Elements::new);
    addAtEnd(target, element, toLeft);
    call.changed(call.arg(1));
    call.changed(call.arg(2));
    return Wire.bulk(element);
  }

  private static String popFirst(Call call) {
    int keys = (int) call.integer(1);
    boolean left = call.is(2 + keys, "LEFT");
    int option = call.find("COUNT", 3 + keys);
    for (String key : call.from(2).subList(0, keys)) {
      Elements elements = call.value(key, Elements.class);
      if (elements != null) {
        List<String> popped = take(elements, left, option == 0 ? 1 : call.integer(option + 1));
        call.changed(key);
        return Wire.array(List.of(Wire.bulk(key), Wire.bulks(popped)));
      }
    }
    return Wire.NULL_ARRAY;
  }
}
