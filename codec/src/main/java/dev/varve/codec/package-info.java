/**
 * Redis data structures as ordered key-value pairs, over the {@code Store} port.
 *
 * <p>What lives here and in the packages below, from the bottom:
 *
 * <ul>
 *   <li>{@code store}: the port to whatever keeps the entries.
 *   <li>{@code format}: the bytes of stored keys and packed members. {@code rank}: the counted
 *       buckets of a sorted set. {@code geo}: places on the earth as scores.
 *   <li>This package: {@link dev.varve.codec.Transaction}, what one command, MULTI or script reads
 *       and writes. It finds the {@link dev.varve.codec.Meta} of a key, and knows whether it has
 *       expired. Below it are the {@code TransactionEntries}, a view with what was written over it,
 *       and the {@code StoredKeys}, the only place that changes metas, expiry keys, garbage records
 *       and counters together. Beside it what concerns keys of any type: {@code Keys}; {@code
 *       Databases}; expiry ({@code ExpiryKeys} keeps the keys it is found by, {@code ExpirySweep}
 *       looks and {@code DueDeletion} deletes; {@code FieldExpiry} is that of fields of hashes,
 *       which {@code DueFields} deletes where a command comes across them); {@code Garbage}, the
 *       {@code GarbageWalk} that a compaction drops by, and {@code Remainder}, for what is left of
 *       a collection; {@code ListEnds} and {@code ListGaps}, which are part of a list's meta;
 *       {@code KeysWrittenSince} and {@code GuardedKeys}, by which who reads beside the writer
 *       knows what it missed; {@code AccessTimes}.
 *   <li>The structures, a package for each: {@code string}, {@code member} (hashes and sets),
 *       {@code list}, {@code zset}, {@code stream}. Their operations are one class per Redis type,
 *       each a pure function of a transaction, a database number, a key and arguments.
 *   <li>{@code dump}: values of all types in the format of Redis's RDB files.
 *   <li>{@code check}: whether all that is stored hangs together.
 * </ul>
 *
 * <p>Words: a <em>database number</em> is what SELECT takes; a <em>database id</em> is what stored
 * keys carry. A key <em>expires</em> when the clock reaches its expiry; it is <em>swept</em> when
 * its entries go. <em>Garbage</em> is the members of spread collections that died: nobody asks for
 * their version any more, and a compaction drops them.
 *
 * <p>Rules for an operation: look keys up with {@link dev.varve.codec.Transaction#find} (a command
 * that only reads) or {@link dev.varve.codec.Transaction#findForWrite}; throw {@link
 * dev.varve.codec.DataException} before the first write; build member keys from {@link
 * dev.varve.codec.Meta#keys} alone; end with {@link dev.varve.codec.Transaction#save} or {@link
 * dev.varve.codec.Transaction#remove}, and {@link dev.varve.codec.Transaction#event} for each
 * change that a client can see. Never catch what the store throws; have no effect outside the
 * transaction.
 *
 * <p>Thread rule: a transaction and all that is reached through it belong to one thread. {@link
 * dev.varve.codec.Databases} and {@link dev.varve.codec.PackedLimits} are immutable; {@link
 * dev.varve.codec.AccessTimes} is for all threads, and what a transaction notes there stays,
 * applied or not.
 *
 * <p>Imports no other room of Varve.
 */
@NullMarked
package dev.varve.codec;

import org.jspecify.annotations.NullMarked;
