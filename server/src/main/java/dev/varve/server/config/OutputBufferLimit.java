package dev.varve.server.config;

/**
 * How many bytes of replies and messages a client may leave unread before it is closed.
 *
 * @param hardBytes closed at once beyond this; 0: never
 * @param softBytes closed when beyond this for {@code softSeconds}; 0: never
 */
public record OutputBufferLimit(long hardBytes, long softBytes, int softSeconds) {

  static OutputBufferLimit parse(String hard, String soft, String seconds) throws ConfigException {
    try {
      OutputBufferLimit limit =
          new OutputBufferLimit(
              MemorySize.parse(hard), MemorySize.parse(soft), Integer.parseInt(seconds));
      if (limit.hardBytes >= 0 && limit.softBytes >= 0 && limit.softSeconds >= 0) {
        return limit;
      }
    } catch (NumberFormatException | ConfigException wrong) {
      // Told below, as Redis does.
    }
    throw new ConfigException(
        "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
  }

  String text() {
    return hardBytes + " " + softBytes + " " + softSeconds;
  }
}
