package dev.varve.server.command.listen;

import dev.varve.codec.Glob;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.command.Subscriptions.Kind;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has subscribed to which channels and patterns, and the way of a message to them.
 *
 * <p>Keyspace loop, except the counts of all.
 */
public final class PubSub {

  /** Those who subscribed to one pattern. */
  private record Pattern(Name name, Glob glob, Set<Session> sessions) {}

  private final Map<Name, Set<Session>> channels = new HashMap<>();
  private final Map<Name, Set<Session>> shardChannels = new HashMap<>();
  private final Map<Name, Pattern> patterns = new LinkedHashMap<>();
  private final RespEncoder encoder = new RespEncoder();
  private final NameRoom room;
  private volatile int channelCount;
  private volatile int patternCount;
  private volatile int shardCount;

  public PubSub(NameRoom room) {
    this.room = room;
  }

  /**
   * Makes sure that there is room to subscribe to what a request names.
   *
   * @throws dev.varve.codec.DataException when there is not
   */
  public void requireRoom(Args request) {
    room.require(request);
  }

  /** How many channels have subscribers. Any thread. */
  public int channelCount() {
    return channelCount;
  }

  /** How many patterns have. Any thread. */
  public int patternCount() {
    return patternCount;
  }

  /** How many shard channels have. Any thread. */
  public int shardCount() {
    return shardCount;
  }

  boolean hasSubscribers() {
    return !channels.isEmpty() || !patterns.isEmpty();
  }

  /** {@code session} subscribes; nothing happens if it has. */
  public void subscribe(Session session, Kind kind, Name name) {
    if (!session.subscriptions().add(kind, name)) {
      return;
    }
    room.taken(name.bytes());
    if (kind == Kind.PATTERN) {
      patterns
          .computeIfAbsent(
              name, its -> new Pattern(its, new Glob(its.bytes(), false), new LinkedHashSet<>()))
          .sessions()
          .add(session);
    } else {
      of(kind).computeIfAbsent(name, its -> new LinkedHashSet<>()).add(session);
    }
    recount();
  }

  /** {@code session} subscribes no longer; nothing happens if it had not. */
  public void unsubscribe(Session session, Kind kind, Name name) {
    if (!session.subscriptions().remove(kind, name)) {
      return;
    }
    room.given(name.bytes());
    if (kind == Kind.PATTERN) {
      Pattern pattern = patterns.get(name);
      if (pattern != null && pattern.sessions().remove(session) && pattern.sessions().isEmpty()) {
        patterns.remove(name);
      }
    } else {
      Set<Session> its = of(kind).get(name);
      if (its != null && its.remove(session) && its.isEmpty()) {
        of(kind).remove(name);
      }
    }
    recount();
  }

  public void unsubscribeFromAll(Session session) {
    for (Kind kind : Kind.values()) {
      for (Name name : List.copyOf(session.subscriptions().of(kind))) {
        unsubscribe(session, kind, name);
      }
    }
  }

  private Map<Name, Set<Session>> of(Kind kind) {
    return kind == Kind.SHARD_CHANNEL ? shardChannels : channels;
  }

  private void recount() {
    channelCount = channels.size();
    patternCount = patterns.size();
    shardCount = shardChannels.size();
  }

  /** The channels of a kind that have subscribers and that {@code pattern}, if any, matches. */
  public List<byte[]> channels(Kind kind, @Nullable Glob pattern) {
    List<byte[]> found = new ArrayList<>();
    for (Name name : of(kind).keySet()) {
      if (pattern == null || pattern.matches(name.bytes())) {
        found.add(name.bytes());
      }
    }
    return found;
  }

  /** How many have subscribed to a channel. */
  public int subscribers(Kind kind, byte[] channel) {
    return receivers(kind, channel);
  }

  /** Sends a message to all who subscribed to its channel, or to a pattern that matches it. */
  public int publish(byte[] channel, byte[] text) {
    int receivers = publish(Kind.CHANNEL, channel, text);
    for (Pattern pattern : patterns.values()) {
      if (pattern.glob().matches(channel)) {
        receivers +=
            deliver(
                pattern.sessions(),
                new PushMessage(
                    encoder,
                    reply -> {
                      reply.push(4);
                      reply.bulk(Kind.PATTERN.message);
                      reply.bulk(pattern.name().bytes());
                      reply.bulk(channel);
                      reply.bulk(text);
                    }));
      }
    }
    return receivers;
  }

  /** Sends a message to those who subscribed to exactly this channel. */
  public int publish(Kind kind, byte[] channel, byte[] text) {
    Set<Session> its = of(kind).get(new Name(channel));
    return its == null
        ? 0
        : deliver(
            its,
            new PushMessage(
                encoder,
                reply -> {
                  reply.push(3);
                  reply.bulk(kind.message);
                  reply.bulk(channel);
                  reply.bulk(text);
                }));
  }

  /** How many messages {@link #publish(byte[], byte[])} to this channel would be. */
  public int receivers(byte[] channel) {
    int receivers = receivers(Kind.CHANNEL, channel);
    for (Pattern pattern : patterns.values()) {
      if (pattern.glob().matches(channel)) {
        receivers += living(pattern.sessions());
      }
    }
    return receivers;
  }

  /** How many subscribed to exactly this channel. */
  public int receivers(Kind kind, byte[] channel) {
    Set<Session> its = of(kind).get(new Name(channel));
    return its == null ? 0 : living(its);
  }

  /** Those whose connection is killed no longer count, though another loop has yet to end it. */
  private static int living(Set<Session> sessions) {
    int living = 0;
    for (Session session : sessions) {
      living += session.isKilled() ? 0 : 1;
    }
    return living;
  }

  private static int deliver(Set<Session> receivers, PushMessage message) {
    int reached = 0;
    for (Session receiver : receivers) {
      if (!receiver.isKilled()) {
        receiver.push(message.of(receiver.protocol()));
        reached++;
      }
    }
    return reached;
  }
}
