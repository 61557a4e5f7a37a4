/**
 * The commands by which servers follow one another, and clients wait for that: REPLICAOF, FAILOVER,
 * ROLE, WAIT, WAITAOF, and what servers say to each other, REPLCONF, PSYNC and SYNC.
 *
 * <p>They say what is wanted; who carries it out is in {@code net.follow} and {@code net.lead}.
 *
 * <p>Thread rule: the keyspace loop, but for ROLE, which any thread runs.
 *
 * <p>Imports {@code command}, {@code command.lead}, {@code command.run}, {@code engine}, {@code
 * resp}, {@code dev.varve.codec}.
 */
@NullMarked
package dev.varve.server.command.replication;

import org.jspecify.annotations.NullMarked;
