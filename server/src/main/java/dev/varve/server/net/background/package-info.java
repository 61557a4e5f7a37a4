/**
 * What goes on beside requests: expiry, upkeep, flush and compaction, and keys on their way to
 * another server.
 *
 * <p>All of it goes in steps: a worker reads and prepares, the keyspace loop writes a little at a
 * time between the commands, and nobody waits for it.
 *
 * <ul>
 *   <li><b>Expiry</b>: {@code ExpirySweeper} deletes keys whose moment has come, in <em>passes</em>
 *       from where the last one ended to what is due now. {@code HeldClock} is the time that
 *       commands go by: it does not go back behind what clients have seen expire until all of that
 *       is <em>swept</em>.
 *   <li><b>Upkeep</b>: {@code Housekeeper}, ten times a second, for the engine and for garbage
 *       records that have done their work.
 *   <li><b>The engine's own work</b>: {@code BackgroundWorkers} give each kind of it, such as
 *       flushing and compacting, a {@code BackgroundWorker} that repeats it while there is any.
 *   <li><b>MIGRATE</b>: {@code Migrations} carry keys by a {@code TargetSocket}, on an event loop,
 *       while a worker packs the next.
 * </ul>
 *
 * <p>Thread rule: each class says which of its steps are the keyspace loop's, which a worker's, and
 * who may start and stop it. Threads come in as executors.
 *
 * <p>Imports {@code net.loop} for workers and timers; {@code command.run}, of {@code command.admin}
 * the migration, {@code engine}, {@code dev.varve.codec}, and of {@code dev.varve.lsm} the signal
 * that a block is cold.
 */
@NullMarked
package dev.varve.server.net.background;

import org.jspecify.annotations.NullMarked;
