/**
 * The lowest room: bytes, files, and the log. It knows nothing of keys.
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>{@link dev.varve.wal.StorageDirectory}</b>: the port through which every module touches
 *       the file system, so that tests can lose unsynced data or fail the n-th call.
 *   <li><b>The log</b>: a sequence of <em>segments</em> (files) holding <em>records</em>. One
 *       record is one atomic batch; its <em>position</em> is its place in the endless sequence of
 *       bytes all segments make. A record is <em>written</em> once the operating system has it, and
 *       <em>synced</em> once the device has it.
 *   <li><b>{@link dev.varve.wal.OffHeap}</b>: memory outside the heap, with explicit release and an
 *       account per part of the server.
 * </ul>
 *
 * <p>Thread rule: one thread appends and writes; another may sync at the same time. Nobody
 * interrupts a thread that is inside a {@link dev.varve.wal.StorageFile}: an interrupt closes the
 * channel under everyone else.
 *
 * <p>Imports from no other room.
 */
@NullMarked
package dev.varve.wal;

import org.jspecify.annotations.NullMarked;
