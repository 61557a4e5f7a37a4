/**
 * The tree and its rivals in one JVM: db_bench's workloads on the same keys and values.
 *
 * <p>An {@link dev.varve.perf.engine.EngineKind} opens an {@link
 * dev.varve.perf.engine.EngineUnderTest} in a directory; an {@link
 * dev.varve.perf.engine.EngineRound} takes one engine through the workloads of a {@link
 * dev.varve.perf.engine.RoundPlan}, and gives a {@link dev.varve.perf.engine.Measurement} for each.
 * {@link dev.varve.perf.engine.Results} has those of all rounds; table, JSON and chart are made
 * from it.
 *
 * <p>One thread measures at a time, but for {@link dev.varve.perf.engine.ReadWhileWriting}; engines
 * have background threads of their own, and the tree is given its here ({@link
 * dev.varve.perf.engine.TreeThreads}). Imports {@code dev.varve.lsm}, {@code dev.varve.compaction}
 * and {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.perf.engine;

import org.jspecify.annotations.NullMarked;
