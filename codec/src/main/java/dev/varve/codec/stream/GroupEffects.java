package dev.varve.codec.stream;

import dev.varve.codec.Effects;
import dev.varve.codec.format.StreamId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The effects of what a consumer gets: when that was decides what others may claim, and to whom
 * something is given is not for a copy of the data to decide. So a copy is told what is pending
 * then, as Redis tells it.
 *
 * <p>Pure functions of a transaction.
 */
final class GroupEffects {
  private static final int IDS_MAX = 1000;

  private GroupEffects() {}

  /** Of a command that has changed nothing so far but that this consumer is known. */
  static void seen(StreamTable stream, StreamGroup group, byte[] consumer) {
    effects(stream)
        .instead(stream.database, "XGROUP", "CREATECONSUMER", stream.key, group.name, consumer);
  }

  /**
   * Of a command that has handed over entries, or found that they are gone.
   *
   * @param ids in the order of the stream
   */
  static void handedOver(
      StreamTable stream,
      GroupTable groups,
      StreamGroup group,
      byte[] consumer,
      List<StreamId> ids) {
    Effects effects = effects(stream);
    effects.insteadNothing();
    List<StreamId> alike = new ArrayList<>();
    PendingEntry first = null;
    for (StreamId id : ids) {
      PendingEntry entry = groups.pending(group, id);
      if (entry == null) {
        effects.instead(stream.database, "XACK", stream.key, group.name, id.text());
        continue;
      }
      boolean isAlike =
          first != null
              && first.deliveredMillis() == entry.deliveredMillis()
              && first.deliveries() == entry.deliveries()
              && alike.size() < IDS_MAX;
      if (!isAlike) {
        claim(effects, stream, group, consumer, first, alike);
        alike.clear();
        first = entry;
      }
      alike.add(id);
    }
    claim(effects, stream, group, consumer, first, alike);
  }

  private static void claim(
      Effects effects,
      StreamTable stream,
      StreamGroup group,
      byte[] consumer,
      @Nullable PendingEntry like,
      List<StreamId> ids) {
    if (like == null) {
      return;
    }
    List<Object> words = new ArrayList<>(List.of("XCLAIM", stream.key, group.name, consumer, 0));
    for (StreamId id : ids) {
      words.add(id.text());
    }
    words.addAll(List.of("TIME", like.deliveredMillis(), "RETRYCOUNT", like.deliveries()));
    words.addAll(List.of("FORCE", "JUSTID"));
    effects.instead(stream.database, words.toArray());
  }

  /** Of a command that has moved the group on. */
  static void movedOn(StreamTable stream, StreamGroup group) {
    effects(stream)
        .instead(
            stream.database,
            "XGROUP",
            "SETID",
            stream.key,
            group.name,
            group.last.text(),
            "ENTRIESREAD",
            group.read);
  }

  private static Effects effects(StreamTable stream) {
    return stream.transaction.effects();
  }
}
