package dev.varve.perf.engine;

import java.io.IOException;
import java.lang.management.ManagementFactory;

/** Takes the {@link Costs} of what one thread does between two calls. For that thread. */
final class CostMeter {
  private static final com.sun.management.ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);

  private static final com.sun.management.OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

  private final GcPauses pauses;
  private ProcessIo ioBefore = new ProcessIo(0, 0);
  private long allocatedBefore;
  private long cpuBefore;
  private long processCpuBefore;

  CostMeter(GcPauses pauses) {
    this.pauses = pauses;
  }

  void start() {
    pauses.reset();
    ioBefore = ProcessIo.now();
    processCpuBefore = PROCESS.getProcessCpuTime();
    cpuBefore = THREADS.getCurrentThreadCpuTime();
    allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
  }

  Costs stop(EngineUnderTest engine, long liveBytes) throws IOException {
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
    Runtime runtime = Runtime.getRuntime();
    return new Costs(
        ProcessIo.now().since(ioBefore),
        cpu,
        PROCESS.getProcessCpuTime() - processCpuBefore,
        allocated,
        runtime.totalMemory() - runtime.freeMemory(),
        pauses.count(),
        pauses.millis(),
        pauses.millisMax(),
        engine.offHeapBytes(),
        engine.diskBytes(),
        liveBytes);
  }
}
