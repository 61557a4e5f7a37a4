/** Tests of strings. */
@NullMarked
package dev.varve.codec.string;

import org.jspecify.annotations.NullMarked;
