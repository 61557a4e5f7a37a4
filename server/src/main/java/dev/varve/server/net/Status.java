package dev.varve.server.net;

import dev.varve.server.command.CallStatistics;
import dev.varve.server.command.admin.MemoryUse;
import dev.varve.server.command.admin.ServerStatus;
import dev.varve.server.command.admin.ThreadTime;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.wal.ProcessUse;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** The figures of a {@link RespServer}. */
final class Status implements ServerStatus {
  private final RespServer server;
  private final GroupCommit commit;
  private final RespServer.Surroundings surroundings;
  private final long startedMillis;
  private final AtomicLong memoryPeakBytes = new AtomicLong();

  /** What ran and went by until a moment, or within a second. */
  private record Sample(long commands, long inBytes, long outBytes) {}

  private Sample total = new Sample(0, 0, 0);
  private volatile Sample perSecond = total;

  Status(RespServer server, GroupCommit commit, RespServer.Surroundings surroundings) {
    this.server = server;
    this.commit = commit;
    this.surroundings = surroundings;
    this.startedMillis = server.clock().getAsLong();
  }

  /** Called once a second, by one thread. */
  void sample() {
    Sample before = total;
    total = new Sample(commands(), inBytes(), outBytes());
    // CONFIG RESETSTAT lets all of them begin at 0 again.
    perSecond =
        new Sample(
            Math.max(0, total.commands - before.commands),
            Math.max(0, total.inBytes - before.inBytes),
            Math.max(0, total.outBytes - before.outBytes));
    memory();
  }

  @Override
  public long startedMillis() {
    return startedMillis;
  }

  @Override
  public int port() {
    return server.port() == 0 ? server.tlsPort() : server.port();
  }

  @Override
  public String configFile() {
    return surroundings.configFile();
  }

  @Override
  public String multiplexing() {
    return server.haveLoopsRings() ? "io_uring" : "nio";
  }

  @Override
  public String version() {
    return surroundings.version();
  }

  @Override
  public long commands() {
    long commands = 0;
    for (CommandExecutor executor : server.executors()) {
      commands += executor.statistics().commands();
    }
    return commands;
  }

  @Override
  public long keyspaceHits() {
    return server.executors().stream().mapToLong(its -> its.statistics().hits()).sum();
  }

  @Override
  public long keyspaceMisses() {
    return server.executors().stream().mapToLong(its -> its.statistics().misses()).sum();
  }

  @Override
  public long commandsPerSecond() {
    return perSecond.commands;
  }

  @Override
  public TreeMap<String, Long> errors() {
    TreeMap<String, Long> errors = new TreeMap<>();
    for (CommandExecutor executor : server.executors()) {
      executor.statistics().addErrorsTo(errors);
    }
    return errors;
  }

  @Override
  public TreeMap<String, CallStatistics> calls() {
    TreeMap<String, CallStatistics> calls = new TreeMap<>();
    for (CommandExecutor executor : server.executors()) {
      executor.statistics().addCallsTo(calls);
    }
    return calls;
  }

  @Override
  public long expiredKeys() {
    return server.keyspace().expiredKeys();
  }

  @Override
  public long blockedLoops() {
    return server.loopWatch().blocked();
  }

  @Override
  public long loopsBlockedThemselves() {
    return server.loopWatch().blockedItself();
  }

  @Override
  public long longestBlockMillis() {
    return server.loopWatch().longestMillis();
  }

  @Override
  public long blocksReadByLoops() {
    return server.blocksReadByLoops();
  }

  @Override
  public boolean isSyncing() {
    return commit.isSyncing();
  }

  @Override
  public long delayedSyncs() {
    return commit.delays();
  }

  @Override
  public long inBytes() {
    return server.traffic().inBytes();
  }

  @Override
  public long outBytes() {
    return server.traffic().outBytes();
  }

  @Override
  public long reads() {
    return server.traffic().reads();
  }

  @Override
  public long writes() {
    return server.traffic().writes();
  }

  @Override
  public long inBytesPerSecond() {
    return perSecond.inBytes;
  }

  @Override
  public long outBytesPerSecond() {
    return perSecond.outBytes;
  }

  @Override
  public MemoryUse memory() {
    MemoryUse use = MemoryUse.now(server.engine().memoryParts());
    memoryPeakBytes.accumulateAndGet(use.bytes(), Math::max);
    return use;
  }

  @Override
  public long memoryPeakBytes() {
    return memoryPeakBytes.get();
  }

  @Override
  public double systemSeconds() {
    return ProcessUse.now().map(ProcessUse::systemSeconds).orElse(0.0);
  }

  @Override
  public ThreadTime keyspaceLoopTime() {
    return ThreadTime.of(server.keyspaceLoopThreadId());
  }

  @Override
  public long residentBytes() {
    return ProcessUse.now().map(ProcessUse::residentBytes).orElse(0L);
  }

  @Override
  public void reset() {
    for (CommandExecutor executor : server.executors()) {
      executor.statistics().reset();
    }
    server.clients().resetCounts();
    server.keyspace().resetExpiredKeys();
    server.keyspace().leading().resetCounts();
    server.traffic().reset();
  }
}
