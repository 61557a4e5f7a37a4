/**
 * The harness: workloads, run side by side, with figures that a person and a program can read.
 *
 * <p>{@link dev.varve.perf.Harness} is the command line. The packages below: {@code engine}
 * measures the tree in process, beside other engines; {@code peer} a real server over TCP beside
 * other servers, among its commands {@code server}; {@code server} has what starts and asks a real
 * server, and the commands that look at Varve alone; {@code soak} keeps one under load for long,
 * through kills; {@code primitive} has the benchmarks for JMH.
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
