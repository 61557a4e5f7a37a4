/**
 * What the tree's parts say to each other: entries, their order, and walks over them.
 *
 * <p>An <b>entry</b> is (key, sequence number, kind, value). A <b>sequence number</b> says which
 * batch wrote it: larger is newer. The <b>kind</b> is a value or a <b>tombstone</b>. Entries are
 * ordered by key ascending by the tree's {@link dev.varve.lsm.entry.KeyComparator}, then by
 * sequence number descending, so that of one key the newest comes first. No two entries share key
 * and sequence number.
 *
 * <p>An {@link dev.varve.lsm.entry.EntryCursor} walks all entries, old versions and tombstones
 * included; memtables and tables give one each. Of several, a {@link
 * dev.varve.lsm.entry.MergingCursor} makes one; of several that do not overlap, a {@link
 * dev.varve.lsm.entry.RunCursor} does without comparing. A {@link
 * dev.varve.lsm.entry.VisibleCursor} walks what a reader at one snapshot sees of them.
 *
 * <p>A <b>pass</b> (flush or compaction) walks merged entries and keeps what a read can still ask
 * for: {@link dev.varve.lsm.entry.PassWalk} is that walk, {@link
 * dev.varve.lsm.entry.EntryRetention} its rule. The <b>horizon</b> of a pass is the published
 * sequence number when it starts.
 *
 * <p>A <b>cold block</b> is one that must be read from the disk first. Reads on an event loop may
 * not do that: they run with {@link dev.varve.lsm.entry.ReadMode#MEMORY_ONLY} and unwind by {@link
 * dev.varve.lsm.entry.ColdBlockSignal}. It names the {@link dev.varve.lsm.entry.ColdBlock}, of
 * which a loop that can read without waiting makes a {@link dev.varve.lsm.entry.BlockLoad}.
 *
 * <p>Thread rule: a cursor, a walk of a pass and the dead ranges beside it are for one thread each.
 * An order is asked by all threads, a dead-entry rule by the workers of passes. {@link
 * dev.varve.lsm.entry.EmptyRanges} is for all, but for the methods of the writer.
 *
 * <p>Imports from {@code dev.varve.wal} only.
 */
@NullMarked
package dev.varve.lsm.entry;

import org.jspecify.annotations.NullMarked;
