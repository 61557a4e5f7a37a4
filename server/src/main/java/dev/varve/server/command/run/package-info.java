/**
 * The keyspace, and what runs commands on it.
 *
 * <p>Words: the <em>executor</em> runs requests: it finds the command, checks arity, password and
 * MULTI, opens a view, runs the function, and applies what it wrote. A <em>run</em> is one call of
 * a function; when it meets a cold block it unwinds, and there will be another.
 *
 * <ul>
 *   <li><b>The data</b>: the {@code Keyspace}, which all changes pass, with those who are told of
 *       them ({@code WrittenKeys} of the keys). {@code StoredState} is what stands beside the data
 *       in memory and follows it. Where all of it is another server's, {@code Following} says
 *       whose, and what clients are refused.
 *   <li><b>Running one</b>: {@code CommandExecutor} is the door, one for each thread in its {@code
 *       Role}. {@code Admission} is what Redis checks before a command, {@code Denials} what its
 *       user may not do, {@code DataRuns} gives it a view and a transaction, {@code RunContext} is
 *       its context, an {@code Outcome} says what became of it, and {@code RunEnd} does what
 *       follows from that. Of a read that takes long, or whose reply does ({@code RunLimits};
 *       {@code RunTime}, of which {@code LongReads} says how much there is), and of fields that are
 *       due by the hundred ({@code DueFieldDeletions}), another run makes an end.
 *   <li><b>Before requests run</b>: {@code LookAhead} for those that are in memory, {@code
 *       FirstKeys} for those that are not.
 *   <li><b>Scripts</b>: {@code ScriptRunner} and the {@code ScriptCalls} that a script makes.
 *   <li><b>Writes that take long</b>, scripts among them, go on on a worker which has a lease on
 *       the right to write: {@code LongRun} says when and who waits, {@code LongRuns} and {@code
 *       LeasedRun} how, and by {@code WriteBeside} what is much gets into the engine there too.
 *   <li><b>The same the second time</b>: {@code WallTimes} and {@code FrozenRandom}; {@code
 *       RememberedReads} are noted once the run counts.
 * </ul>
 *
 * <p>Thread rule: an executor and all that is its own belong to one thread; the keyspace to its
 * loop, but for what says any thread.
 *
 * <p>Imports {@code command}, {@code access}, {@code lead}, {@code listen}, {@code observe}, {@code
 * engine}, {@code script}, {@code lua}, {@code resp}, {@code dev.varve.codec}, and of {@code
 * dev.varve.lsm} the signal that a block is cold, which block that is, and the failure of a read.
 */
@NullMarked
package dev.varve.server.command.run;

import org.jspecify.annotations.NullMarked;
