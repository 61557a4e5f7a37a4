/**
 * Those who want to know what happens to keys: clients that watch, wait, cache or have subscribed.
 *
 * <p>The keyspace has all of them as its {@code ChangeListeners}, by which each {@code
 * ChangeListener} is told of each transaction that is applied:
 *
 * <ul>
 *   <li>{@code WatchTable}: WATCH, which makes the next EXEC do nothing.
 *   <li>{@code BlockedClients}: BLPOP and its like. Those who wait for one key stand in a {@code
 *       WaitingLine}; whom the disk holds up while they are served has others wait behind {@code
 *       ServedKeys}.
 *   <li>{@code Tracking}: client-side caches, by the keys that were read ({@code TransactionReads}
 *       within a transaction) or by prefix ({@code Broadcasts}).
 *   <li>{@code Notifications}: keyspace events, which {@code PubSub} carries with all else that is
 *       published. {@code LaterMessages} are what a transaction publishes between its changes.
 * </ul>
 *
 * <p>{@code NameRoom} bounds what the names take that clients watch, wait for and subscribe to; a
 * {@code PushMessage} is encoded once for all who get it.
 *
 * <p>Thread rule: keyspace loop, but for counts.
 *
 * <p>Imports {@code command}, {@code resp}, {@code dev.varve.codec}, and of {@code dev.varve.lsm}
 * the signal that a block is cold.
 */
@NullMarked
package dev.varve.server.command.listen;

import org.jspecify.annotations.NullMarked;
