/**
 * Lua 5.1 as text: the lexer, the parser, and the tree that it makes.
 *
 * <p>Words: a <em>chunk</em> is a text that compiles to a function. The tree is already
 * <em>resolved</em>: every local variable has a <em>slot</em> in its function's frame and says
 * whether an inner function has <em>captured</em> it; every upvalue has an index. The lines on it
 * are those that Lua 5.1 names in an error message.
 *
 * <p>Thread rule: a parser belongs to one thread; the tree is never changed once it is returned.
 *
 * <p>Imports {@code dev.varve.server.lua.value}.
 */
@NullMarked
package dev.varve.server.lua.syntax;

import org.jspecify.annotations.NullMarked;
