package dev.varve.server.model;

import dev.varve.server.model.ModelStream.Group;
import dev.varve.server.model.ModelStream.Id;
import dev.varve.server.model.ModelStream.Pending;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The commands of streams, without waiting and without inexact trims. */
final class ModelStreams {
  private static final String NO_STREAM =
      "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to"
          + " use the MKSTREAM option to create an empty stream automatically.";
  private static final int LOOKS_PER_CLAIM = 10;

  private ModelStreams() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("XADD", ModelStreams::add);
    commands.put("XLEN", call -> Wire.integer(orEmpty(find(call, 1)).entries.size()));
    commands.put("XRANGE", ModelStreams::range);
    commands.put("XREVRANGE", ModelStreams::rangeBackwards);
    commands.put("XDEL", ModelStreams::delete);
    commands.put("XTRIM", ModelStreams::trim);
    commands.put("XREAD", ModelStreams::read);
    commands.put("XGROUP", ModelStreams::group);
    commands.put("XREADGROUP", ModelStreams::readGroup);
    commands.put("XACK", ModelStreams::acknowledge);
    commands.put("XCLAIM", ModelStreams::claim);
    commands.put("XAUTOCLAIM", ModelStreams::claimFrom);
    commands.put("XPENDING", ModelStreams::pending);
    commands.put("XINFO", ModelStreams::groups);
  }

  private static @Nullable ModelStream find(Call call, int keyAt) {
    return call.value(call.arg(keyAt), ModelStream.class);
  }

  private static ModelStream orEmpty(@Nullable ModelStream found) {
    return found == null ? new ModelStream() : found;
  }

  /** As error texts quote names: up to the first zero byte. */
  private static String quoted(String name) {
    int end = name.indexOf('\0');
    return "'" + (end < 0 ? name : name.substring(0, end)) + "'";
  }

  private static Group require(Call call, int keyAt, String name, String more) {
    ModelStream stream = find(call, keyAt);
    Group group = stream == null ? null : stream.groups.get(name);
    if (group == null) {
      throw new ModelError(
          "NOGROUP No such key "
              + quoted(call.arg(keyAt))
              + " or consumer group "
              + quoted(name)
              + more);
    }
    return group;
  }

  // Entries --------------------------------------------------------------------------------------

  /** XADD key [MAXLEN n] id field value … */
  private static String add(Call call) {
    long lengthMax = call.is(2, "MAXLEN") ? call.integer(3) : Long.MAX_VALUE;
    int idAt = call.is(2, "MAXLEN") ? 4 : 2;
    Id last = orEmpty(find(call, 1)).last;
    String asked = call.arg(idAt);
    Id id;
    if (asked.endsWith("-*")) {
      long millis = Long.parseLong(asked.substring(0, asked.length() - 2));
      id = new Id(millis, millis == last.millis() ? last.sequence() + 1 : 0);
    } else {
      id = Id.of(asked);
    }
    if (id.compareTo(last) <= 0) {
      throw new ModelError(
          "ERR The ID specified in XADD is equal or smaller than the target stream top item");
    }
    ModelStream stream = call.valueOrNew(call.arg(1), ModelStream.class, ModelStream::new);
    stream.entries.put(id, List.copyOf(call.from(idAt + 1)));
    stream.last = id;
    stream.added++;
    stream.trim(lengthMax);
    call.changed(call.arg(1));
    return Wire.bulk(id.toString());
  }

  private static String range(Call call) {
    return ModelStream.entries(orEmpty(find(call, 1)).entries, Long.MAX_VALUE);
  }

  /** XREVRANGE key + id. */
  private static String rangeBackwards(Call call) {
    List<String> replies = new ArrayList<>();
    orEmpty(find(call, 1))
        .entries
        .tailMap(Id.of(call.arg(3)), true)
        .descendingMap()
        .forEach((id, items) -> replies.add(ModelStream.entry(id, items)));
    return Wire.array(replies);
  }

  private static String delete(Call call) {
    ModelStream stream = orEmpty(find(call, 1));
    long deleted = 0;
    for (String text : call.from(2)) {
      Id id = Id.of(text);
      if (stream.entries.remove(id) != null) {
        deleted++;
        stream.maxDeleted = id.compareTo(stream.maxDeleted) > 0 ? id : stream.maxDeleted;
      }
    }
    if (deleted > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(deleted);
  }

  /** XTRIM key MINID id. */
  private static String trim(Call call) {
    ModelStream stream = orEmpty(find(call, 1));
    var before = stream.entries.headMap(Id.of(call.arg(3)), false);
    int trimmed = before.size();
    before.clear();
    if (trimmed > 0) {
      call.changed(call.arg(1));
    }
    return Wire.integer(trimmed);
  }

  /** XREAD COUNT n STREAMS key id. */
  private static String read(Call call) {
    TreeMap<Id, List<String>> after =
        new TreeMap<>(orEmpty(find(call, 4)).entries.tailMap(Id.of(call.arg(5)), false));
    return after.isEmpty()
        ? Wire.NULL_ARRAY
        : ofKey(call.arg(4), ModelStream.entries(after, call.integer(2)));
  }

  private static String ofKey(String key, String entries) {
    return Wire.array(List.of(Wire.array(List.of(Wire.bulk(key), entries))));
  }

  // Groups ---------------------------------------------------------------------------------------

  private static String group(Call call) {
    ModelStream found = find(call, 2);
    if (call.is(1, "CREATE")) {
      return create(call, found);
    }
    if (found == null) {
      throw new ModelError(NO_STREAM);
    }
    String name = call.arg(3);
    Group group = found.groups.get(name);
    if (call.is(1, "DESTROY")) {
      return Wire.flag(found.groups.remove(name) != null);
    }
    if (group == null) {
      throw new ModelError(
          "NOGROUP No such consumer group "
              + quoted(name)
              + " for key name "
              + quoted(call.arg(2)));
    }
    String consumer = call.arg(4);
    if (call.is(1, "CREATECONSUMER")) {
      return Wire.flag(group.consumers.putIfAbsent(consumer, true) == null);
    }
    long pending = group.pendingOf(consumer);
    group.consumers.remove(consumer);
    group.pending.values().removeIf(its -> its.consumer().equals(consumer));
    return Wire.integer(pending);
  }

  /** XGROUP CREATE key group 0 MKSTREAM. */
  private static String create(Call call, @Nullable ModelStream found) {
    ModelStream stream = call.valueOrNew(call.arg(2), ModelStream.class, ModelStream::new);
    if (stream.groups.containsKey(call.arg(3))) {
      throw new ModelError("BUSYGROUP Consumer Group name already exists");
    }
    stream.groups.put(call.arg(3), new Group(Id.ZERO, ModelStream.UNKNOWN));
    if (found == null) {
      call.changed(call.arg(2));
    }
    return Wire.OK;
  }

  /** XREADGROUP GROUP group consumer [COUNT n] STREAMS key id. */
  private static String readGroup(Call call) {
    int keyAt = call.find("STREAMS", 4) + 1;
    String after = call.arg(keyAt + 1);
    String consumer = call.arg(3);
    Group group = require(call, keyAt, call.arg(2), " in XREADGROUP with GROUP option");
    ModelStream stream = Objects.requireNonNull(find(call, keyAt));
    long countMax = call.is(4, "COUNT") ? call.integer(5) : Long.MAX_VALUE;
    boolean readsNew = after.equals(">");
    List<String> replies =
        readsNew
            ? readNew(call, stream, group, consumer, countMax)
            : readAgain(call, stream, group, consumer, Id.of(after));
    if (readsNew && replies.isEmpty()) {
      return Wire.NULL_ARRAY;
    }
    group.consumers.put(consumer, true);
    return ofKey(call.arg(keyAt), Wire.array(replies));
  }

  private static List<String> readNew(
      Call call, ModelStream stream, Group group, String consumer, long countMax) {
    List<String> replies = new ArrayList<>();
    for (Id id : List.copyOf(stream.entries.tailMap(group.last, false).keySet())) {
      if (replies.size() < countMax) {
        stream.delivered(group, id);
        group.pending.put(id, new Pending(consumer, call.nowMillis(), 1));
        replies.add(ModelStream.entry(id, Objects.requireNonNull(stream.entries.get(id))));
      }
    }
    return replies;
  }

  private static List<String> readAgain(
      Call call, ModelStream stream, Group group, String consumer, Id after) {
    List<String> replies = new ArrayList<>();
    group
        .pending
        .tailMap(after, false)
        .replaceAll(
            (id, its) -> {
              List<String> items = stream.entries.get(id);
              if (!its.consumer().equals(consumer)) {
                return its;
              }
              if (items == null) {
                replies.add(Wire.array(List.of(Wire.bulk(id.toString()), Wire.NULL_ARRAY)));
                return its;
              }
              replies.add(ModelStream.entry(id, items));
              return new Pending(consumer, call.nowMillis(), its.deliveries() + 1);
            });
    return replies;
  }

  private static String acknowledge(Call call) {
    Group group = orEmpty(find(call, 1)).groups.get(call.arg(2));
    return Wire.integer(
        group == null
            ? 0
            : call.from(3).stream().filter(id -> group.pending.remove(Id.of(id)) != null).count());
  }

  /** XCLAIM key group consumer 0 id JUSTID. */
  private static String claim(Call call) {
    Group group = require(call, 1, call.arg(2), "");
    ModelStream stream = Objects.requireNonNull(find(call, 1));
    Id id = Id.of(call.arg(5));
    Pending its = group.pending.get(id);
    if (!stream.entries.containsKey(id)) {
      group.pending.remove(id);
    } else if (its != null) {
      group.pending.put(id, new Pending(call.arg(3), call.nowMillis(), its.deliveries()));
      group.consumers.put(call.arg(3), true);
      return Wire.bulks(List.of(id.toString()));
    }
    return Wire.EMPTY_ARRAY;
  }

  /** XAUTOCLAIM key group consumer 0 id COUNT n. */
  private static String claimFrom(Call call) {
    Group group = require(call, 1, call.arg(2), "");
    ModelStream stream = Objects.requireNonNull(find(call, 1));
    long count = call.integer(7);
    long looks = LOOKS_PER_CLAIM * count;
    List<String> claimed = new ArrayList<>();
    List<String> deleted = new ArrayList<>();
    Id next = Id.ZERO;
    for (Id id : List.copyOf(group.pending.tailMap(Id.of(call.arg(5)), true).keySet())) {
      if (looks-- == 0 || claimed.size() + deleted.size() == count) {
        next = id;
        break;
      }
      List<String> items = stream.entries.get(id);
      if (items == null) {
        group.pending.remove(id);
        deleted.add(id.toString());
      } else {
        long deliveries = Objects.requireNonNull(group.pending.get(id)).deliveries() + 1;
        group.pending.put(id, new Pending(call.arg(3), call.nowMillis(), deliveries));
        group.consumers.put(call.arg(3), true);
        claimed.add(ModelStream.entry(id, items));
      }
    }
    return Wire.array(
        List.of(Wire.bulk(next.toString()), Wire.array(claimed), Wire.bulks(deleted)));
  }

  /** XPENDING key group, or with - + and a count that is beyond all. */
  private static String pending(Call call) {
    Group group = require(call, 1, call.arg(2), "");
    if (call.count() > 3) {
      return ModelStream.pendingReply(group, call.nowMillis());
    }
    if (group.pending.isEmpty()) {
      return Wire.array(List.of(Wire.integer(0), Wire.NULL, Wire.NULL, Wire.NULL_ARRAY));
    }
    List<String> consumers = new ArrayList<>();
    for (String consumer : group.consumers.keySet()) {
      long pending = group.pendingOf(consumer);
      if (pending > 0) {
        consumers.add(Wire.bulks(List.of(consumer, Long.toString(pending))));
      }
    }
    return Wire.array(
        List.of(
            Wire.integer(group.pending.size()),
            Wire.bulk(group.pending.firstKey().toString()),
            Wire.bulk(group.pending.lastKey().toString()),
            Wire.array(consumers)));
  }

  /** XINFO GROUPS key. */
  private static String groups(Call call) {
    ModelStream stream = find(call, 2);
    if (stream == null) {
      throw new ModelError(ModelError.NO_SUCH_KEY);
    }
    return stream.groupsReply();
  }
}
