/** Placeholder. */
@NullMarked
package dev.varve.compaction;

import org.jspecify.annotations.NullMarked;
