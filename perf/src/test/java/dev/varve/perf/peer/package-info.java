/** Tests of what the comparison of servers computes; the servers themselves are not started. */
@NullMarked
package dev.varve.perf.peer;

import org.jspecify.annotations.NullMarked;
