/**
 * JMH benchmarks of what reads, writes and scripts are made of: {@code java -cp
 * perf/target/varve-perf.jar org.openjdk.jmh.Main}.
 *
 * <p>Each names the bound it watches over. They go through the public doors of {@code lsm} and of
 * the interpreter of scripts, so a figure has a call or two in it that is not the primitive.
 * Imports {@code dev.varve.lsm}, {@code dev.varve.wal} and {@code dev.varve.server.lua}.
 */
@NullMarked
package dev.varve.perf.primitive;

import org.jspecify.annotations.NullMarked;
