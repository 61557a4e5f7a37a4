/**
 * SSTables: immutable sorted files of entries, and the blocks of them that are in memory.
 *
 * <p>A <b>table</b> is a row of <b>blocks</b> of some 16 KiB, followed by its bloom filter, its
 * index, its properties and a footer ({@link dev.varve.lsm.table.TableFormat}). A block is stored
 * compressed; what is searched is its <b>raw</b> form, off heap ({@link
 * dev.varve.lsm.table.BlockFormat}). A block's <b>ordinal</b> is its place in its table, from 0.
 * The <b>index</b> is a block too: per data block a <b>separator</b>, which is not before the
 * block's last entry and before the next block's first. Index and filter are resident while a table
 * is open; data blocks come and go through the {@link dev.varve.lsm.table.BlockCache}. A <b>pin</b>
 * keeps one in memory whatever the cache decides.
 *
 * <p>What lives here: {@code TableWriter} writes a table by {@code BlockWriter}, {@code
 * BloomWriter} and {@code TableOutput}, and leaves its {@code WrittenBlocks} in the cache. {@code
 * TableReader} is an open one, walked over by {@code TableCursor} and asked for many keys at once
 * by {@code TableMultiGet}; {@code StoredBlocks} reads the file. What leaves the {@code BlockCache}
 * the {@code EvictionQueues} decide. A block that is not there is a {@code ColdTableBlock}, to be
 * read by whoever may wait, or by a loop as a {@code TableBlockLoad}. {@code TableCheck} reads a
 * whole table.
 *
 * <p>Thread rule: a writer and a cursor are for one thread each, a reader and the cache for all.
 * Reads on an event loop use {@link dev.varve.lsm.entry.ReadMode#MEMORY_ONLY}; everything else here
 * may block.
 *
 * <p>Within a table only unsigned byte order is known: {@link dev.varve.lsm.entry.KeyComparator}
 * promises that the tree's order is just that, and {@link dev.varve.lsm.table.TableWriter} holds it
 * to the promise.
 *
 * <p>Imports from {@code dev.varve.wal}, {@code dev.varve.lsm.entry} and {@code
 * dev.varve.lsm.version} only.
 */
@NullMarked
package dev.varve.lsm.table;

import org.jspecify.annotations.NullMarked;
