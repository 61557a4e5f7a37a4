/**
 * Commits: one log write for all that a pass of the keyspace loop has written, the sync that it may
 * wait for, and the replies that wait for both.
 *
 * <p>Words: a <em>ticket</em> numbers the commits. Replies that may tell of a write carry the
 * ticket of the commit that holds it, and are <em>held</em> until it is done: until what it wrote
 * is <em>published</em>, which is when readers see it.
 *
 * <p>The first write of a pass schedules the commit at the pass's end ({@link
 * dev.varve.server.net.commit.GroupCommit}). With {@code appendfsync always} a worker syncs the log
 * before anything is published. {@code SyncGroup} decides when those who wait are enough for a
 * sync: as many as the last one met, while they keep coming. Each connection has {@link
 * dev.varve.server.net.commit.HeldReplies}; the {@link dev.varve.server.net.commit.HeldRoom} bounds
 * what those of all connections take.
 *
 * <p>Thread rule: the keyspace loop only, but for the sync of every second, which is a worker's.
 * Threads come in as executors, the clock as a function, so that a test can be all of them.
 *
 * <p>Imports {@code command} with {@code run}, and {@code engine}, which commit and sync. No other
 * package of {@code net}, and of Netty the buffers that replies are in.
 */
@NullMarked
package dev.varve.server.net.commit;

import org.jspecify.annotations.NullMarked;
