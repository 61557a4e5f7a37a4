/**
 * The commands on data: strings, hashes, lists, sets, sorted sets, streams, and what works on keys
 * of any type. Each class is one group of Redis's, or a part of one that is large; what only some
 * of them need to read arguments and write replies stands beside them.
 *
 * <p>They parse, call one operation of {@code dev.varve.codec}, and write its result: what Redis
 * replies, in which order it looks at arguments, and its errors are here; how the data is kept is
 * not. How to write a group is told in {@link dev.varve.server.command}.
 *
 * <p>Thread rule: what a group keeps does not change; a function runs on the thread of its context.
 *
 * <p>Imports {@code dev.varve.server.command}, {@code resp}, {@code dev.varve.codec}.
 */
@NullMarked
package dev.varve.server.command.data;

import org.jspecify.annotations.NullMarked;
