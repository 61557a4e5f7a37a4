/**
 * The server: the one room with Vert.x. It turns bytes from sockets into commands on the data
 * structures of {@code dev.varve.codec}, over the tree of {@code dev.varve.lsm}.
 *
 * <p>What lives where:
 *
 * <ul>
 *   <li>{@code resp}: the wire protocol, both ways, without sockets.
 *   <li>{@code config}: the parameters, redis.conf files and command lines.
 *   <li>{@code command}: the command table, what a command is given, and what runs it. The commands
 *       themselves are in its packages {@code data}, {@code session} and {@code admin}.
 *   <li>{@code script}, {@code lua}: scripts and libraries as they are kept; the language.
 *   <li>{@code engine}: the seam to whatever keeps the data.
 *   <li>{@code net}: the server that listens. In its packages {@code loop} event loops and workers,
 *       {@code commit} commits, {@code connection} connections, {@code background} what goes on
 *       beside requests.
 *   <li>here: {@link dev.varve.server.Varve}, which puts them together and is the main class, and
 *       {@link dev.varve.server.Import} and {@link dev.varve.server.Export}, which need no server.
 * </ul>
 *
 * <p>Thread rule: the main thread opens the data, starts the server, and ends; the hook that the
 * runtime calls at the end stops it. All else runs on the event loops and workers of {@code net},
 * and each package says which of them may call it. No event loop ever waits for a device.
 *
 * <p>This package imports {@code config}, {@code engine}, {@code net} and {@code script}, the files
 * of {@code dev.varve.codec}, of {@code dev.varve.lsm} the options and the failure of a read, and
 * the directories of {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;
