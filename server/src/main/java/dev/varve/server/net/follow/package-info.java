/**
 * Following another server, so that its data is here: REPLICAOF, as a replica of Redis does it.
 *
 * <p>Words: the <em>master</em> is the server that is followed, the <em>link</em> a connection to
 * it. A <em>dump</em> is all its data, in the format of RDB files, the <em>stream</em> the requests
 * that change it, as the master sends them behind that. Its <em>offset</em> counts the bytes of the
 * stream; with the id of the master's history it says from where on a new link may go on.
 *
 * <ol>
 *   <li>The {@code Follower} has the {@code MasterDialer} open a {@code MasterLink}, and another
 *       one a second after that has ended; {@code LoadAttempts} has it wait for longer where all
 *       data comes and cannot be loaded.
 *   <li>The {@code Handshake} says who this is, and how far.
 *   <li>If the master does not know that history, its dump comes. A {@code DumpFrame} finds the end
 *       of it, a {@code DumpPipe} takes it to a worker, where the {@code FullLoad} reads it, and
 *       has the keyspace loop write it in groups.
 *   <li>The stream goes to a connection as any client has one: its requests run in the same way,
 *       wait for blocks that are cold, and are committed with those of others. But nothing is
 *       replied, and nothing expires, for the master says what has. The {@code MasterStream} counts
 *       what has been carried out.
 * </ol>
 *
 * <p>Thread rule: the keyspace loop, which is the link's own; the load and the reading end of its
 * pipe are a worker's.
 *
 * <p>Imports {@code net.loop}, {@code net.connection} and {@code net.tls}; {@code command}, {@code
 * command.run}, of {@code command.session} all clients, of {@code command.lead} who follows this
 * server in turn, {@code config}, {@code engine}, {@code script} for the libraries of functions,
 * {@code resp}, {@code dev.varve.codec} with its dumps and views, and of {@code dev.varve.lsm} the
 * signal that a block is cold.
 */
@NullMarked
package dev.varve.server.net.follow;

import org.jspecify.annotations.NullMarked;
