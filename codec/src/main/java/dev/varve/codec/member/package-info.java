/**
 * Hashes and sets: members found by name, with a value or without.
 *
 * <p>{@link dev.varve.codec.member.Hashes}, {@link dev.varve.codec.member.HashExpiry}, {@link
 * dev.varve.codec.member.Sets} and {@link dev.varve.codec.member.SetAlgebra} have the operations;
 * {@link dev.varve.codec.member.MemberTable} is what they work on, packed into the meta value or
 * spread over entries of their own.
 *
 * <p>Words: a <em>cursor</em> walks members, packed or spread; a <em>sorted</em> one in the order
 * of their hashes, in which those of many sets are merged (union, intersection, difference). A
 * <em>sample</em> draws members at random, each with the same chance.
 *
 * <p>Thread rule: all belongs to the thread of the transaction.
 *
 * <p>Imports {@code dev.varve.codec}, {@code store}, {@code format}.
 */
@NullMarked
package dev.varve.codec.member;

import org.jspecify.annotations.NullMarked;
