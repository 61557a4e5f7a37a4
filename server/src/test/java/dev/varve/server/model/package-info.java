/**
 * Redis in plain collections, and the tests that hold the commands on the tree against it and
 * against redis-server.
 *
 * <p>Words: the <em>model</em> holds the data as it should be; text stands for bytes, one ISO
 * 8859-1 character each. A <em>run</em> is one seed: random requests of two clients, and between
 * them what can happen to a server: time passes, the clock jumps, memtables are flushed, tables
 * merged, the machine stops.
 *
 * <p>Imports {@code command}, {@code resp}.
 */
@NullMarked
package dev.varve.server.model;

import org.jspecify.annotations.NullMarked;
