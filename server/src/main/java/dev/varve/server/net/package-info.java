/**
 * Sockets, event loops and workers: who runs a connection's commands, when, and when their replies
 * may leave.
 *
 * <p>Words: the <em>keyspace loop</em> is the event loop that runs all writes, the first of the
 * {@code io-threads}. A connection's <em>own loop</em> is the one its socket belongs to. The
 * <em>turn</em> is the right to run a connection's requests, which travels with them; the
 * connection is <em>parked</em> while its request waits, <em>choked</em> while its client does not
 * read. A <em>pass</em> is one round of an event loop over all sockets that have something. A
 * <em>ticket</em> numbers the commits: replies that may tell of a write carry the ticket of the
 * commit that holds it, and are <em>held</em> until it is done.
 *
 * <p>How a request travels:
 *
 * <ol>
 *   <li>{@link dev.varve.server.net.Connection} decodes all that one read event brought and runs
 *       the requests one after the other: at once if they are many, else after all sockets have
 *       been read, with those of other clients ({@link dev.varve.server.net.Arrivals}).
 *   <li>At the first request that belongs on the keyspace loop, the connection with all it has
 *       decoded is handed over; it comes back when the replies have been released. So order is kept
 *       without a lock: at any time one thread owns the session and the requests.
 *   <li>On the keyspace loop, the first write of a pass schedules a commit at the end of the pass:
 *       one log write for all connections. {@link dev.varve.server.net.GroupCommit} holds the
 *       replies until then, with {@code appendfsync always} until a worker has synced.
 *   <li>A request that needs the disk goes to a worker; its connection waits, others do not. Where
 *       the loop has a ring (io_uring), it has the block read by that itself: {@link
 *       dev.varve.server.net.RingReads}.
 *   <li>A read whose reply is too long to be made whole goes to a thread for long replies ({@link
 *       dev.varve.server.net.LongReplies}); its pieces take the way of the own loop, and nothing
 *       else leaves between them.
 *   <li>A request whose script takes long runs on a worker that has the right to write meanwhile,
 *       see {@link dev.varve.server.command.LongScript}; whoever would write is parked until it
 *       ends.
 *   <li>A client that waits for keys is parked on the keyspace loop: its request stays the first of
 *       its requests, and is tried again there when one of its keys changes.
 *   <li>So is a client that migrates keys, until {@link dev.varve.server.net.Migrations} has the
 *       other server's answers.
 *   <li>A connection whose client does not read its replies runs no more requests and reads no more
 *       bytes until it does.
 * </ol>
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>The server</b>: {@code RespServer} puts all together; {@code ServerThreads} and {@code
 *       ServerLoops} are what it starts, {@code Listeners} its ports, {@code ProtectedMode} who is
 *       let in, {@code SettingsInForce} what CONFIG SET changes, {@code Status} what INFO asks.
 *   <li><b>One connection</b>: a {@code Connection} has its turn, {@code Intake} what comes in,
 *       {@code Replies} what goes out, by an {@code OutQueue}; {@code HeldReplies} are those that
 *       wait for a commit, a {@code ReplyStream} is a long one.
 *   <li><b>All connections</b>: {@code ConnectionContext} is what they share. {@code SharedHeap},
 *       {@code HeldRoom} and {@code WriteMarks} bound what they take together.
 *   <li><b>One event loop</b>: {@code ServerLoop}, with {@code Arrivals}; {@code WatchedLoop} and
 *       {@code LoopWatch} see when it is busy for too long.
 *   <li><b>Commits</b>: {@code GroupCommit}, and the {@code SyncGroup} that a sync is for.
 *   <li><b>What is cold</b>: {@code Workers} run requests that need the disk, a {@code BroughtView}
 *       keeps what they have read, {@code PipelineReadAhead} thinks of the requests behind; {@code
 *       ColdLoads} and {@code RingReads} bring blocks without a worker.
 *   <li><b>Beside requests</b>: {@code ExpirySweeper} by the {@code HeldClock}, {@code
 *       Housekeeper}, {@code BackgroundWorkers} for flush and compaction.
 * </ul>
 *
 * <p>The only package that imports Vert.x; it also imports {@code resp}, {@code command}, {@code
 * config}, {@code engine}, {@code dev.varve.codec}, of {@code dev.varve.lsm} the signal that a
 * block is cold, how it is brought, and the failure of a read, and of {@code dev.varve.wal} where a
 * file is, and how long a thread waits for a processor.
 */
@NullMarked
package dev.varve.server.net;

import org.jspecify.annotations.NullMarked;
