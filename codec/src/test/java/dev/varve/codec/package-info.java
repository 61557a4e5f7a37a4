/** Tests of the data structures, over the in-memory store. */
@NullMarked
package dev.varve.codec;

import org.jspecify.annotations.NullMarked;
