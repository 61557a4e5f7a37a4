package dev.varve.server.command;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What one client has subscribed to.
 *
 * <p>Keyspace loop, except the counts.
 */
public final class Subscriptions {

  /** One kind of subscription, and the words that Redis has for it. */
  public enum Kind {
    CHANNEL("message", "subscribe", "unsubscribe"),
    PATTERN("pmessage", "psubscribe", "punsubscribe"),
    SHARD_CHANNEL("smessage", "ssubscribe", "sunsubscribe");

    public final String message;
    public final String subscribe;
    public final String unsubscribe;

    Kind(String message, String subscribe, String unsubscribe) {
      this.message = message;
      this.subscribe = subscribe;
      this.unsubscribe = unsubscribe;
    }
  }

  private final Set<Name> channels = new LinkedHashSet<>(0);
  private final Set<Name> patterns = new LinkedHashSet<>(0);
  private final Set<Name> shardChannels = new LinkedHashSet<>(0);
  private volatile int channelCount;
  private volatile int patternCount;
  private volatile int shardCount;

  /** Its subscriptions of a kind; change them by {@link #add} and {@link #remove} only. */
  public Set<Name> of(Kind kind) {
    return switch (kind) {
      case CHANNEL -> channels;
      case PATTERN -> patterns;
      case SHARD_CHANNEL -> shardChannels;
    };
  }

  public boolean add(Kind kind, Name name) {
    boolean isNew = of(kind).add(name);
    recount();
    return isNew;
  }

  public boolean remove(Kind kind, Name name) {
    boolean wasThere = of(kind).remove(name);
    recount();
    return wasThere;
  }

  private void recount() {
    channelCount = channels.size();
    patternCount = patterns.size();
    shardCount = shardChannels.size();
  }

  /** How many there are of a kind. Any thread. */
  public int count(Kind kind) {
    return switch (kind) {
      case CHANNEL -> channelCount;
      case PATTERN -> patternCount;
      case SHARD_CHANNEL -> shardCount;
    };
  }

  /** How many there are of all kinds. Any thread. */
  public int count() {
    return channelCount + patternCount + shardCount;
  }

  /** The number that the confirmation of a subscription or its end tells. */
  public int confirmedCount(Kind kind) {
    return kind == Kind.SHARD_CHANNEL ? shardCount : channelCount + patternCount;
  }
}
