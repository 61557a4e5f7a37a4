/**
 * The tree and its rivals in one JVM: db_bench's workloads on the same keys and values.
 *
 * <p>An {@link dev.varve.perf.engine.EngineUnderTest} is opened fresh for each round in a directory
 * of its own; an {@link dev.varve.perf.engine.EngineWorkload} runs on it and says how many
 * operations it did. {@link dev.varve.perf.engine.EngineCommand} takes the rounds and prints.
 *
 * <p>One thread measures at a time; engines have background threads of their own.
 */
@NullMarked
package dev.varve.perf.engine;

import org.jspecify.annotations.NullMarked;
