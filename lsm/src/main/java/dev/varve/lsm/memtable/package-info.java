/**
 * Where entries stand between the log and the first table: sorted, in memory, off the heap.
 *
 * <p>A {@link dev.varve.lsm.memtable.Memtable} takes entries from one writer while any number of
 * readers look into it. When it is full the tree starts another and writes this one to a table.
 *
 * <p>It is a B-link tree: {@link dev.varve.lsm.memtable.IndexNode}s on the heap lead to
 * <b>leaves</b> off it ({@link dev.varve.lsm.memtable.LeafFormat}), and these to the entries, which
 * lie in an {@link dev.varve.lsm.memtable.EntryArena} in the order in which they came.
 *
 * <p>Words: a <b>reference</b> is where in the arena an entry or a leaf begins. A <b>slot</b> is an
 * entry's place in its leaf: its reference, and its <b>word</b>, eight bytes of its key, those
 * behind what all keys of the leaf share; a search compares words and fetches an entry only where
 * they are equal. A <b>gap</b> ({@link dev.varve.lsm.memtable.WordGap}) is further bytes that a
 * leaf's keys have in common and words leave out. The <b>finger</b> ({@link
 * dev.varve.lsm.memtable.Finger}) stands where the latest new key went, since the next one often
 * goes beside it. <b>Place</b> and <b>mark</b> ({@link dev.varve.lsm.memtable.EntryPlace}) say
 * where a key's newest entry stands, so that the next one needs no search. A <b>spent pair</b>
 * ({@link dev.varve.lsm.memtable.SpentPairs}) is a value that was inserted and the tombstone that
 * deleted it, which leave together.
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
