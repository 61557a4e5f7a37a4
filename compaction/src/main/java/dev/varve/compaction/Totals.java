package dev.varve.compaction;

import dev.varve.wal.FailureReason;
import org.jspecify.annotations.Nullable;

/** Sums up what passes did. Guarded by its owner's lock. */
final class Totals {
  long merges;
  long deletions;
  long failures;
  long bytesRead;
  long bytesWritten;
  long bytesFreed;
  long shadowedEntries;
  long deadEntries;
  long deadRawBytes;
  @Nullable String lastFailure;

  void add(PassResult result) {
    if (!result.installed()) {
      return;
    }
    if (result.plan() instanceof Plan.Merge) {
      merges++;
    } else if (!(result.plan() instanceof Plan.Move)) {
      deletions++;
    }
    bytesRead += result.bytesRead();
    bytesWritten += result.bytesWritten();
    // A pass that drops little may write a little more than it reads: nothing came back.
    bytesFreed += Math.max(0, result.bytesFreed());
    shadowedEntries += result.shadowedEntries();
    deadEntries += result.deadEntries();
    deadRawBytes += result.deadRawBytes();
  }

  void addFailure(Plan plan, Throwable failure) {
    failures++;
    lastFailure = plan + ": " + FailureReason.of(failure);
  }
}
