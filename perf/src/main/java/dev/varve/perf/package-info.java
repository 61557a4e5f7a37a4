/** Placeholder. */
@NullMarked
package dev.varve.perf;

import org.jspecify.annotations.NullMarked;
