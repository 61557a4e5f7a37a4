/**
 * The values of Lua 5.1 that need no interpreter: byte strings, tables, and numbers as text.
 *
 * <p>Words: a Lua value is a Java object; <em>nil</em> is null, a number a {@link Double}, a
 * boolean {@link Boolean#TRUE} or {@link Boolean#FALSE} and no other instance. A table has an
 * <em>array part</em> and a <em>node part</em> as Lua's own has them, so that {@code next} goes
 * through a table in the order in which Redis's does.
 *
 * <p>Thread rule: values belong to the one thread that runs their interpreter.
 *
 * <p>Imports nothing of Varve.
 */
@NullMarked
package dev.varve.server.lua.value;

import org.jspecify.annotations.NullMarked;
