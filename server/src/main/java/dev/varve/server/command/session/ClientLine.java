package dev.varve.server.command.session;

import dev.varve.server.command.QueuedCommands;
import dev.varve.server.command.Session;
import dev.varve.server.command.Subscriptions;
import dev.varve.server.command.TrackingState;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.observe.Activity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongSupplier;

/** One line of CLIENT LIST. Any thread; what it shows of a busy client may be a moment old. */
final class ClientLine {
  private final Activity activity;
  private final LongSupplier clock;

  ClientLine(Activity activity, LongSupplier clock) {
    this.activity = activity;
    this.clock = clock;
  }

  String of(Session session) {
    long nowMillis = clock.getAsLong();
    List<QueuedCommands.Queued> queue = session.queue().list();
    Subscriptions subscriptions = session.subscriptions();
    StringBuilder line = new StringBuilder(256);
    line.append("id=").append(session.id());
    line.append(" addr=").append(session.address());
    line.append(" laddr=").append(session.localAddress());
    line.append(" fd=").append(session.id() + FIRST_DESCRIPTOR);
    line.append(" name=").append(session.name());
    line.append(" age=").append(Math.max(0, nowMillis - session.createdMillis()) / 1000);
    line.append(" idle=").append(Math.max(0, nowMillis - session.lastUsedMillis()) / 1000);
    line.append(" flags=").append(flags(session));
    line.append(" db=").append(session.database());
    line.append(" sub=").append(subscriptions.count(Subscriptions.Kind.CHANNEL));
    line.append(" psub=").append(subscriptions.count(Subscriptions.Kind.PATTERN));
    line.append(" ssub=").append(subscriptions.count(Subscriptions.Kind.SHARD_CHANNEL));
    line.append(" multi=").append(queue == null ? -1 : queue.size());
    long queuedBytes = queue == null ? 0 : session.queue().bytes();
    long unsentBytes = session.connection().unsentBytes();
    line.append(" qbuf=").append(session.requestBytes());
    line.append(" qbuf-free=0 argv-mem=0 multi-mem=").append(queuedBytes);
    line.append(" rbs=0 rbp=0 obl=0 oll=").append(unsentBytes == 0 ? 0 : 1);
    line.append(" omem=").append(unsentBytes);
    line.append(" tot-mem=").append(session.requestBytes() + queuedBytes + unsentBytes);
    line.append(unsentBytes == 0 ? " events=r" : " events=rw");
    line.append(" cmd=").append(session.lastCommandName());
    line.append(" user=").append(userName(session));
    line.append(" redir=");
    line.append(session.tracking().isOn() ? session.tracking().redirect() : -1);
    line.append(" resp=").append(session.protocol());
    if (!session.libraryName().isEmpty() || !session.libraryVersion().isEmpty()) {
      line.append(" lib-name=").append(session.libraryName());
      line.append(" lib-ver=").append(session.libraryVersion());
    }
    return line.append('\n').toString();
  }

  /** The descriptors below belong to the process itself; the number only has to be a number. */
  private static final int FIRST_DESCRIPTOR = 7;

  private static String userName(Session session) {
    return new String(ByteText.bytes(session.rights().userName()), StandardCharsets.UTF_8);
  }

  private String flags(Session session) {
    StringBuilder flags = new StringBuilder();
    if (activity.monitors().contains(session)) {
      flags.append('O');
    }
    if (session.isReplica()) {
      flags.append('S');
    }
    if (session.isMaster()) {
      flags.append('M');
    }
    if (session.isSubscriber()) {
      flags.append('P');
    }
    if (session.queue().isOpen()) {
      flags.append('x');
    }
    if (session.waiting() != null) {
      flags.append('b');
    }
    if (session.tracking().isOn()) {
      flags.append('t');
    }
    if (session.tracking().isRedirectBroken()) {
      flags.append('R');
    }
    if (session.tracking().mode() == TrackingState.Mode.BROADCAST) {
      flags.append('B');
    }
    if (session.watch().isChanged()) {
      flags.append('d');
    }
    if (session.isByUnixSocket()) {
      flags.append('U');
    }
    if (session.readsHere()) {
      flags.append('r');
    }
    if (session.noEvict()) {
      flags.append('e');
    }
    if (session.noTouch()) {
      flags.append('T');
    }
    return flags.isEmpty() ? "N" : flags.toString();
  }
}
