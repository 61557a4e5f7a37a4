/**
 * A server under a mixed load for long, killed and stopped and started again on the same directory.
 *
 * <p>A {@link dev.varve.perf.soak.SoakClient} keeps a {@link dev.varve.perf.soak.SoakModel} of what
 * it has written and compares each reply with it; {@link dev.varve.perf.soak.SoakGauges} watches
 * what the server holds. A <em>life</em> is the time from a start of the server to its end.
 *
 * <p>Each client is a thread of its own; the thread of {@code soak} does all else. May import
 * {@code dev.varve.perf.server} and {@code dev.varve.perf.engine}; knows the server by its protocol
 * only.
 */
@NullMarked
package dev.varve.perf.soak;

import org.jspecify.annotations.NullMarked;
