/**
 * Varve beside other servers that speak RESP, driven in turn by the same load on one machine.
 *
 * <p>A {@link dev.varve.perf.peer.Peer} is a server under test: Varve or a Redis started here on a
 * fresh directory, or one that runs elsewhere and is known by its address. A {@link
 * dev.varve.perf.peer.Workload} is one command as redis-benchmark sends it; a {@link
 * dev.varve.perf.peer.Mix} is what an application sends. Mixes come from a generator of our own, a
 * {@link dev.varve.perf.peer.GeneratedLoad} of {@link dev.varve.perf.peer.Steps}, and commands too
 * where there is no redis-benchmark. A {@link dev.varve.perf.peer.Row} is what one run of one of
 * them on one peer gave.
 *
 * <p>Words: a <em>round</em> runs everything once on every peer, so that what the machine does
 * meanwhile falls on all alike; results are medians of rounds. A <em>closed</em> load sends the
 * next request when a reply has come; an <em>open</em> one sends at a fixed rate whatever comes
 * back, and its latencies count from when a request was due.
 *
 * <p>Everything runs on the thread of the command, but for the generator's event loop and pacing
 * thread, and those of a {@link dev.varve.perf.peer.DiskProbe}. May import {@code
 * dev.varve.perf.server} and {@code dev.varve.perf.engine}; knows servers by their protocol only.
 */
@NullMarked
package dev.varve.perf.peer;

import org.jspecify.annotations.NullMarked;
