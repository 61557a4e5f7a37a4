package dev.varve.server.command;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.Effects;
import dev.varve.codec.Transaction;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.LoadedLibraries;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a command is given besides its arguments: who asks, the data, where the reply goes, and what
 * it may have run for it.
 *
 * <p>Belongs to one thread at a time, and is used again for the next command: a function keeps no
 * reference to it.
 */
public interface CommandContext {

  /** The client that asks. */
  Session session();

  /** The command that runs. */
  Command command();

  /** The number of the client's database. */
  default int database() {
    return session().database();
  }

  /**
   * The data, as this command may read and write it. Only commands flagged write or readonly have
   * it, and the transaction commands.
   */
  Transaction transaction();

  /** What replicas are asked for in the place of this command, where it says so. */
  default Effects effects() {
    return transaction().effects();
  }

  /** Whether there is data: a command without flags for it meets some inside MULTI and scripts. */
  boolean hasData();

  /** Where the reply goes: exactly one, complete or not at all. */
  RespEncoder reply();

  /**
   * The command's time in ms since 1970. It does not change while it runs, nor when it runs again.
   */
  default long nowMillis() {
    return transaction().nowMillis();
  }

  /**
   * What time it is now, for commands that tell it: unlike {@link #nowMillis} it goes on while a
   * script or a transaction runs, as Redis's does.
   */
  Instant wallTime();

  /**
   * Up to what length it may make a string, in bytes: {@code proto-max-bulk-len}, or what is
   * possible at all where a master asks, which has looked at its own.
   */
  int stringBytesMax();

  /** When keys were last used. */
  AccessTimes accessTimes();

  /**
   * Whether this run only finds out what the command will read, and is thrown away: what is not in
   * the transaction must stay as it is.
   */
  boolean isTrial();

  /** Whether a script calls the command. */
  boolean isInScript();

  /** Whether the client may be made to wait; inside MULTI it is not. */
  boolean mayWait();

  /**
   * Makes the client wait, in the place of a reply: the last that a function does. Whenever
   * something happens to one of {@code keys} in its database, {@code attempt} may serve it: after
   * the command or transaction that did it, in the order of these changes, and at each key in the
   * order in which clients came. Only a command that runs on the keyspace loop may do this.
   *
   * @param keys may be empty
   * @param timeoutMillis {@link Wait#FOREVER} for no limit; see {@link Arguments#timeoutMillis}
   * @param onTimeout writes the reply when the time is over
   * @param attempt keeps what it needs from this run, such as the last id of a stream
   */
  Wait waitFor(
      List<byte[]> keys, long timeoutMillis, Consumer<RespEncoder> onTimeout, Wait.Attempt attempt);

  /**
   * The same for what no key has to do with: somebody else ends it, or its time.
   *
   * @param timeoutMillis {@link Wait#FOREVER} for no limit
   * @param onTimeout writes the reply when the time is over
   */
  default Wait waitFor(long timeoutMillis, Consumer<RespEncoder> onTimeout) {
    return waitFor(List.of(), timeoutMillis, onTimeout, (again, key) -> false);
  }

  /**
   * Sends a message when the transaction has come to its end, between what happened to keys before
   * and after: what is sent cannot be taken back when a block turns out to be cold and all runs
   * again.
   *
   * @param bytes of what is kept for it until then
   * @throws dev.varve.codec.DataException when there are more of them than may be kept
   */
  void sendLater(long bytes, Runnable message);

  /** Runs one command of a transaction, in this context. */
  void runQueued(Command queued, Args args);

  /** What ran so far inside the transaction or script that runs now, and is not counted yet. */
  CommandStatistics statisticsInside();

  /** This command calls a script or function. Monitors are shown it before what that calls. */
  void callsScript(Args args);

  /**
   * Compiles a script and keeps that. Throws Redis's error when it is none.
   *
   * @param digest by which it can be called from now on
   */
  void loadScript(String digest, byte[] source);

  /**
   * Runs a script that was loaded, and writes its reply.
   *
   * @param request the command that calls it
   */
  void runScript(String digest, byte[][] keys, byte[][] arguments, boolean onlyReads, Args request);

  /**
   * Runs a function, and writes its reply. Throws Redis's error when there is none.
   *
   * @param request the command that calls it
   */
  void callFunction(
      FunctionLibraries.Found found,
      byte[][] keys,
      byte[][] arguments,
      boolean onlyReads,
      Args request);

  /** The libraries of functions, as this transaction has them. */
  FunctionLibraries libraries();

  /** Changes which libraries there are, once the transaction is applied. */
  void libraries(FunctionLibraries changed);

  /** The libraries that this thread has compiled. */
  LoadedLibraries loadedLibraries();
}
