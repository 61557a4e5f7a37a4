/**
 * A server in a process of its own, measured over loopback TCP as a client sees it.
 *
 * <p>{@link dev.varve.perf.server.ServerUnderTest} starts the runnable jar on a fresh directory and
 * removes both at the end; {@link dev.varve.perf.server.RespConnection} talks to it; {@link
 * dev.varve.perf.server.ServerFigures} are what INFO says; a {@link
 * dev.varve.perf.server.SteadyLoad} asks at a fixed rate beside what is measured. The commands are
 * one class each: {@code reclaim}, {@code churn}, {@code expire}.
 *
 * <p>Words: the <em>directory</em> is all files of the server, its log among them; <em>tables</em>
 * are the part that holds settled data; data is <em>back</em> when all but a rest of what it took
 * is free again; the server is <em>quiet</em> when it neither flushes nor merges.
 *
 * <p>The thread that runs a command does everything but the steady load and {@link
 * dev.varve.perf.server.Standstills}, which have threads of their own. May import {@code
 * dev.varve.perf.engine}; knows the server by its protocol only, and of its code what tells how
 * long a thread has waited for a processor.
 */
@NullMarked
package dev.varve.perf.server;

import org.jspecify.annotations.NullMarked;
