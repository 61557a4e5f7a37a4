/**
 * JMH benchmarks of what reads and writes are made of: {@code java -cp perf/target/varve-perf.jar
 * org.openjdk.jmh.Main}.
 *
 * <p>Each names the bound it watches over. They go through the public doors of {@code lsm}, so a
 * figure has a call or two in it that is not the primitive.
 */
package dev.varve.perf.primitive;
