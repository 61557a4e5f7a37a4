/**
 * What those who follow this server are told: the stream of requests that change its data, and how
 * much of it each has carried out.
 *
 * <p>Words: a <em>replica</em> is a server that follows this one. The <em>stream</em> is made of
 * the {@linkplain dev.varve.codec.Effects effects} of what runs here, one behind the other; while
 * this server follows another one, it is what that one sends. An <em>offset</em> counts its bytes,
 * and the <em>history</em> is the name that it has. Where somebody else goes on writing it, it has
 * a new one, and who knows its <em>former</em> name goes on too; where what comes next does not
 * follow from what was there, nobody does. The {@code Backlog} keeps the last of it, and, from the
 * <em>marks</em> on that the {@code Retention} has, what those lack who follow, or have left and
 * are expected back, in memory or by an {@code Overflow} elsewhere. How far it has come is in the
 * {@code Acknowledgements}, with the clients that wait for that. By a {@code Failover} one of them
 * takes over.
 *
 * <p>Thread rule: the keyspace loop writes the stream; each replica has a thread that reads it.
 *
 * <p>Imports {@code command}, {@code resp}, {@code dev.varve.codec} and its {@code store}.
 */
@NullMarked
package dev.varve.server.command.lead;

import org.jspecify.annotations.NullMarked;
