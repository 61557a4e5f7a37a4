/**
 * Strings, and what Redis keeps in them: bits, integers of bits, and the registers of HyperLogLogs.
 *
 * <p>{@link dev.varve.codec.string.StringValue} is a string as stored, read and written in parts; a
 * {@link dev.varve.codec.string.StringRange} is what a reader hands on of it, in parts too; the
 * other classes are the operations, one for each of Redis's groups.
 *
 * <p>Thread rule: all belongs to the thread of the transaction.
 *
 * <p>Imports {@code dev.varve.codec}, {@code format}, {@code store}.
 */
@NullMarked
package dev.varve.codec.string;

import org.jspecify.annotations.NullMarked;
