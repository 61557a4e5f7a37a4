package dev.varve.codec.stream;

import dev.varve.codec.Effects;
import dev.varve.codec.format.StreamId;
import java.util.List;

/**
 * The effects of what a consumer gets: when that was decides what others may claim, and to whom
 * something is given is not for a copy of the data to decide. So a copy is told what is pending
 * then, as Redis tells it.
 *
 * <p>Pure functions of a transaction.
 */
final class GroupEffects {
  private GroupEffects() {}

  /** Of a command that has changed nothing but that this consumer is known. */
  private static void seen(StreamTable stream, StreamGroup group, byte[] consumer) {
    effects(stream)
        .instead(stream.database, "XGROUP", "CREATECONSUMER", stream.key, group.name, consumer);
  }

  /** Of a command that has given a consumer these entries, or found that it has none to give. */
  static void given(
      StreamTable stream,
      GroupTable groups,
      StreamGroup group,
      byte[] consumer,
      List<StreamId> ids) {
    if (!handedOver(stream, groups, group, consumer, ids)) {
      seen(stream, group, consumer);
    }
  }

  /**
   * Of a command that has handed over entries, or found that they are gone; false if all are.
   *
   * @param ids those of the entries
   */
  static boolean handedOver(
      StreamTable stream,
      GroupTable groups,
      StreamGroup group,
      byte[] consumer,
      List<StreamId> ids) {
    Effects effects = effects(stream);
    effects.insteadNothing();
    boolean isAnyGiven = false;
    for (StreamId id : ids) {
      PendingEntry entry = groups.pending(group, id);
      if (entry == null) {
        effects.instead(stream.database, "XACK", stream.key, group.name, id.text());
        continue;
      }
      isAnyGiven = true;
      effects.instead(
          stream.database,
          "XCLAIM",
          stream.key,
          group.name,
          consumer,
          0,
          id.text(),
          "TIME",
          entry.deliveredMillis(),
          "RETRYCOUNT",
          entry.deliveries(),
          "FORCE",
          "JUSTID");
    }
    return isAnyGiven;
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
