package dev.varve.perf.peer;

import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How fast Varve has promised to be beside Redis under a load, on cached data. Immutable.
 *
 * @param threads of the load generator: with one it is the limit where nothing is pipelined
 * @param isSynced whether each write is synced before its reply, by both
 */
record Promise(int threads, boolean isSynced) {
  private static final int PIPELINED = 16;
  private static final double AS_FAST = 1.0;
  private static final double FASTER = 1.2;

  /** Without a pipeline, where generator and kernel have most of the time. */
  private static final double ALMOST_AS_FAST = 0.95;

  /** Where Redis counts its way through a sorted set, Varve through an ordered store. */
  private static final double BY_RANK = 0.3;

  /** Nothing was promised of mixes. */
  private static final Set<String> SINGLE_COMMANDS =
      Workload.all(Workload.VALUE_BYTES).stream()
          .map(Workload::name)
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> ALL_BY_RANK =
      Set.of("zrange_middle", "zrevrange_middle", "zrank");
  private static final Set<String> ALL_FASTER = Set.of("get", "set", "incr", "hset", "lpush");

  /** Requests a second over those of Redis, if anything was promised. */
  OptionalDouble ratio(String workload, int pipeline) {
    if (!SINGLE_COMMANDS.contains(workload)) {
      return OptionalDouble.empty();
    }
    if (ALL_BY_RANK.contains(workload)) {
      return OptionalDouble.of(BY_RANK);
    }
    if (isSynced) {
      return OptionalDouble.of(AS_FAST);
    }
    return switch (pipeline) {
      case 1 -> OptionalDouble.of(threads > 1 ? FASTER : ALMOST_AS_FAST);
      case PIPELINED -> OptionalDouble.of(ALL_FASTER.contains(workload) ? FASTER : AS_FAST);
      default -> OptionalDouble.empty();
    };
  }
}
