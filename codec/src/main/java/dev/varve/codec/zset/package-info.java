/**
 * Sorted sets: members with scores, found by member, score, rank and place in lexical order.
 *
 * <p>{@link dev.varve.codec.zset.ZSets} has the operations, {@link dev.varve.codec.zset.ZAlgebra},
 * {@link dev.varve.codec.zset.ZRandom}, {@link dev.varve.codec.zset.ZScan} and {@link
 * dev.varve.codec.zset.Geos} those that are large; {@link dev.varve.codec.zset.ZMembers} is what
 * they work on: packed into the meta value or spread over entries of their own, the spread ones
 * with counted buckets ({@code rank}).
 *
 * <p>Words: a <em>place</em> is a score with a member, the order of the index; an <em>interval</em>
 * is what ZRANGE's bounds cut out of it.
 *
 * <p>Thread rule: all belongs to the thread of the transaction.
 *
 * <p>Imports {@code dev.varve.codec}, {@code rank}, {@code store}, {@code format}, {@code geo}.
 */
@NullMarked
package dev.varve.codec.zset;

import org.jspecify.annotations.NullMarked;
