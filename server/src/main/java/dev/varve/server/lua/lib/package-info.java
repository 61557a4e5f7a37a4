/**
 * The libraries that scripts of Redis 7.0 have and that need no server: base, string, table, math,
 * coroutine, cjson, cmsgpack, struct and bit, in Redis's versions and with their messages.
 *
 * <p>Words: a <em>library</em> is a class that registers its builtins in a table of the state. What
 * takes long (a pattern that backtracks, a sort) ticks the state, what is large is charged to it
 * before it is made.
 *
 * <p>Thread rule: as the state's.
 *
 * <p>Imports {@code dev.varve.server.lua.run}, {@code .value} and {@code .syntax}.
 */
@NullMarked
package dev.varve.server.lua.lib;

import org.jspecify.annotations.NullMarked;
