/** Tests of streams. */
@NullMarked
package dev.varve.codec.stream;

import org.jspecify.annotations.NullMarked;
