/**
 * Lua 5.1 at work: the tree that is executed, functions, errors, coroutines, and the budgets.
 *
 * <p>Words: a <em>node</em> is a piece of the executed tree, made from the parser's by {@link
 * dev.varve.server.lua.run.NodeBuilder}; each is small, so that HotSpot compiles it well. A
 * <em>frame</em> is one activation of a function. A <em>result</em> is what a call gives back: one
 * value as it is, or an {@code Object[]} of none or several (an array is no value of Lua). Arrays
 * of arguments and results are never written to once they were handed over. A <em>builtin</em> is a
 * function written in Java. <em>Fuel</em> is how many calls and turns of loops may pass before the
 * interpreter asks whether it is to go on.
 *
 * <p>Thread rule: a {@link dev.varve.server.lua.run.LuaState} and all that belongs to it is used by
 * one thread at a time. It lends itself to threads of its own (coroutines, and deep recursion,
 * which needs a larger stack), one at a time, while the thread that entered waits.
 *
 * <p>Imports {@code dev.varve.server.lua.syntax} and {@code .value}.
 */
@NullMarked
package dev.varve.server.lua.run;

import org.jspecify.annotations.NullMarked;
