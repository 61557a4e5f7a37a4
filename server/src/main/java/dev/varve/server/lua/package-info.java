/**
 * Scripts: Lua 5.1 as Redis 7.0 has it, in one piece that knows neither the network nor the keys.
 *
 * <p>Words: a {@link dev.varve.server.lua.ScriptEngine} is an interpreter with Redis's sandbox
 * around it; a script is compiled once and run often. What a script asks of the server (its
 * commands, its log) goes to a {@link dev.varve.server.lua.ScriptHost}. The packages below this one
 * are the language: {@code syntax} reads it, {@code run} executes it, {@code lib} is its libraries,
 * {@code value} its strings and tables.
 *
 * <p>A run can be undone: what it changed of values that were there before it is kept in the {@link
 * dev.varve.server.lua.value.UndoLog} of its interpreter until its host says whether it counts.
 *
 * <p>Thread rule: an engine is used by one thread at a time; while it runs, it may call its host on
 * another thread, while the first one waits.
 *
 * <p>Imports the packages below it and nothing else of Varve.
 */
@NullMarked
package dev.varve.server.lua;

import org.jspecify.annotations.NullMarked;
