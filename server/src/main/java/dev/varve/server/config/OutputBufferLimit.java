package dev.varve.server.config;

/**
 * How many bytes of replies a client may leave unread before it is closed.
 *
 * @param hardBytes closed at once beyond this; 0: never
 * @param softBytes closed when beyond this for {@code softSeconds}; 0: never
 */
public record OutputBufferLimit(long hardBytes, long softBytes, int softSeconds) {
  private static final int WORDS_PER_CLASS = 4;

  /** The limit of class {@code normal} in a list of {@code class hard soft seconds}. */
  public static OutputBufferLimit parse(String text) throws ConfigException {
    OutputBufferLimit normal = new OutputBufferLimit(0, 0, 0);
    String[] words = text.trim().split("\\s+");
    if (words.length % WORDS_PER_CLASS != 0) {
      throw new ConfigException("Wrong number of arguments in buffer limit configuration.");
    }
    for (int i = 0; i < words.length; i += WORDS_PER_CLASS) {
      switch (words[i]) {
        case "normal" -> normal = limit(words, i + 1);
        case "slave", "replica", "pubsub" -> limit(words, i + 1);
        default ->
            throw new ConfigException(
                "Invalid client class specified in buffer limit configuration.");
      }
    }
    return normal;
  }

  private static OutputBufferLimit limit(String[] words, int at) throws ConfigException {
    try {
      return new OutputBufferLimit(
          MemorySize.parse(words[at]),
          MemorySize.parse(words[at + 1]),
          Integer.parseInt(words[at + 2]));
    } catch (NumberFormatException | ConfigException wrong) {
      throw new ConfigException(
          "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
    }
  }
}
