/** Tests of what finds that a store does not hang together. */
@NullMarked
package dev.varve.codec.check;

import org.jspecify.annotations.NullMarked;
