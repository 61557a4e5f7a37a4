/**
 * The parameters of a server: one table says which there are; a file, a command line and CONFIG SET
 * give them values.
 *
 * <p>Words: a <em>parameter</em> is a name with a kind, a default, bounds and a line of help;
 * {@link dev.varve.server.config.Parameters} is all of them. {@link
 * dev.varve.server.config.Settings} are their values in one server. A parameter is <em>mutable</em>
 * if CONFIG SET may change it.
 *
 * <p>Thread rule: parameters are immutable; settings are for any thread.
 *
 * <p>Imports {@code resp}, for the way lines are split into words and integers are read, and {@code
 * dev.varve.codec}, for globs and the limits of packed collections.
 */
@NullMarked
package dev.varve.server.config;

import org.jspecify.annotations.NullMarked;
