/**
 * The port between the data structures and whatever keeps their entries.
 *
 * <p>Words: an <em>entry</em> is a key and its value, both plain bytes; keys are ordered by
 * unsigned bytes. A <em>view</em> is a consistent state of all entries. A <em>batch</em> is what
 * one command, transaction or script writes, all of it or nothing. A <em>counter</em> is a named
 * 64-bit sum that moves with the batches. A <em>sequence</em> number is never given twice in the
 * life of a store.
 *
 * <p>A writer's view may have rows <em>resident</em>: all rows under one prefix, in memory, in a
 * form of their user's own ({@link dev.varve.codec.store.ResidentRows}). A store that has none is
 * as good a store.
 *
 * <p>Nothing here assumes one process or one disk: a distributed engine with ordered keys, a
 * snapshot read and an atomic batch can stand behind it.
 *
 * <p>Thread rule: one writer thread at a time calls {@link
 * dev.varve.codec.store.Store#writerView()}, {@link dev.varve.codec.store.Store#nextSequence()} and
 * {@link dev.varve.codec.store.Store#write}; any thread opens views and reads counters. A view, its
 * cursors and a batch belong to one thread at a time.
 *
 * <p>Any read may throw an unchecked signal of the store's own when the bytes are not in memory.
 * Callers never catch it: they have no effect before {@link dev.varve.codec.store.Store#write}, so
 * the whole command is simply run again.
 *
 * <p>Imports nothing of Varve.
 */
@NullMarked
package dev.varve.codec.store;

import org.jspecify.annotations.NullMarked;
