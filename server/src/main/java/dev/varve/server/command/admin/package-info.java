/**
 * The commands of those who run a server, and of clients that ask what it can do: INFO, CONFIG,
 * COMMAND, SLOWLOG, LATENCY, MEMORY, DEBUG, SAVE, MIGRATE. {@link
 * dev.varve.server.command.admin.CommandGroups} lists all groups that need the keyspace and no
 * more; those that need the server around them are registered by whoever starts it.
 *
 * <p>Thread rule: a function runs on the thread of its context; what it reports on is safe to read
 * from there.
 *
 * <p>Imports {@code dev.varve.server.command} and the packages of all groups, {@code config},
 * {@code engine}, {@code script}, {@code resp}, {@code dev.varve.codec} with its {@code store},
 * {@code format} and {@code dump}.
 */
@NullMarked
package dev.varve.server.command.admin;

import org.jspecify.annotations.NullMarked;
