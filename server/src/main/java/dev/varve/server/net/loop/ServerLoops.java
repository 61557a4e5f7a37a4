package dev.varve.server.net.loop;

import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.command.run.Role;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The event loops of a server, each with what runs its commands and, where it has a ring, what it
 * reads by that.
 *
 * <p>Made and stopped by a thread that may block.
 */
public final class ServerLoops {
  private final Map<LoopVerticle, ServerLoop> loops = new LinkedHashMap<>();
  private final List<RingReads> rings = new ArrayList<>();
  private final ServerLoop keyspaceLoop;

  /**
   * @param executors makes what runs the commands of one loop
   * @param cold runs what may block, beside other such
   * @param firstKeys brings what requests behind will look up first
   */
  public ServerLoops(
      ServerThreads threads,
      Function<Role, CommandExecutor> executors,
      Executor cold,
      FirstKeys firstKeys)
      throws IOException {
    ServerLoop first = null;
    for (LoopVerticle verticle : threads.loops()) {
      Role role = first == null ? Role.WRITER : Role.READER;
      WatchedLoop loop = threads.watch().watch(verticle.context());
      ServerLoop made = new ServerLoop(loop, executors.apply(role), loads(loop, cold, firstKeys));
      loops.put(verticle, made);
      first = first == null ? made : first;
    }
    if (first == null) {
      throw new IllegalStateException("a server without an event loop");
    }
    this.keyspaceLoop = first;
  }

  private @Nullable ColdLoads loads(WatchedLoop loop, Executor cold, FirstKeys firstKeys)
      throws IOException {
    RingReads ring = RingReads.of(loop, cold);
    if (ring == null) {
      return null;
    }
    rings.add(ring);
    ColdLoads loads = new ColdLoads(ring, firstKeys);
    loop.eventLoop().execute(loads::rehearse);
    return loads;
  }

  /** The one that runs all writes. */
  public ServerLoop keyspaceLoop() {
    return keyspaceLoop;
  }

  /** What runs the commands of each. */
  public Map<LoopVerticle, ServerLoop> all() {
    return Collections.unmodifiableMap(loops);
  }

  /** Whether rings of the kernel serve their sockets. */
  public boolean haveRings() {
    return !rings.isEmpty();
  }

  /** Blocks that they have read by themselves. Any thread. */
  public long blocksRead() {
    return rings.stream().mapToLong(RingReads::loaded).sum();
  }

  /** Waits for what the keyspace loop has under way: it is to end before the engine is closed. */
  public void awaitKeyspaceLoop() throws IOException {
    ServerThreads.await(
        Future.future(
            promise -> keyspaceLoop.execute(() -> keyspaceLoop.execute(promise::complete))));
  }

  /** Ends the reads that are under way. */
  public void stopReads() throws IOException {
    for (RingReads ring : rings) {
      ServerThreads.await(ring.stop());
    }
  }
}
