/**
 * A cluster of one shard: what clients that know clusters are told by a server that has all slots
 * ({@code cluster-enabled yes}), and by those that follow it.
 *
 * <p>Words: a <em>slot</em> is one of 16384 parts of all keys ({@link
 * dev.varve.server.command.run.KeySlot}), a <em>node</em> a server, under the address at which
 * clients reach it. There is no bus between nodes and no configuration to keep: who follows whom is
 * all there is to know, and REPLICAOF and FAILOVER change it.
 *
 * <ol>
 *   <li>The {@code Topology} knows the nodes, as the client that asks can reach them.
 *   <li>{@code TopologyReplies} has the forms in which Redis tells of them: CLUSTER SLOTS, SHARDS,
 *       NODES, INFO.
 *   <li>A node that follows another sends clients there, by MOVED ({@code command.run}).
 * </ol>
 *
 * <p>Thread rule: any thread; what walks over keys runs on a worker.
 *
 * <p>Imports {@code command}, {@code command.lead}, {@code command.run}, {@code config}, {@code
 * engine}, {@code resp}, {@code dev.varve.codec} with its views.
 */
@NullMarked
package dev.varve.server.command.cluster;

import org.jspecify.annotations.NullMarked;
