package dev.varve.server.command.run;

/** What became of a request. Only after DONE has anything happened. */
public enum Outcome {
  /** It ran: its reply is written, unless the client wants none. */
  DONE,
  /** It must run on the keyspace loop. */
  TO_KEYSPACE,
  /** It must run on a worker, and that run is the real one. */
  TO_WORKER,
  /** It needs what is not in memory: that has to be brought, or a worker has to run it. */
  COLD,
  /**
   * That was a worker's trial: what it needs is in memory, and it must run again where it came
   * from; see {@link CommandExecutor#takeBroughtView}.
   */
  TRIED,
  /**
   * It reads for too long to be done here, or its reply is too long to be made whole: a thread that
   * may wait for the client has to run it, see {@link CommandExecutor#stream}.
   */
  TO_STREAM,
  /** A part of what it needs was done: it must run again, when others have had their turn. */
  AGAIN,
  /** Writes have to wait: {@link Keyspace#writeDelayMillis} says how long. */
  DELAYED,
  /** Clients are paused: {@code Activity.pause()} says when it is over. */
  PAUSED,
  /** The client waits for keys: {@code Session.waiting()} says how long. */
  BLOCKED,
  /** It takes long to write: a worker has to run it, see {@link LongRun}. */
  LONG,
  /** It must run on the keyspace loop once that which takes long is over. */
  BEHIND_LONG,
  /**
   * It must run on the keyspace loop once another client was served that waited for one of its
   * keys: see {@link dev.varve.server.command.listen.BlockedClients#await}.
   */
  BEHIND_WAITER
}
