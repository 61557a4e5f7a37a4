package dev.varve.compaction;

import org.jspecify.annotations.Nullable;

/**
 * Figures since the start, and of this moment. Immutable.
 *
 * @param merges passes that read and wrote
 * @param deletions plans that deleted dead tables unread
 * @param failures passes that failed
 * @param bytesRead by merges
 * @param bytesWritten by merges
 * @param bytesFreed file bytes by which passes left less than they found
 * @param shadowedEntries entries dropped because a newer one hid them
 * @param deadEntries entries dropped because they lay in dead ranges
 * @param deadRawBytes keys and values of those: the garbage reclaimed
 * @param pressure see {@link CompactionPicker#pressure}
 * @param garbage what is dead and still there, as measured last
 * @param runningPlans how many plans run now
 * @param lastFailure what the last failed pass said, or null
 */
public record CompactionStatistics(
    long merges,
    long deletions,
    long failures,
    long bytesRead,
    long bytesWritten,
    long bytesFreed,
    long shadowedEntries,
    long deadEntries,
    long deadRawBytes,
    double pressure,
    TableGarbage garbage,
    int runningPlans,
    @Nullable String lastFailure) {}
