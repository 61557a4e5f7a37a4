/**
 * Those who look at commands, and change nothing of what these do. The {@code CommandObserver} of
 * each thread tells them of what ran there: the statistics, the {@code SlowLog}, {@code
 * LatencyEvents} and {@code Monitors}. What ran inside a transaction or a script is told when that
 * has come to its end ({@code InsideCommands}), for it may have to run again.
 *
 * <p>{@code Activity} is all that the threads have in common of it, with the {@code AccessLog} of
 * who was refused, the {@code ClientNames} that lists and logs show, and the {@code Pause} that
 * holds commands up. Who looks is shown no passwords ({@code Redaction}).
 *
 * <p>Thread rule: an observer belongs to the thread whose commands it sees; what is in {@code
 * Activity} is for any thread.
 *
 * <p>Imports {@code command}, {@code resp}.
 */
@NullMarked
package dev.varve.server.command.observe;

import org.jspecify.annotations.NullMarked;
