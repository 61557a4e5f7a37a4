/**
 * The commands on a client's session: AUTH, HELLO and CLIENT, tracking, publish and subscribe,
 * MULTI, scripts and functions; {@code Clients} are all that are connected. How to write a group is
 * told in {@link dev.varve.server.command}.
 *
 * <p>Thread rule: a function runs on the thread of its context, which has the session meanwhile.
 *
 * <p>Imports {@code command} with {@code access}, {@code lead}, {@code listen}, {@code observe} and
 * {@code run}, {@code script}, {@code lua}, {@code resp}, {@code dev.varve.codec}.
 */
@NullMarked
package dev.varve.server.command.session;

import org.jspecify.annotations.NullMarked;
