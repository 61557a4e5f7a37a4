/**
 * The threads of a server: event loops with what each needs to run commands, workers, timers.
 *
 * <p>Words: the <em>keyspace loop</em> is the event loop that runs all writes, the first of the
 * {@code io-threads}. A <em>pass</em> is one round of an event loop over all sockets that have
 * something. A <em>worker</em> is a thread that may block. A <em>ring</em> (io_uring) is how the
 * kernel serves a loop's sockets, and files, where {@code io-transport} asks for it. A block is
 * <em>cold</em> while it is not in memory, and is <em>brought</em> by a worker or by the loop's
 * ring.
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>Threads</b>: {@code ServerThreads} starts and ends them: each {@code LoopVerticle} is an
 *       event loop that takes its share of the connections, each {@code Worker} a thread of its
 *       own, {@code Timers} run things later. {@code SocketTransport} chooses what serves the
 *       sockets.
 *   <li><b>One event loop</b>: {@code ServerLoop}, one of {@code ServerLoops}, runs tasks: at once,
 *       after its look at the sockets, or within a time. A {@code LostTask}, for which there was no
 *       memory, ends the process. Who has few requests waits in {@code Arrivals} until all sockets
 *       have been read, so that they can be looked at together.
 *   <li><b>Its watch</b>: a {@code WatchedLoop} says when its tasks begin and end, and {@code
 *       LoopWatch} sees which of them take too long.
 *   <li><b>What is cold</b>: {@code ColdLoads} bring blocks without a worker, by the loop's {@code
 *       RingReads}, which know the {@code RingFiles} that they read. The {@code RingRehearsal} goes
 *       that way once at the start.
 * </ul>
 *
 * <p>Thread rule: a loop, and what it has, is used on that loop. Any thread may give a task to a
 * loop, a worker or a timer, and read figures. Started and stopped by a thread that may block. A
 * task of a loop never waits, and takes no more than some milliseconds.
 *
 * <p>Imports {@code command.run} for what runs commands, {@code resp} and {@code config}, of {@code
 * dev.varve.lsm} how a cold block is brought, and of {@code dev.varve.wal} where a file is, and how
 * long a thread waits for a processor. No other package of {@code net}.
 */
@NullMarked
package dev.varve.server.net.loop;

import org.jspecify.annotations.NullMarked;
