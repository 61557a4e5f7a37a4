package dev.varve.lsm;

import org.jspecify.annotations.Nullable;

/**
 * What opening a tree found.
 *
 * @param created whether the tree is new
 * @param tables number of tables
 * @param tableBytes bytes of their files
 * @param logBatches batches replayed from the log
 * @param cutBytes bytes cut from the end of the log: a torn tail that was never synced
 * @param tornFile the log segment that was torn, or null
 * @param millis how long it took
 */
public record RecoveryReport(
    boolean created,
    int tables,
    long tableBytes,
    long logBatches,
    long cutBytes,
    @Nullable String tornFile,
    long millis) {}
