/**
 * The seam between commands and whatever keeps the data.
 *
 * <p>{@link dev.varve.server.engine.Engine} has a {@link dev.varve.codec.store.Store} and what a
 * server needs besides: one log write for many batches, syncs, publication to readers, views that
 * may wait for the disk, write pressure, and background work. {@link
 * dev.varve.server.engine.TreeEngine} and {@link dev.varve.server.engine.TreeStore} are the two on
 * the tree.
 *
 * <p>What lives here besides:
 *
 * <ul>
 *   <li><b>Reading</b>: a {@code WriterView} is what the keyspace loop sees, walked over by {@code
 *       WriterCursor} (where it is, {@code WalkPosition}; over many rows at once, {@code
 *       StretchWalk}); a {@code TreeView} is what all others see. Long values that they read at the
 *       same time fit the {@code ReadRoom}, for which they may wait ({@code ReadPause}).
 *   <li><b>Writing</b>: the {@code WriteGroup} of a pass, and the {@code PlacedBatch} that the tree
 *       is given.
 *   <li><b>In front of the tree</b>, for the writer alone, the {@code WriterCaches}: the {@code
 *       RowCache} ({@code RowSlots} find a row, {@code LongRows} are those too long for its ring,
 *       the {@code Doorkeeper} lets in), the {@code WalkCache} (a {@code Stretch} is in the {@code
 *       SortedStretches} of its {@code WalkedKeyspace}, its rows are {@code SortedRows}), and
 *       {@code Residents}. {@code KeyspaceLoad} and {@code ElementReadAhead} fill them for who asks
 *       for rows one by one.
 *   <li><b>Beside commands</b>: {@code FlushWork}, {@code CompactionWork} with what {@code
 *       TreeGarbage} and {@code WalkRelief} tell it, {@code Backups}; {@code Ballast}; {@code
 *       Spool}s, whose {@code SpoolFiles} are those of one directory. Without a server: {@code
 *       DirectoryCheck}, {@code BulkLoad} and {@code StoredData}. {@code StoredKeyOrder} and {@code
 *       RecordedRanges} are what the tree is told of codec's keys.
 * </ul>
 *
 * <p>Words: a batch is <em>written</em> when the keyspace loop sees it, <em>committed</em> when the
 * operating system has it (until then it may be <em>grouped</em> with others, and not be in the
 * tree yet), <em>synced</em> when the device has it, and <em>published</em> when readers see it.
 * What the writer reads again and again it has in front of the tree: <em>rows</em> by their keys
 * ({@code RowCache}), <em>stretches</em> of neighbours ({@code WalkCache}), and <em>resident</em>
 * rows in a form of their user's own ({@code Residents}), which alone may be ahead of what is
 * written, until somebody reads rows or commits.
 *
 * <p>Thread rule: one thread, that of the <em>keyspace loop</em>, writes, commits and publishes,
 * and alone has the writer's views and what is kept in front of the tree. For a write that takes
 * long it lends all of that to a worker, and reads what is published itself until it takes it back
 * ({@link dev.varve.server.engine.Engine#lend}). Any thread opens views of what is published. What
 * may wait for a device (views that block, syncs, flushes, background work) runs on workers, never
 * on an event loop.
 *
 * <p>Imports {@code dev.varve.codec}, {@code dev.varve.compaction}, {@code dev.varve.lsm} and
 * {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.server.engine;

import org.jspecify.annotations.NullMarked;
