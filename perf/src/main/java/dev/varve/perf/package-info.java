/**
 * The harness: workloads, run side by side, with figures that a person and a program can read.
 *
 * <p>{@link dev.varve.perf.Harness} is the command line; {@code engine} measures the tree in
 * process ({@code dev.varve.perf.engine}), {@code server} a real server over TCP ({@code
 * dev.varve.perf.server}).
 *
 * <p>Words: a <em>workload</em> is what is done; an <em>engine under test</em> is to whom; a
 * <em>round</em> is all workloads on all engines once. Figures are medians over rounds, comparisons
 * are ratios within one run.
 *
 * <p>May import every other room; no other room imports this one.
 */
@NullMarked
package dev.varve.perf;

import org.jspecify.annotations.NullMarked;
