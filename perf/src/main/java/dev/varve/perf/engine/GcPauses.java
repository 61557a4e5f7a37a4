package dev.varve.perf.engine;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** Counts the collector's pauses since {@link #reset}. Safe for use by several threads. */
final class GcPauses {
  private long count;
  private long millis;
  private long millisMax;

  GcPauses() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      // Concurrent cycles are no pauses.
      boolean pauses = !bean.getName().contains("Concurrent") && !bean.getName().endsWith("Cycles");
      if (pauses && bean instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(
            (notification, handback) -> {
              if (notification.getUserData() instanceof CompositeData data
                  && notification
                      .getType()
                      .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
                add(GarbageCollectionNotificationInfo.from(data).getGcInfo());
              }
            },
            null,
            null);
      }
    }
  }

  private synchronized void add(GcInfo pause) {
    count++;
    millis += pause.getDuration();
    millisMax = Math.max(millisMax, pause.getDuration());
  }

  synchronized void reset() {
    count = 0;
    millis = 0;
    millisMax = 0;
  }

  synchronized long count() {
    return count;
  }

  synchronized long millis() {
    return millis;
  }

  synchronized long millisMax() {
    return millisMax;
  }
}
