/**
 * Where entries stand between the log and the first table: sorted, in memory, off the heap.
 *
 * <p>A {@link dev.varve.lsm.memtable.Memtable} takes entries from one writer while any number of
 * readers look into it. When it is full the tree starts another and writes this one to a table.
 *
 * <p>Thread rule: one thread, the writer, adds; any thread reads meanwhile, with a cursor of its
 * own and a reference that it holds, and nobody waits for anybody. Whoever gives the last reference
 * back gives the memory back.
 *
 * <p>Imports from {@code dev.varve.lsm.entry} and {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.lsm.memtable;

import org.jspecify.annotations.NullMarked;
