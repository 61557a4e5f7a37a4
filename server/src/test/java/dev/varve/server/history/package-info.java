/**
 * What several clients saw of a server, and whether one server could have shown it to them.
 *
 * <p>Words: an <em>operation</em> is one request of a client, from the moment when it was sent to
 * the moment when its reply was there; a <em>history</em> is all of them. A history is
 * <em>linearizable</em> when each operation can be given one moment between the two at which it
 * took effect, so that each reply is that of a server which did one after the other (Herlihy and
 * Wing, 1990). An operation is <em>lost</em> when its reply never came: it may have taken effect,
 * or not.
 *
 * <p>Imports nothing of the server.
 */
@NullMarked
package dev.varve.server.history;

import org.jspecify.annotations.NullMarked;
