/**
 * The tree: ordered keys and values on disk, written in batches, read at a point in time.
 *
 * <p>{@link dev.varve.lsm.LsmTree} is the door. What is behind it, from top to bottom:
 *
 * <ul>
 *   <li>a <b>batch</b> ({@link dev.varve.lsm.WriteBatch}) becomes one log record, then entries of
 *       the active <b>memtable</b>;
 *   <li>a full memtable is <b>rotated</b>: it becomes immutable, and a new one with a new log
 *       segment takes its place;
 *   <li>a <b>flush</b> writes an immutable memtable as a table of level 0; compaction (a room of
 *       its own) sinks tables from level to level;
 *   <li>a <b>snapshot</b> ({@link dev.varve.lsm.Snapshot}) is the state at one sequence number: it
 *       holds on to the memtables and tables it reads, so nothing that happens later touches it;
 *   <li>a <b>checkpoint</b> is a second directory that opens as the tree was at one moment;
 *   <li><b>counters</b> are named sums that move in the same batch as the entries they count.
 * </ul>
 *
 * <p>Words: a batch is <em>applied</em> when it is in the memtable and in the log's buffer,
 * <em>committed</em> when the operating system has its log record, <em>published</em> when readers
 * see it. The <em>horizon</em> is the newest published sequence number: no new reader looks behind
 * it.
 *
 * <p>Thread rule: one thread at a time, the <em>writer</em>, applies and commits; it may hand that
 * on to another, which then sees all that it has done. Any thread reads. Flush, sync, and the work
 * of compaction run on worker threads and never make the writer or a reader wait.
 *
 * <p>Knows keys, values and sequence numbers, not Redis. Imports from {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.lsm;

import org.jspecify.annotations.NullMarked;
