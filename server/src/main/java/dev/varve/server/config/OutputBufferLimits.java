package dev.varve.server.config;

import java.util.Locale;

/**
 * The limits of all classes of clients. Immutable.
 *
 * @param normal for replies
 * @param replica for what was written since a server was sent what it follows
 * @param pubSub for messages to a client that has subscribed
 */
public record OutputBufferLimits(
    OutputBufferLimit normal, OutputBufferLimit replica, OutputBufferLimit pubSub) {

  /** Redis's own. */
  static final String DEFAULT =
      "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";

  private static final int WORDS_PER_CLASS = 4;
  private static final OutputBufferLimit NONE = new OutputBufferLimit(0, 0, 0);

  /** The limits in a list of {@code class hard soft seconds}; classes that it lacks have none. */
  public static OutputBufferLimits parse(String text) throws ConfigException {
    return new OutputBufferLimits(NONE, NONE, NONE).with(text);
  }

  /** What {@code change} makes of {@code before}, both as text. */
  static String merge(String before, String change) throws ConfigException {
    return parse(before).with(change).text();
  }

  private OutputBufferLimits with(String text) throws ConfigException {
    OutputBufferLimits all = this;
    if (text.isEmpty()) {
      return all;
    }
    String[] words = text.split(" ", -1);
    if (words.length % WORDS_PER_CLASS != 0) {
      throw new ConfigException("Wrong number of arguments in buffer limit configuration.");
    }
    for (int i = 0; i < words.length; i += WORDS_PER_CLASS) {
      String name = words[i].toLowerCase(Locale.ROOT);
      if (!name.equals("normal")
          && !name.equals("slave")
          && !name.equals("replica")
          && !name.equals("pubsub")) {
        throw new ConfigException("Invalid client class specified in buffer limit configuration.");
      }
      OutputBufferLimit limit = OutputBufferLimit.parse(words[i + 1], words[i + 2], words[i + 3]);
      all =
          switch (name) {
            case "normal" -> new OutputBufferLimits(limit, all.replica, all.pubSub);
            case "pubsub" -> new OutputBufferLimits(all.normal, all.replica, limit);
            default -> new OutputBufferLimits(all.normal, limit, all.pubSub);
          };
    }
    return all;
  }

  private String text() {
    return "normal " + normal.text() + " slave " + replica.text() + " pubsub " + pubSub.text();
  }
}
