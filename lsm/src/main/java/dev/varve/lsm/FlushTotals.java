package dev.varve.lsm;

import dev.varve.lsm.version.TableMeta;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Sums up what flushes did since the start. One thread adds, any thread reads. */
final class FlushTotals {
  private final AtomicLong fileBytes = new AtomicLong();
  private final AtomicLong deadEntries = new AtomicLong();
  private final AtomicLong deadRawBytes = new AtomicLong();

  /** A flush has written these tables, and dropped so much by the dead-entry rule. */
  void add(List<TableMeta> written, long entries, long rawBytes) {
    for (TableMeta table : written) {
      fileBytes.addAndGet(table.fileBytes());
    }
    deadEntries.addAndGet(entries);
    deadRawBytes.addAndGet(rawBytes);
  }

  long fileBytes() {
    return fileBytes.get();
  }

  long deadEntries() {
    return deadEntries.get();
  }

  long deadRawBytes() {
    return deadRawBytes.get();
  }
}
