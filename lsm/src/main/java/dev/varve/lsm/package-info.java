/** Placeholder. */
@NullMarked
package dev.varve.lsm;

import org.jspecify.annotations.NullMarked;
