package dev.varve.server.command;

import java.util.Locale;

/** What the server and its clients need to know of a command, by Redis's names. */
public enum CommandFlag {
  /** May change data: runs on the keyspace loop, in a transaction that is applied and logged. */
  WRITE,
  /** Reads data and changes none: runs where its connection lives. */
  READONLY,
  /** May make the data grow. */
  DENYOOM,
  ADMIN,
  PUBSUB,
  NOSCRIPT,
  BLOCKING,
  LOADING,
  STALE,
  SKIP_MONITOR,
  SKIP_SLOWLOG,
  ASKING,
  FAST,
  /** Allowed before the client has authenticated. */
  NO_AUTH,
  MAY_REPLICATE,
  ALLOW_BUSY,
  /** Refused between MULTI and EXEC. */
  NO_MULTI,
  MOVABLEKEYS,
  /** Its keys are counted by an argument, which may be 0. */
  NO_MANDATORY_KEYS,
  NO_ASYNC_LOADING;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Its name in the reply of COMMAND INFO. */
  public String label() {
    return label;
  }

  int bit() {
    return 1 << ordinal();
  }
}
