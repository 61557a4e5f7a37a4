/**
 * Being followed: servers become copies of this one, as replicas of Redis do.
 *
 * <p>Words: a <em>replica</em> follows this server, of which the <em>stream</em> tells it (see
 * {@link dev.varve.server.command.lead}). A <em>dump</em> is all data at one offset of the stream,
 * in the format of RDB files.
 *
 * <ol>
 *   <li>A client says PSYNC. If what it lacks is kept, it goes on there; if not, the {@code Leader}
 *       takes a view of all data as soon as readers see all that the stream tells of.
 *   <li>A {@code ReplicaFeed} has a thread: it writes the dump from that view, waits until the
 *       replica has said that it has loaded it, and sends the stream from there on, as fast as the
 *       socket takes it.
 *   <li>The {@code Publication} lets readers of the stream see what is committed.
 *   <li>The {@code Absentees} keep of the stream what those lack that have left, or followed
 *       another server, and may come.
 *   <li>Where one of them is far behind, or away, the {@code Lag} has a {@code LagSpool} move what
 *       it lacks to the disk, by a thread of its own; who is too far behind is closed.
 *   <li>For FAILOVER, the {@code Handover} holds writes until a replica has all, and follows it.
 *   <li>When the server stops, it waits until they have what was written last, and stores how far
 *       the stream is: with the next process they go on there.
 * </ol>
 *
 * <p>Thread rule: each feed and the {@code LagSpool} are their own thread's, all else is the
 * keyspace loop's.
 *
 * <p>Imports {@code net.commit}, of {@code net.loop} the timers; {@code command}, {@code
 * command.lead}, {@code command.run}, of {@code command.observe} the pause, {@code config}, {@code
 * engine}, {@code resp}, {@code dev.varve.codec} with its dumps and views.
 */
@NullMarked
package dev.varve.server.net.lead;

import org.jspecify.annotations.NullMarked;
