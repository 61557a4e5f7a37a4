/**
 * The lowest room: bytes, files, and the log. It knows nothing of keys.
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>{@link dev.varve.wal.StorageDirectory}</b>: the port through which every module touches
 *       the file system, so that tests can lose unsynced data or fail the n-th call.
 *   <li><b>The log</b>: {@link dev.varve.wal.Log} writes and {@link dev.varve.wal.LogReader}
 *       replays a row of <em>segments</em> (files) holding <em>records</em>. One record is one
 *       atomic batch; its <em>position</em> is its place in the endless sequence of record bytes
 *       that all segments make. A record is <em>appended</em> when it is in this process's memory,
 *       <em>written</em> once the operating system has it, and <em>synced</em> once the device has
 *       it. To <em>roll</em> is to go on in the next segment. A failed sync <em>poisons</em> the
 *       log. A <em>torn tail</em> is what a crash leaves of records that were not synced; a replay
 *       cuts it off, and <em>settles</em> before the log goes on.
 *   <li><b>Record files</b>: {@link dev.varve.wal.RecordFileWriter} and {@link
 *       dev.varve.wal.RecordFileReader} are the framing below the log, which the manifest of the
 *       tree uses too; the bytes are in {@link dev.varve.wal.RecordFileFormat}.
 *   <li><b>{@link dev.varve.wal.BackupDirectory}</b>: where copies of a server's directory lie, how
 *       they are named and which of them are deleted. An {@link dev.varve.wal.UnfinishedDirectory}
 *       has its name when it is whole.
 *   <li><b>{@link dev.varve.wal.OffHeap}</b>: memory outside the heap, with explicit release and an
 *       account per part of the server.
 *   <li><b>{@link dev.varve.wal.ProcessorWait}</b>: how long a thread has waited for a processor,
 *       which Linux tells in a file.
 *   <li><b>{@link dev.varve.wal.FailureReason}</b>: what to tell of work that failed.
 * </ul>
 *
 * <p>Thread rule: one thread appends and writes; another may sync at the same time, and workers
 * prepare and delete segments. Nobody interrupts a thread that is inside a {@link
 * dev.varve.wal.StorageFile}: an interrupt closes the channel under everyone else.
 *
 * <p>Imports from no other room.
 */
@NullMarked
package dev.varve.wal;

import org.jspecify.annotations.NullMarked;
