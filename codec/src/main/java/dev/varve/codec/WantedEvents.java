package dev.varve.codec;

/** What those want to know who are told of what happens to keys in a transaction. */
public enum WantedEvents {
  /**
   * To which keys what happened, but for {@link EventClass#NEW}: of very many events those that are
   * alike may be one.
   */
  KEYS,
  /** Each event, but those of {@link EventClass#KEY_MISS}. */
  EACH_CHANGE,
  /** Each event. */
  ALL
}
