package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Failover;
import dev.varve.server.command.observe.Monitors;
import dev.varve.server.command.observe.Pause;
import dev.varve.server.engine.Engine;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.resp.Args;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Redis checks before it runs a command.
 *
 * <p>Used by the thread that has the session.
 */
final class Admission {
  private static final DataException NO_AUTH = new DataException("NOAUTH Authentication required.");
  private static final DataException NO_MULTI =
      new DataException("ERR Command not allowed inside a transaction");

  /** Redis's text for monitors too, which are replicas of a kind to it. */
  private static final DataException MONITOR_HAS_NO_KEYS =
      new DataException("ERR Replica can't interact with the keyspace");

  private static final DataException QUEUE_FULL =
      new DataException("ERR MULTI has queued more than an eighth of the heap");

  /** They give back what MULTI took. */
  private static final Set<String> ENDS_OF_MULTI = Set.of("discard", "quit", "reset");

  private final Engine engine;
  private final Pause pause;
  private final Monitors monitors;
  private final LongRun longRun;
  private final ScriptDeclarations declarations;
  private final Shortage shortage;
  private final Following following;
  private final Failover failover;
  private final Redirection redirection;
  private final Denials denials;

  Admission(Keyspace keyspace, Denials denials) {
    this.denials = denials;
    this.engine = keyspace.engine();
    this.pause = keyspace.activity().pause();
    this.monitors = keyspace.activity().monitors();
    this.longRun = keyspace.longRun();
    this.declarations = new ScriptDeclarations(keyspace);
    this.shortage = keyspace.shortage();
    this.following = keyspace.following();
    this.failover = keyspace.leading().failover();
    this.redirection = new Redirection(following);
  }

  /** Whether a command changes data, or EXEC would. */
  static boolean writes(Session session, Command command) {
    return command.is(CommandFlag.WRITE) || (command.isExec() && session.queue().isAnyWrite());
  }

  /** Whether a command has no such flag, or is EXEC with one that has not. */
  static boolean lacks(Session session, Command command, CommandFlag flag) {
    return !command.is(flag)
        || (command.isExec() && session.queue().isAny((queued, args) -> !queued.is(flag)));
  }

  /** A script says only on its way whether it writes. */
  static boolean mayWrite(Command command) {
    return command.group() == CommandGroup.SCRIPTING && command.is(CommandFlag.MAY_REPLICATE);
  }

  /**
   * Whether what a command does is in no transaction, so that it must run once only: Redis keeps
   * such commands out of scripts.
   */
  static boolean actsAtOnce(Command command) {
    return !command.is(CommandFlag.WRITE)
        && !command.is(CommandFlag.READONLY)
        && !mayWrite(command)
        && (command.is(CommandFlag.NOSCRIPT) || command.is(CommandFlag.ADMIN));
  }

  /** Whether this is an EXEC of commands that must run once only. */
  static boolean actsAtOnce(Session session, Command command) {
    return command.isExec() && session.queue().isAny((queued, args) -> actsAtOnce(queued));
  }

  /** Why the request is refused, or null. */
  @Nullable DataException refusal(Session session, Command command, Args args) {
    if (!command.allows(args.count())) {
      return Arguments.wrongNumber(command);
    }
    if (session.isMaster()) {
      return writeRefusal(session, command);
    }
    if (!session.isAuthenticated() && !command.is(CommandFlag.NO_AUTH)) {
      return NO_AUTH;
    }
    DataException denied = denials.ofRequest(session, command, args);
    if (denied != null) {
      return denied;
    }
    if (shortage.isOfMemory() && needsMemory(session, command, args)) {
      return Shortage.NO_MEMORY;
    }
    DataException writeRefusal = writeRefusal(session, command);
    if (writeRefusal != null) {
      return writeRefusal;
    }
    if (shortage.isOfReplicas() && !following.isOn() && needsReplicas(session, command, args)) {
      return Shortage.NO_REPLICAS;
    }
    // While it is open whether another server takes over, what may not be done here is held.
    if (following.isOn() && !failover.isOn()) {
      DataException elsewhere = redirection.of(session, command, args);
      DataException ofReplica = elsewhere != null ? elsewhere : following.refusal(session, command);
      if (ofReplica != null) {
        return ofReplica;
      }
    }
    if (session.isSubscriber() && session.protocol() == 2 && !command.isForSubscribers()) {
      return new DataException(
          "ERR Can't execute '"
              + command.fullName()
              + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in"
              + " this context");
    }
    if (session.queue().isOpen() && command.is(CommandFlag.NO_MULTI)) {
      return NO_MULTI;
    }
    if (session.queue().isFull() && !command.isRunInsideMulti() && !command.isExec()) {
      return QUEUE_FULL;
    }
    DataException busy = command.is(CommandFlag.ALLOW_BUSY) ? null : longRun.busy();
    if (busy != null) {
      return busy;
    }
    return monitors.contains(session) && touchesKeys(session, command) ? MONITOR_HAS_NO_KEYS : null;
  }

  private static boolean touchesKeys(Session session, Command command) {
    return command.isExec()
        ? session.queue().isAny((queued, args) -> touchesKeys(queued))
        : touchesKeys(command);
  }

  private static boolean touchesKeys(Command command) {
    return command.is(CommandFlag.WRITE)
        || command.is(CommandFlag.READONLY)
        || command.is(CommandFlag.MAY_REPLICATE);
  }

  private @Nullable DataException writeRefusal(Session session, Command command) {
    String refusal = writes(session, command) ? engine.writeRefusal() : null;
    return refusal == null ? null : new DataException(refusal);
  }

  /** Between MULTI and EXEC all that is queued needs memory, but what ends that. */
  private boolean needsMemory(Session session, Command command, Args args) {
    if (!session.queue().isOpen()) {
      return needsMemory(command, args);
    }
    return command.isExec()
        ? session.queue().isAny(this::needsMemory)
        : !ENDS_OF_MULTI.contains(command.name());
  }

  private boolean needsMemory(Command command, Args args) {
    Set<ScriptFlag> declared = declarations.flags(command, args);
    return declared == null ? command.is(CommandFlag.DENYOOM) : Shortage.needsMemory(declared);
  }

  private boolean needsReplicas(Session session, Command command, Args args) {
    return command.isExec()
        ? session.queue().isAny(this::needsReplicas)
        : needsReplicas(command, args);
  }

  private boolean needsReplicas(Command command, Args args) {
    Set<ScriptFlag> declared = declarations.flags(command, args);
    return declared == null ? command.is(CommandFlag.WRITE) : Shortage.mayWrite(declared);
  }

  /**
   * Whether the request has to wait until a command is over that takes long, and alone may write:
   * beside a script all do that may not run while it is busy, else who may write, or wait.
   */
  boolean isHeld(Session session, Command command) {
    return longRun.isRunning()
        && !command.is(CommandFlag.ALLOW_BUSY)
        && (longRun.isOfScript() || isHeldBesideWrite(session, command));
  }

  private static boolean isHeldBesideWrite(Session session, Command command) {
    return command.isExec()
        ? session.queue().isAny((queued, args) -> isHeldBesideWrite(queued))
        : isHeldBesideWrite(command);
  }

  private static boolean isHeldBesideWrite(Command command) {
    return command.is(CommandFlag.WRITE)
        || command.is(CommandFlag.BLOCKING)
        || command.isBetweenWrites()
        || mayWrite(command);
  }

  /**
   * Whether the request has to wait until a pause is over. As in Redis, a replica's never has: what
   * it says of how far it is may be all that a write, or the end of this server, waits for.
   */
  boolean isPaused(Session session, Command command, Args args, LongSupplier clock) {
    return pause.mayBeOn()
        && !session.isReplica()
        && pause.holds(pausesAsWrite(session, command, args), clock.getAsLong());
  }

  private boolean pausesAsWrite(Session session, Command command, Args args) {
    return command.isExec()
        ? session.queue().isAny(this::pausesAsWrite)
        : pausesAsWrite(command, args);
  }

  private boolean pausesAsWrite(Command command, Args args) {
    return command.is(CommandFlag.WRITE)
        || (command.is(CommandFlag.MAY_REPLICATE) && !declarations.isReadOnly(command, args));
  }
}
