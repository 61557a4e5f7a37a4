package dev.varve.wal;

import java.util.Locale;
import java.util.Optional;

/** When the log is made durable, relative to the reply of the write. Immutable. */
public enum SyncPolicy {
  /** Before the reply: power loss takes nothing that was acknowledged. */
  ALWAYS("always"),
  /** Once a second: power loss takes a suffix of about a second. */
  EVERYSEC("everysec"),
  /** When the operating system likes. */
  NO("no");

  private final String redisName;

  SyncPolicy(String redisName) {
    this.redisName = redisName;
  }

  /** The value of {@code appendfsync} in redis.conf. */
  public String redisName() {
    return redisName;
  }

  /** The policy of that {@code appendfsync} value, in either case; empty for any other word. */
  public static Optional<SyncPolicy> parse(String redisName) {
    String wanted = redisName.toLowerCase(Locale.ROOT);
    for (SyncPolicy policy : values()) {
      if (policy.redisName.equals(wanted)) {
        return Optional.of(policy);
      }
    }
    return Optional.empty();
  }
}
