/**
 * Sockets, event loops and workers: who runs a connection's commands, when, and when their replies
 * may leave.
 *
 * <p>This page follows a request. The parts have pages of their own, with their words and thread
 * rules:
 *
 * <ul>
 *   <li>{@code net.loop}: event loops, with what each needs to run commands, workers and timers.
 *   <li>{@code net.commit}: one log write for each pass of the keyspace loop, and the replies that
 *       wait for it.
 *   <li>{@code net.connection}: one connection, and what all of them share.
 *   <li>{@code net.tls}: what encrypted connections begin with.
 *   <li>{@code net.follow}: the requests of another server that this one follows, and its data.
 *   <li>{@code net.lead}: what servers are sent that follow this one.
 *   <li>{@code net.background}: what goes on beside requests: expiry, upkeep, flush and compaction,
 *       migrations.
 * </ul>
 *
 * <p>Words: the <em>keyspace loop</em> is the event loop that runs all writes, the first of the
 * {@code io-threads}. A connection's <em>own loop</em> is the one its socket belongs to. The
 * <em>turn</em> is the right to run a connection's requests, which travels with them; the
 * connection is <em>parked</em> while its request waits. A <em>pass</em> is one round of an event
 * loop over all sockets that have something. Replies that may tell of a write are <em>held</em>
 * until the commit is done that holds it.
 *
 * <p>How a request travels:
 *
 * <ol>
 *   <li>{@code connection.Connection} decodes all that one read event brought and runs the requests
 *       one after the other: at once if they are many, else after all sockets have been read, with
 *       those of other clients ({@link dev.varve.server.net.loop.Arrivals}).
 *   <li>At the first request that belongs on the keyspace loop, the connection with all it has
 *       decoded is handed over; it comes back when the replies have been released. So order is kept
 *       without a lock: at any time one thread owns the session and the requests.
 *   <li>On the keyspace loop, the first write of a pass schedules a commit at the end of the pass:
 *       one log write for all connections. {@link dev.varve.server.net.commit.GroupCommit} holds
 *       the replies until then, with {@code appendfsync always} until a worker has synced.
 *   <li>A request that needs the disk goes to a worker; its connection waits, others do not. Where
 *       the loop has a ring (io_uring), it has the block read by that itself: {@code
 *       loop.RingReads}.
 *   <li>A read that takes long, or whose reply is too long to be made whole, goes to a thread for
 *       long replies ({@link dev.varve.server.net.connection.LongReplies}); its pieces take the way
 *       of the own loop, and nothing else leaves between them.
 *   <li>A script, or another request that takes long to write, runs on a worker that has the right
 *       to write meanwhile, see {@link dev.varve.server.command.run.LongRun}; whoever would write
 *       is parked until it ends.
 *   <li>A client that waits for keys is parked on the keyspace loop: its request stays the first of
 *       its requests, and is tried again there when one of its keys changes.
 *   <li>So is a client that migrates keys, until {@link dev.varve.server.net.background.Migrations}
 *       has the other server's answers.
 *   <li>A connection whose client does not read its replies runs no more requests and reads no more
 *       bytes until it does.
 * </ol>
 *
 * <p>What lives here: {@code RespServer} puts all together, starts it, and stops it. {@code
 * Listeners} are its {@code UnixSocket} and its ports, for plain connections and for TLS, each a
 * {@code ListeningPort} and each {@code Listener} one address of it; {@code CommandExecutors} are
 * what runs its commands, {@code SettingsInForce} what CONFIG SET changes, {@code Status} what INFO
 * asks.
 *
 * <p>Thread rule: a server is started and stopped by a thread that may block; all else says its
 * own.
 *
 * <p>With its parts it is the only package that imports Vert.x, and Netty too, but for the buffers
 * that {@code resp} reads. Beside its parts it imports {@code resp}, {@code command}, {@code
 * config}, {@code engine}, of {@code dev.varve.codec} the counter of its clock, and of {@code
 * dev.varve.wal} the directory of backups and what the process uses.
 */
@NullMarked
package dev.varve.server.net;

import org.jspecify.annotations.NullMarked;
