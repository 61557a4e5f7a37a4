/**
 * Which tables to merge, and the pass that merges them. Knows no Redis; docs/compaction.md tells
 * the whole.
 *
 * <p>Words:
 *
 * <ul>
 *   <li>A <b>plan</b> ({@link dev.varve.compaction.Plan}) is one change of the tree's shape: a
 *       merge, a move, or the deletion of dead tables.
 *   <li>The <b>picker</b> ({@link dev.varve.compaction.CompactionPicker}) is pure: the shape in, a
 *       plan out. The <b>base level</b> is the one level 0 merges into.
 *   <li>A <b>pass</b> ({@link dev.varve.compaction.CompactionPass}) runs a plan and installs what
 *       came of it. Its <b>horizon</b> is the published sequence number when it starts: what only
 *       older readers could ask for is dropped, for those hold the tables they read.
 *   <li>A <b>death</b> ({@link dev.varve.compaction.Death}) names ranges of keys that died
 *       together; <b>garbage</b> ({@link dev.varve.compaction.TableGarbage}) is what of it is still
 *       in tables. A death is <b>retirable</b> when nothing of it can be left.
 *   <li><b>Quiet</b> means that hardly anything is being written: then space is worth more than
 *       bytes written.
 *   <li>The <b>pressure</b> is how far compaction is behind, the <b>pace</b> how fast passes may
 *       write at that pressure.
 * </ul>
 *
 * <p>The {@link dev.varve.compaction.Compactor} ties these together. Thread rule: it has no thread
 * of its own, any worker thread may call it, several at once; nothing here may be called on an
 * event loop but {@link dev.varve.compaction.Compactor#statistics}, {@link
 * dev.varve.compaction.Compactor#pressure}, {@link dev.varve.compaction.Compactor#compactRange} and
 * {@link dev.varve.compaction.Compactor#stop}.
 *
 * <p>Imports from {@code dev.varve.lsm} and {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.compaction;

import org.jspecify.annotations.NullMarked;
