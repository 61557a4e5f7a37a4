package dev.varve.server.config;

/** The letters of notify-keyspace-events. Pure functions, any thread. */
final class EventLetters {

  /** The classes that 'A' stands for. */
  private static final String ALL = "g$lshzxetd";

  private static final String OTHERS = "nKEm";

  private EventLetters() {}

  static void check(String letters) throws ConfigException {
    for (int i = 0; i < letters.length(); i++) {
      char letter = letters.charAt(i);
      if (letter != 'A' && ALL.indexOf(letter) < 0 && OTHERS.indexOf(letter) < 0) {
        throw new ConfigException("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
      }
    }
  }

  /**
   * The same classes, in the order and with the abbreviation in which Redis shows them; but 'n',
   * which 'A' does not stand for, is shown beside it too.
   */
  static String inOrder(String letters) {
    StringBuilder text = new StringBuilder();
    boolean hasAll = letters.indexOf('A') >= 0;
    for (int i = 0; i < ALL.length(); i++) {
      if (letters.indexOf(ALL.charAt(i)) >= 0) {
        text.append(ALL.charAt(i));
      }
    }
    if (hasAll || text.length() == ALL.length()) {
      text.setLength(0);
      text.append('A');
    }
    for (int i = 0; i < OTHERS.length(); i++) {
      char letter = OTHERS.charAt(i);
      if (letters.indexOf(letter) >= 0) {
        text.append(letter);
      }
    }
    return text.toString();
  }
}
