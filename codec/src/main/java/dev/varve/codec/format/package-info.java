/**
 * The bytes that Redis data becomes: keys of every keyspace, packed members, ordered numbers, and
 * integers as text; and byte strings by the million ({@code ByteStrings}), with their order.
 *
 * <p>Words: a <em>stored key</em> is the key of an entry in the store; a <em>user key</em> is what
 * the client calls a key. A <em>keyspace</em> is all stored keys with the same first byte, its
 * <em>tag</em>. A <em>packed</em> collection keeps its members inside its meta value, a
 * <em>spread</em> one has an entry (or two) per member. A collection's <em>version</em> tells its
 * members from those of an earlier collection of the same name; its <em>home</em> is the user key
 * its members are filed under.
 *
 * <p>Every layout has its table on its class and a worked example in docs/formats.
 *
 * <p>Thread rule: the static functions are pure; instances belong to one thread.
 *
 * <p>Imports nothing of Varve.
 */
@NullMarked
package dev.varve.codec.format;

import org.jspecify.annotations.NullMarked;
