package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.Command;
import dev.varve.server.command.QueuedCommands.Queued;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends clients that know clusters to the server that this one follows: it has the keys, and this
 * one reads them for who has said READONLY.
 *
 * <p>Used by the thread that has the session.
 */
final class Redirection {
  private static final int NONE = -1;

  /** What is said to the master all who follow it hear; what is said here it does not. */
  private static final Set<String> MESSAGES = Set.of("publish", "spublish");

  private final Following following;

  Redirection(Following following) {
    this.following = following;
  }

  /** Where the request is to go instead, or null. */
  @Nullable DataException of(Session session, Command command, Args args) {
    Following.Master master = following.master();
    if (!following.isInCluster() || master == null) {
      return null;
    }
    boolean isMessage = MESSAGES.contains(command.name());
    if (session.readsHere() && !Admission.writes(session, command) && !isMessage) {
      return null;
    }
    int slot = command.isExec() ? slot(session.queue().list()) : slot(command, args);
    return slot == NONE
        ? null
        : new DataException("MOVED " + slot + ' ' + master.host() + ':' + master.port());
  }

  private static int slot(@Nullable List<Queued> queue) {
    if (queue != null) {
      for (Queued queued : queue) {
        int slot = slot(queued.command(), queued.args());
        if (slot != NONE) {
          return slot;
        }
      }
    }
    return NONE;
  }

  private static int slot(Command command, Args args) {
    if (MESSAGES.contains(command.name())) {
      return KeySlot.of(args.get(1));
    }
    int[] keys = command.keyIndexes(args);
    return keys.length == 0 ? NONE : KeySlot.of(args.get(keys[0]));
  }
}
