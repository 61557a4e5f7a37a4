package dev.varve.server.model;

import dev.varve.server.command.Replies;
import dev.varve.server.model.Entry.Elements;
import dev.varve.server.model.Entry.Fields;
import dev.varve.server.model.Entry.Members;
import dev.varve.server.model.Entry.Scores;
import dev.varve.server.model.Entry.Text;
import java.util.ArrayList;
import java.util.List;

/** Everything a model holds, one line a key, to be compared with what a server holds. */
final class ModelDump {
  private ModelDump() {}

  static String line(int database, String key, String expiry, String content) {
    return (database + " " + key + " " + expiry + content)
        .replace("\\", "\\\\")
        .replace("\r\n", "|")
        .replace("\0", "\\0");
  }

  static List<String> of(RedisModel model) {
    List<String> lines = new ArrayList<>();
    for (int number = 0; number < model.databaseCount(); number++) {
      int database = number;
      model
          .database(database)
          .forEach(
              (key, entry) ->
                  lines.add(
                      line(
                          database,
                          key,
                          Wire.integer(entry.isExpiring() ? entry.expiryMillis() : -1),
                          content(entry.value(), model.nowMillis()))));
    }
    return lines;
  }

  private static String expiries(Fields fields) {
    List<String> moments = new ArrayList<>();
    for (String field : fields.keySet()) {
      long millis = fields.expiryMillis(field);
      moments.add(Wire.integer(millis == Entry.NO_EXPIRY ? -1 : millis));
    }
    return Wire.array(moments);
  }

  private static String content(ModelStream stream, long nowMillis) {
    StringBuilder text = new StringBuilder(ModelStream.entries(stream.entries, Long.MAX_VALUE));
    text.append(stream.groupsReply());
    for (String name : RandomStreamRequests.GROUPS) {
      ModelStream.Group group = stream.groups.get(name);
      text.append(group == null ? "" : ModelStream.pendingReply(group, nowMillis));
    }
    return text.toString();
  }

  private static String content(Object value, long nowMillis) {
    List<String> texts = new ArrayList<>();
    if (value instanceof Text text) {
      return Wire.bulk(text.text());
    } else if (value instanceof Fields fields) {
      fields.forEach((field, its) -> texts.addAll(List.of(field, its)));
      return Replies.sorted(Wire.bulks(texts), 2) + expiries(fields);
    } else if (value instanceof Elements elements) {
      texts.addAll(elements);
    } else if (value instanceof Members members) {
      texts.addAll(members);
      return Replies.sorted(Wire.bulks(texts), 1);
    } else if (value instanceof Scores scores) {
      scores
          .inOrder()
          .forEach(member -> texts.addAll(List.of(member.getKey(), Wire.score(member.getValue()))));
    } else if (value instanceof ModelSketch sketch) {
      return Wire.integer(sketch.count()) + sketch.registers();
    } else if (value instanceof ModelStream stream) {
      return content(stream, nowMillis);
    }
    return Wire.bulks(texts);
  }
}
