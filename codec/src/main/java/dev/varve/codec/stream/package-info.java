/**
 * Streams: entries in the order of their ids, each under a stored key of its own, and the groups of
 * consumers that read them.
 *
 * <p>{@link dev.varve.codec.stream.Streams}, {@link dev.varve.codec.stream.StreamGroups} and {@link
 * dev.varve.codec.stream.StreamClaims} have the operations; {@link
 * dev.varve.codec.stream.StreamTable} is a stream's entries, {@link
 * dev.varve.codec.stream.GroupTable} its groups, consumers and pending entries as stored.
 *
 * <p>Words: a <em>node</em> is a run of up to a hundred neighbouring entries, which a trim with
 * {@code ~} takes or leaves together; it is not stored as such, its first entry has a flag. The
 * <em>front</em> is the first node, the <em>top</em> an id that no entry comes behind. An entry is
 * <em>pending</em> from when a consumer was given it until it is acknowledged. The format is in
 * docs/formats/streams.md.
 *
 * <p>Thread rule: all belongs to the thread of the transaction; ids and records are immutable.
 *
 * <p>Imports {@code dev.varve.codec}, {@code store}, {@code format}.
 */
@NullMarked
package dev.varve.codec.stream;

import org.jspecify.annotations.NullMarked;
