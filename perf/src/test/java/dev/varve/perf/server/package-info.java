/** Tests of what starts and asks a server; Varve itself is not started. */
@NullMarked
package dev.varve.perf.server;

import org.jspecify.annotations.NullMarked;
