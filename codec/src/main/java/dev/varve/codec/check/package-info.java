/**
 * Reads all that a store has and says what does not hang together: what is counted and not there,
 * what is there and belongs to nothing.
 *
 * <p>{@link dev.varve.codec.check.ContentCheck} goes over all keys and keyspaces; for the entries
 * of one key there is a class for each type. They read the bytes as docs/formats describes them and
 * share with the code that writes them the layouts alone, no walk and no cache: a mistake there is
 * not made here again. What only one store may know, as whether a checksum is right, is not asked.
 *
 * <p>Words: an {@link dev.varve.codec.check.Inconsistency} is one thing that cannot be; where one
 * is found there may be others that follow from it.
 *
 * <p>Thread rule: any thread that may read a view; instances belong to it.
 *
 * <p>Imports {@code dev.varve.codec}, {@code rank} for the layouts of counted buckets and edges,
 * {@code store}, {@code format}.
 */
@NullMarked
package dev.varve.codec.check;

import org.jspecify.annotations.NullMarked;
