/**
 * Values in the format of Redis's RDB files, as DUMP gives them and RESTORE takes them, and whole
 * files of them, as SAVE of Redis leaves them.
 *
 * <p>Words: a <em>payload</em> is a type byte, a value, the format's version and a checksum. An
 * <em>item</em> is one string of a value: an element, a member, a field, a score. A <em>piece</em>
 * is some of a long collection: of a file no more than that is in memory. A <em>moment</em> is when
 * a field of a hash expires, in ms since 1970.
 *
 * <p>{@link dev.varve.codec.dump.DumpFormat} says which encodings are written and which are read,
 * {@link dev.varve.codec.dump.RdbFormat} what a file has besides. What is read comes from clients:
 * every length is checked against what is there before anything is allocated, and what is wrong
 * ends in {@link dev.varve.codec.format.DamagedValueException}.
 *
 * <p>Thread rule: the static functions are pure; instances belong to one thread.
 *
 * <p>{@link dev.varve.codec.dump.Dumps}, {@link dev.varve.codec.dump.DumpedValues}, {@link
 * dev.varve.codec.dump.ValueWriter}, {@link dev.varve.codec.dump.StreamDumps}, {@link
 * dev.varve.codec.dump.RdbImport} and {@link dev.varve.codec.dump.RdbExport} tie that to the data
 * structures, and stand above them; the other classes know of the format alone.
 *
 * <p>Imports {@code dev.varve.codec}, the packages of all types, {@code store}, {@code format}.
 */
@NullMarked
package dev.varve.codec.dump;

import org.jspecify.annotations.NullMarked;
