/**
 * A whole server and a redis-server, told the same over their sockets by several clients at once:
 * requests of every command group, in RESP2 and RESP3, with what the servers say unasked. And what
 * many clients of one server see: those that cache, that push and pop, that share keys.
 *
 * <p>Words: a <em>form</em> is a line of {@code forms.txt}, from which requests are made at random;
 * a <em>pair</em> is one client, connected to both servers; a <em>batch</em> is what it sends at
 * once; a <em>frame</em> is what a server says in one piece, a reply or a message.
 *
 * <p>Imports {@code command}, {@code config}, {@code engine}, {@code history}, {@code net}.
 */
@NullMarked
package dev.varve.server.surface;

import org.jspecify.annotations.NullMarked;
