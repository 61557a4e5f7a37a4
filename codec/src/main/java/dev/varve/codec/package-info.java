/** Placeholder. */
@NullMarked
package dev.varve.codec;

import org.jspecify.annotations.NullMarked;
