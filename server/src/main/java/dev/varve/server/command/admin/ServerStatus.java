package dev.varve.server.command.admin;

import dev.varve.server.command.CallStatistics;
import java.util.TreeMap;

/**
 * What INFO tells of the server around the commands.
 *
 * <p>Any thread.
 */
public interface ServerStatus {

  /** When the server started, in ms since 1970. */
  long startedMillis();

  /** The port it listens on. */
  int port();

  /** The configuration file it was started with, or empty. */
  String configFile();

  /** Varve's own version. */
  String version();

  /** What tells event loops that a socket has something: {@code nio} or {@code io_uring}. */
  String multiplexing();

  /** Commands that ran since start or CONFIG RESETSTAT. */
  long commands();

  /** Commands per second, lately. */
  long commandsPerSecond();

  /** Keys that commands which read have found, since start or CONFIG RESETSTAT. */
  long keyspaceHits();

  /** Keys that commands which read have not found, since start or CONFIG RESETSTAT. */
  long keyspaceMisses();

  /** Error replies by code. */
  TreeMap<String, Long> errors();

  /** What each command did, by its full name. */
  TreeMap<String, CallStatistics> calls();

  /** Keys that expired since start. */
  long expiredKeys();

  /** How often an event loop was busy with one task for longer than it should be. */
  long blockedLoops();

  /** How often it would have been without what it waited for a processor, as far as is known. */
  long loopsBlockedThemselves();

  /** The longest of these times, in ms. */
  long longestBlockMillis();

  /** How many blocks of tables event loops have read by themselves, without waiting. */
  long blocksReadByLoops();

  /** Whether the log is being synced now. */
  boolean isSyncing();

  /** How often a sync of every second was so late that writes had to wait for it. */
  long delayedSyncs();

  long inBytes();

  long outBytes();

  /** How often sockets of clients were read. */
  long reads();

  /** How often something was handed to a socket of a client. */
  long writes();

  /** Bytes that came in within a second, lately. */
  long inBytesPerSecond();

  /** Bytes that went out within a second, lately. */
  long outBytesPerSecond();

  /** What memory is in use now. */
  MemoryUse memory();

  /** The most memory in use since start, looked at once a second and by {@link #memory}. */
  long memoryPeakBytes();

  /** Processor time of this process in the kernel, in seconds; 0 where that is not told. */
  double systemSeconds();

  /** Processor time of the one thread that writes. */
  ThreadTime keyspaceLoopTime();

  /** Memory of this process that is in RAM; 0 where that is not told. */
  long residentBytes();

  /** Counts again from zero. */
  void reset();
}
