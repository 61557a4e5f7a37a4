/**
 * Scripts and libraries of functions as the server keeps them: the source that EVALSHA finds, the
 * headers, which libraries there are and how they are stored, which scripts run now, and values of
 * Lua as replies. Running them, and the commands that they call, is {@code command.run}'s.
 *
 * <p>Words: a <em>library</em> is source that was loaded, with the <em>functions</em> that it
 * registered; a <em>run</em> is a script or function that has begun and not ended.
 *
 * <p>Thread rule: {@link dev.varve.server.script.ScriptCache} and {@link
 * dev.varve.server.script.ScriptRuns} are for all threads, {@link
 * dev.varve.server.script.FunctionLibraries} is immutable; what has been loaded into an interpreter
 * belongs to its thread.
 *
 * <p>Imports {@code lua}, {@code resp}, {@code dev.varve.codec}.
 */
@NullMarked
package dev.varve.server.script;

import org.jspecify.annotations.NullMarked;
