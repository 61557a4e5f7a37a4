package dev.varve.perf.engine;

import java.util.Map;

/**
 * What a workload took besides time. Immutable.
 *
 * @param io bytes that went through system calls, background work included
 * @param cpuNanos CPU time of the measuring thread: what neighbours on the machine hardly change
 * @param processCpuNanos CPU time of all threads, the compiler's and the collector's included
 * @param allocatedBytes heap that the measuring thread allocated
 * @param heapBytes heap in use at the end, garbage included
 * @param gcPauses how often the collector stopped all threads
 * @param gcMillis for how long in all
 * @param gcMillisMax the longest pause
 * @param offHeapBytes off-heap memory by part, as the engine says
 * @param diskBytes bytes of the engine's files at the end
 * @param liveBytes bytes of keys and values that a reader would see at the end
 */
record Costs(
    ProcessIo io,
    long cpuNanos,
    long processCpuNanos,
    long allocatedBytes,
    long heapBytes,
    long gcPauses,
    long gcMillis,
    long gcMillisMax,
    Map<String, Long> offHeapBytes,
    long diskBytes,
    long liveBytes) {

  static final Costs NONE = new Costs(new ProcessIo(0, 0), 0, 0, 0, 0, 0, 0, 0, Map.of(), 0, 0);

  Costs {
    offHeapBytes = Map.copyOf(offHeapBytes);
  }

  /** These and those that came after: what was taken adds up, what is held is as it is last. */
  Costs plus(Costs later) {
    return new Costs(
        io.plus(later.io),
        cpuNanos + later.cpuNanos,
        processCpuNanos + later.processCpuNanos,
        allocatedBytes + later.allocatedBytes,
        later.heapBytes,
        gcPauses + later.gcPauses,
        gcMillis + later.gcMillis,
        Math.max(gcMillisMax, later.gcMillisMax),
        later.offHeapBytes,
        later.diskBytes,
        later.liveBytes);
  }

  double spaceAmplification() {
    return liveBytes == 0 ? 0 : (double) diskBytes / liveBytes;
  }
}
